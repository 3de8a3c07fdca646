/**
 * Values that statements are given.
 *
 * @module
 */

import type { Expression, RefExpression, ValueExpression } from "../../cqn/cqn.ts";
import { isBound } from "../passes/references.ts";
import { stepName } from "../passes/scope.ts";
import type { ValueType } from "./dialect.ts";

/** Where a bound value comes from: the text itself, a parameter, or a pseudo variable of the context. */
export type Binding =
  & (
    | { readonly kind: "value"; readonly value: unknown }
    | { readonly kind: "param"; readonly name: string }
    | { readonly kind: "variable"; readonly path: readonly string[] }
  )
  & {
    /** All values of an array. */
    readonly list?: boolean;
    /** A number of rows. */
    readonly count?: boolean;
  };

/**
 * What is known of a value that is bound.
 *
 * @param value any value
 */
export function valueType(value: unknown): ValueType {
  if (typeof value === "boolean") return "boolean";
  if (typeof value !== "number" && typeof value !== "bigint") return "other";
  if (value === Infinity || value === -Infinity) return "infinite";
  return Number.isInteger(value) && Math.abs(Number(value)) <= MAX_INT ? "integer" : "number";
}

const MAX_INT = 2 ** 31 - 1;

/**
 * Whether a value is written into SQL as number, with all its digits.
 *
 * @param expression the value; one with more digits than a number holds is text
 */
export function isNumber({ val, literal }: ValueExpression): boolean {
  if (typeof val === "number" || typeof val === "bigint") return true;
  return literal === "number" && typeof val === "string" && DIGITS.test(val);
}

const DIGITS = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Where the value of a reference comes from.
 *
 * @param expression a parameter or pseudo variable
 */
export function bindingOf(expression: RefExpression): Binding {
  const path = expression.ref.map(stepName);
  return expression.param ? { kind: "param", name: path[0] } : { kind: "variable", path };
}

/**
 * Whether an operand is a bound value whose type the database cannot tell.
 *
 * @param operand any operand
 */
export function needsType(operand: Expression): boolean {
  return ("ref" in operand && isBound(operand)) || ("val" in operand && typeof operand.val === "string");
}
