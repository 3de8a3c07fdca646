/**
 * Pseudo variables: values of the context in queries (csn-cqn 14).
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { instantText, type InstantUnit } from "../util/instant_text.ts";

/**
 * The value of a pseudo variable.
 *
 * @param path `["$now"]`, `["$user", "locale"]`, `["$at", "from"]`, …
 * @param context the context of the request
 * @returns undefined where the context has no value
 */
export function contextVariable(path: readonly string[], context: EventContext): unknown {
  const [first, second, third] = path;
  switch (first) {
    case "$now":
      return context.timestamp.toISOString();
    case "$tenant":
      return context.tenant;
    case "$locale":
      return context.locale;
    case "$uuid":
      return crypto.randomUUID();
    case "$at":
    case "$valid": // its older name
      return atValue(second, third, context);
    case "$user":
      return userValue(second, context);
  }
  return undefined;
}

/** `$at.from`, `$at.to`; with `seconds` or `days` behind it rounded to what DateTime and Date elements hold. */
function atValue(name: string | undefined, unit: string | undefined, { validity }: EventContext): string {
  const time = name === "to" ? validity.to : validity.from;
  return instantText(time, unit as InstantUnit | undefined, name === "to"); // conditions on slices have no others
}

function userValue(name: string | undefined, context: EventContext): unknown {
  if (name === undefined || name === "id") return context.user.id;
  if (name === "locale") return context.locale;
  if (name === "tenant") return context.tenant;
  return context.user.attr[name];
}
