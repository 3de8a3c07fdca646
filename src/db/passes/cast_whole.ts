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
  const { cast } = lowered as { readonly cast?: CastType };
  if (!INTEGER_TYPES.has(cast?.type) || INTEGER_TYPES.has(type) || type === "cds.Boolean") return lowered;
  return "func" in lowered && lowered.func === "$trunc" ? lowered : callOf("$trunc", lowered);
}

/** What may stand beside an expression. */
interface Beside {
  readonly cast?: CastType;
  readonly as?: string;
  readonly sort?: "asc" | "desc";
  readonly nulls?: "first" | "last";
}

/**
 * A function of a lowered expression.
 *
 * @param func its name
 * @param lowered its argument
 * @returns the call; alias, sort order and cast stay beside it
 */
export function callOf(func: string, lowered: Expression): Expression {
  const { cast, as, sort, nulls, ...plain } = lowered as Expression & Beside;
  const beside = { ...(cast && { cast }), ...(as && { as }), ...(sort && { sort }), ...(nulls && { nulls }) };
  return Object.assign({ func, args: [plain as Expression] }, beside);
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
