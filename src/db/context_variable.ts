/**
 * Pseudo variables: values of the context in queries (csn-cqn 14).
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";

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

/** `$at.from`, `$at.to`; with `seconds` behind it in whole seconds, as DateTime elements hold them. */
function atValue(name: string | undefined, unit: string | undefined, { validity }: EventContext): string {
  const time = name === "to" ? validity.to : validity.from;
  if (unit !== "seconds") return time.toISOString();
  const seconds = time.getTime() / 1000;
  const whole = name === "to" ? Math.ceil(seconds) : Math.floor(seconds);
  return new Date(whole * 1000).toISOString().replace(".000Z", "Z");
}

function userValue(name: string | undefined, context: EventContext): unknown {
  if (name === undefined || name === "id") return context.user.id;
  if (name === "locale") return context.locale;
  if (name === "tenant") return context.tenant;
  return context.user.attr[name];
}
