/**
 * Values that statements are given.
 *
 * @module
 */

import { isBound } from "../../algebra/build.ts";
import type { Expr, Literal, Parameter, Variable } from "../../algebra/tree.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import type { ComparedForm } from "../../algebra/tree.ts";
import type { ValueType } from "./dialect.ts";

/** Where a bound value comes from: the text itself, a parameter, or a pseudo variable of the context. */
export type Binding =
  & (
    | { readonly kind: "value"; readonly value: unknown }
    | { readonly kind: "param"; readonly name: string }
    | { readonly kind: "variable"; readonly path: readonly string[] }
    /** All values of all of them. */
    | { readonly kind: "items"; readonly items: readonly Binding[] }
  )
  & {
    /** All values of an array. */
    readonly list?: boolean;
    /** What the value is compared with. */
    readonly form?: ComparedForm;
    /** A number of rows. */
    readonly count?: boolean;
  };

/** Whether elements are compared with attributes of the user, each of which may have several values. */
export function comparesAttributes(bindings: readonly Binding[]): boolean {
  return bindings.some(({ kind, list }) => kind === "variable" && list === true);
}

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
export function isNumber({ val, literal }: Pick<Literal, "val" | "literal">): boolean {
  if (typeof val === "number" || typeof val === "bigint") return true;
  return literal === "number" && typeof val === "string" && DIGITS.test(val);
}

const DIGITS = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Where the value of a reference comes from.
 *
 * @param expression a parameter or pseudo variable
 */
export function bindingOf(expression: Parameter | Variable): Binding {
  const { form } = expression;
  const as = form === undefined ? undefined : { form };
  return expression.kind === "parameter"
    ? { kind: "param", name: expression.name, ...as }
    : { kind: "variable", path: expression.path, ...as };
}

/**
 * What is known of the value that a placeholder stands for, in the form in which it is bound.
 *
 * @param binding where the value comes from
 * @param types what is known of the values of parameters, by name
 */
export function placeholderType(
  binding: Binding,
  types: Readonly<Record<string, ValueType>>,
): ValueType | undefined {
  const type = binding.kind === "param" ? types[binding.name] : undefined;
  if (binding.form === undefined || type === undefined) return type;
  if (!NUMBER_TYPES.has(binding.form.type)) return "other";
  return type === "boolean" ? "integer" : type;
}

/**
 * Whether an operand is a bound value whose type the database cannot tell.
 *
 * @param operand any operand
 */
export function needsType(operand: Expr): boolean {
  return isBound(operand) || (operand.kind === "literal" && typeof operand.val === "string");
}
