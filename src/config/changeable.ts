/**
 * Configuration that programs change while they start.
 *
 * @module
 */

import { isPlainObject } from "../util/is_plain_object.ts";
import type { Environment } from "./environment.ts";

/** Sections that programs set members of, whether there are any or not. */
const SECTIONS = ["features", "fiori", "log", "odata", "query", "server", "sql"];

/**
 * A copy of a configuration whose members can be changed.
 *
 * @param env the configuration
 * @param read what its `for` is; default: as before
 */
export function changeable(env: Environment, read: Environment["for"] = env.for): Environment {
  const sections = Object.fromEntries(SECTIONS.map((name) => [name, {}]));
  const copy = { ...sections, ...copied(env) as object } as Environment;
  Object.defineProperty(copy, "for", { value: read });
  Object.defineProperty(copy, "remarks", { value: env.remarks });
  Object.defineProperty(copy, "isLenient", { value: env.isLenient });
  Object.defineProperty(copy, "placeOf", { value: env.placeOf });
  BEFORE.set(copy, copied(env.requires));
  return copy;
}

/** The objects that configurations begin with. */
const COPIES: WeakSet<object> = new WeakSet();

/** What was required before programs changed it. */
const BEFORE: WeakMap<Environment, unknown> = new WeakMap();

/**
 * Carries on what programs have changed of the required services, when they read the configuration again.
 *
 * @param from the configuration that they changed
 * @param to the one that takes its place, which is changed
 */
export function carryOn(from: Environment, to: Environment): void {
  if (from === to || !BEFORE.has(from)) return;
  const { requires } = to as { requires: Record<string, unknown> };
  carry(from.requires, BEFORE.get(from), requires);
}

function carry(now: unknown, before: unknown, to: Record<string, unknown>): void {
  if (!isPlainObject(now)) return;
  for (const [name, value] of Object.entries(now)) {
    const was = isPlainObject(before) ? before[name] : undefined;
    if (value === was) continue;
    const place = to[name];
    // an object that was not there at the beginning takes the place of what was
    if (!isPlainObject(value) || !COPIES.has(value)) to[name] = value;
    else if (isPlainObject(place)) carry(value, was, place);
  }
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (!isPlainObject(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)]));
  COPIES.add(copy);
  return copy;
}
