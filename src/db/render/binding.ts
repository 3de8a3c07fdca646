/**
 * Values that statements are given.
 *
 * @module
 */

import type { Expression, ValueExpression } from "../../cqn/cqn.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import type { ComparedForm } from "../compared_value.ts";
import { isBound } from "../passes/references.ts";
import { stepName } from "../passes/scope.ts";
import type { FormedReference } from "../passes/stored_form.ts";
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
export function bindingOf({ ref, param, form }: FormedReference): Binding {
  const path = ref.map(stepName);
  const as = form === undefined ? undefined : { form };
  return param ? { kind: "param", name: path[0]!, ...as } : { kind: "variable", path, ...as };
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
export function needsType(operand: Expression): boolean {
  return ("ref" in operand && isBound(operand)) || ("val" in operand && typeof operand.val === "string");
}
