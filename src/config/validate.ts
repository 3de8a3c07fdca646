/**
 * Checking of configuration against its schema.
 *
 * @module
 */

import { isPlainObject } from "../util/is_plain_object.ts";
import { nearestName } from "../util/nearest_name.ts";

/** Describes one key of the configuration. */
export interface SchemaNode {
  /** Types a value may have. */
  readonly types: readonly ("string" | "number" | "boolean" | "object" | "array" | "null")[];
  /** Bounds of a number, which then is a whole one. */
  readonly range?: readonly [number, number];
  /** Allowed values of a string. */
  readonly values?: readonly string[];
  /** What a string must look like, in words for the message, and the check. */
  readonly form?: { readonly text: string; readonly fits: (value: string) => boolean };
  /** What the entries of an array look like. */
  readonly items?: SchemaNode;
  /** Known members of an object. */
  readonly members?: Readonly<Record<string, SchemaNode>>;
  /** What members with other names look like; without it they are unknown keys. */
  readonly others?: SchemaNode;
}

/** The first violation found. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Where a value stands, and what is done with keys that the schema does not know. */
export interface ValidateOptions {
  /** Keys that lead to the value. */
  readonly path?: readonly string[];
  /** Takes unknown keys; without it they are problems. */
  readonly onUnknown?: (problem: SchemaProblem) => void;
}

/**
 * Checks a value.
 *
 * @returns the first problem, or undefined if the value fits
 */
export function validate(
  value: unknown,
  schema: SchemaNode,
  { path = [], onUnknown }: ValidateOptions = {},
): SchemaProblem | undefined {
  const type = typeOf(value);
  if (!schema.types.includes(type as never)) {
    return { path, message: `must be ${listOf(schema.types)}, but is ${articled(type)}` };
  }
  if (schema.values && type === "string" && !schema.values.includes(value as string)) {
    return {
      path,
      message: `must be one of ${schema.values.join(", ")}${hint(String(value), schema.values)}`,
    };
  }
  if (schema.form && typeof value === "string" && !schema.form.fits(value)) {
    return { path, message: `must be ${schema.form.text}${hasLogin(value) ? "" : `, but is "${value}"`}` };
  }
  if (schema.items && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = validate(item, schema.items, { path: [...path, String(index)], onUnknown });
      if (!problem) continue;
      const isInside = problem.path.length > path.length + 1;
      return isInside ? problem : { path, message: `must be a list, each entry of which ${problem.message}` };
    }
  }
  if (schema.range && typeof value === "number" && !isWithin(value, schema.range)) {
    const [low, high] = schema.range;
    const bounds = high === Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `from ${low} to ${high}`;
    return { path, message: `must be a whole number ${bounds}, but is ${value}` };
  }
  if (!isPlainObject(value) || (!schema.members && !schema.others)) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const node = (Object.hasOwn(schema.members ?? {}, key) ? schema.members![key] : undefined) ??
      schema.others;
    if (!node) {
      const unknown = {
        path: [...path, key],
        message: `is unknown${hint(key, Object.keys(schema.members ?? {}))}`,
      };
      if (!onUnknown) return unknown;
      onUnknown(unknown);
      continue;
    }
    const problem = validate(member, node, { path: [...path, key], onUnknown });
    if (problem) return problem;
  }
  return undefined;
}

/**
 * What of a value a schema knows.
 *
 * @param value any value
 * @param schema what it may hold
 * @returns the value without members that are unknown
 */
export function knownPart(value: unknown, schema: SchemaNode): unknown {
  if (!isPlainObject(value) || (!schema.members && !schema.others)) return value;
  const entries = Object.entries(value).flatMap(([key, member]) => {
    const node = (Object.hasOwn(schema.members ?? {}, key) ? schema.members![key] : undefined) ??
      schema.others;
    return node ? [[key, knownPart(member, node)] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** A URL with a user in front of the host is not shown: behind the user stands a password. */
function hasLogin(value: string): boolean {
  return /\/\/[^/]*@/.test(value);
}

function isWithin(value: number, [low, high]: readonly [number, number]): boolean {
  return Number.isInteger(value) && value >= low && value <= high;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function hint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : `; did you mean "${nearest}"?`;
}

function listOf(types: readonly string[]): string {
  return types.map(articled).join(" or ");
}

function articled(type: string): string {
  if (type === "null") return "null";
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}
