/**
 * Expressions that programs made by `fw.parse` and `fw.ql`, which may stand in the values of a text. Objects from outside
 * never may: they would change what the text says.
 *
 * @module
 */

import { isExpression } from "../is_query.ts";

const MADE: WeakSet<object> = new WeakSet();

/**
 * Notes an expression with all that is in it.
 *
 * @param value what was made
 * @returns the same
 */
export function noteMade<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) MADE.add(value);
  // values are data, whatever they hold
  for (const [name, inner] of Object.entries(value)) if (name !== "val") noteMade(inner);
  return value;
}

/**
 * Whether an expression was made by a program, or holds nothing but operators and such expressions.
 *
 * @param value any value
 */
export function isMade(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !isExpression(value)) return false;
  if (MADE.has(value)) return true;
  const { xpr, list } = value as { readonly xpr?: readonly unknown[]; readonly list?: readonly unknown[] };
  const operands = (xpr ?? list ?? []).filter((one) => typeof one !== "string");
  return operands.length > 0 && operands.every(isMade) && Object.keys(value).length === 1;
}
