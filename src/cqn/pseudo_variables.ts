/**
 * Pseudo variables: paths that start with `$` and stand for values of the request (csn-cqn 14).
 *
 * @module
 */

/** First steps of pseudo variables; `$valid` is the older name of `$at`. */
export const PSEUDO_VARIABLES: ReadonlySet<string> = new Set([
  "$now",
  "$user",
  "$tenant",
  "$at",
  "$valid",
  "$locale",
]);
