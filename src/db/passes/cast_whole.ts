/**
 * Casts to whole numbers, which cut fractions.
 *
 * @module
 */

import type { CastType, Expression } from "../../cqn/cqn.ts";
import { INTEGER_TYPES } from "../../model/builtin_types.ts";
import { isBound, resolveReference, valueOf } from "./references.ts";
import { type Lowering, type Scope, stepName } from "./scope.ts";
import { typeOf } from "./type_of.ts";

/**
 * A cast as all databases carry it out: what may have a fraction loses it first.
 *
 * @param lowered an expression, lowered, with or without cast
 * @param type the built-in type of what is cast, if it is known
 */
export function castWhole(lowered: Expression, type: string | undefined): Expression {
  const { cast, ...others } = lowered as Expression & { readonly cast?: CastType };
  if (!INTEGER_TYPES.has(cast?.type) || INTEGER_TYPES.has(type) || type === "cds.Boolean") return lowered;
  const plain = others as Expression;
  if ("func" in plain && plain.func === "$trunc") return lowered;
  return Object.assign({ func: "$trunc", args: [plain] }, { cast });
}

/**
 * The built-in type of an operand, as far as casts need to know it.
 *
 * @param lowering the steps of lowering
 * @param expression an expression, not lowered
 * @param scope the scope it stands in
 * @returns undefined where it cannot be told
 */
export function operandType(lowering: Lowering, expression: Expression, scope: Scope): string | undefined {
  if ("val" in expression) {
    const { val } = expression;
    return typeof val === "number" && !Number.isInteger(val) ? "cds.Decimal" : "cds.Integer";
  }
  if ("ref" in expression) {
    if (isBound(expression)) return "cds.Integer"; // what is given says itself what it is
    if (stepName(expression.ref[0]).startsWith("$item")) return undefined;
    const { element, type } = valueOf(resolveReference(lowering, expression.ref, scope), expression.ref);
    return type ?? element?.$type.builtin;
  }
  const [only, ...others] = "xpr" in expression && !("func" in expression) ? expression.xpr : [];
  if (typeof only === "object" && others.length === 0) return operandType(lowering, only, scope);
  const { cast: _, ...plain } = expression as Expression & { readonly cast?: CastType };
  return typeOf(plain as Expression);
}
