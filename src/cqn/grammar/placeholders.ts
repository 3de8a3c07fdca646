/**
 * Values that take the place of `?` in a text, or of a query.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Expression, Query, Scalar } from "../cqn.ts";
import { isQuery } from "../is_query.ts";

const EXPRESSION_KEYS = ["ref", "val", "xpr", "func", "list", "#", "SELECT", "SET"];

/**
 * The expression for a value put into a query text.
 *
 * @param value a scalar, an array (becomes a list), an expression or a query
 * @returns `{val}`, `{list}`, or the expression itself
 */
export function placeholderExpression(value: unknown): Expression {
  if (Array.isArray(value)) return { list: value.map(placeholderExpression) };
  if (isExpression(value)) return value;
  return { val: (value === undefined ? null : value) as Scalar };
}

function isExpression(value: unknown): value is Expression {
  if (typeof value !== "object" || value === null) return false;
  return EXPRESSION_KEYS.some((key) => key in value && (key !== "val" || isPlainObject(value)));
}

/**
 * A query whose parameters `?` are named by their positions, so that an array holds their values.
 *
 * @param query the query
 */
export function numberedPlaceholders<Q extends Query>(query: Q): Q {
  let count = 0;
  const copyOf = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map(copyOf);
    const { ref, param } = part as { readonly ref?: readonly unknown[]; readonly param?: boolean };
    if (param && ref?.[0] === "?") return { ...part, ref: [String(count++)] };
    if (!isPlainObject(part) && !isQuery(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, copyOf(value)]));
  };
  return copyOf(query) as Q; // a query of the same kind
}
