/**
 * Expressions that columns take their values from.
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
import { INTEGER_TYPES } from "../../model/builtin_types.ts";
import type { FlatElement } from "../../model/linked.ts";
import { kindOfNumber, type TokenPlace } from "./arithmetic.ts";
import { castWhole, operandType } from "./cast_whole.ts";

/**
 * Lowers an expression for a column: whole numbers lose the fraction, as with a cast, decimals have the digits behind the
 * point that are declared. Not all databases see to that themselves.
 *
 * @param expression any expression
 * @param column takes its value
 * @param place what its names refer to
 */
export function assigned(expression: Expression, { type }: FlatElement, place: TokenPlace): Expression {
  const { lowering, scope } = place;
  const lowered = lowering.expression(expression, scope);
  const { builtin, scale } = type;
  const isWhole = INTEGER_TYPES.has(builtin);
  if (!isWhole && (builtin !== "cds.Decimal" || typeof scale !== "number")) return lowered;
  if (!mayHaveFraction(expression, place)) return lowered;
  if (!isWhole) return { func: "$scaled", args: [lowered, { val: scale!, literal: "number" }] };
  return castWhole(Object.assign({ xpr: [lowered] }, { cast: { type: builtin! } }), undefined);
}

function mayHaveFraction(expression: Expression, place: TokenPlace): boolean {
  switch (kindOfNumber(expression, place)) {
    case "whole":
    case "unknown":
      return false;
    case "other":
      return operandType(place.lowering, expression, place.scope) === "cds.Double" ||
        isCalculation(expression);
  }
  return true;
}

/** Calculations with floating-point numbers. */
function isCalculation(expression: Expression): boolean {
  return "xpr" in expression && !("func" in expression) &&
    expression.xpr.some((token) => token === "+" || token === "-" || token === "*" || token === "/");
}
