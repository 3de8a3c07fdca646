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
  const [first, second] = path;
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
      return second === "to"
        ? new Date(context.timestamp.getTime() + 1).toISOString()
        : context.timestamp.toISOString();
    case "$user":
      return userValue(second, context);
  }
  return undefined;
}

function userValue(name: string | undefined, context: EventContext): unknown {
  if (name === undefined || name === "id") return context.user.id;
  if (name === "locale") return context.locale;
  if (name === "tenant") return context.tenant;
  return context.user.attr[name];
}
