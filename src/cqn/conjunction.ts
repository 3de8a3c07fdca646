/**
 * Conditions that all have to hold.
 *
 * @module
 */

import type { Row, Xo } from "./cqn.ts";

/**
 * Joins conditions.
 *
 * @param conditions conditions, each maybe missing
 * @returns all of them, or undefined without any
 */
export function conjunction(
  ...conditions: readonly (readonly Xo[] | undefined)[]
): readonly Xo[] | undefined {
  const present = conditions.filter((condition) => condition !== undefined && condition.length > 0);
  if (present.length < 2) return present[0];
  return present.flatMap((xpr, index) => index === 0 ? [{ xpr: xpr! }] : ["and", { xpr: xpr! }]);
}

/**
 * Compares elements with values, all of which must be equal.
 *
 * @param values by name of the element
 * @returns `a = 1 and b = 2`; empty without values
 */
export function equalities(values: Row): Xo[] {
  return Object.entries(values).flatMap(([name, val], index): Xo[] => [
    ...(index === 0 ? [] : ["and"]),
    { ref: [name] },
    "=",
    { val: val as string },
  ]);
}
