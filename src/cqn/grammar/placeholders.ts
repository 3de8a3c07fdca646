/**
 * Values that take the place of `?` in a text.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Expression, Scalar } from "../cqn.ts";

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
