/**
 * Values that become text: what they are joined with, and casts.
 *
 * @module
 */

import type { Expression, ValueExpression, Xo } from "../../cqn/cqn.ts";
import { isCalculation, kindOfNumber, runAt, type TokenPlace } from "./arithmetic.ts";
import { plainDecimal } from "../../util/plain_decimal.ts";
import { isText } from "./type_of.ts";
import { builtinOf, isLiteral } from "./value_type.ts";

/** Functions that give the text which a value has on all databases, by type. */
const TEXTS: Readonly<Record<string, string | undefined>> = {
  "cds.Decimal": "$decimal_text",
  "cds.DecimalFloat": "$decimal_text",
  "cds.Boolean": "$boolean_text",
  "cds.DateTime": "$datetime_text",
  "cds.Timestamp": "$timestamp_text",
  "cds.Date": "$plain_text",
  "cds.Time": "$plain_text",
};

/** Functions of texts, by how many of their first arguments are texts. */
const TEXT_ARGUMENTS: Readonly<Record<string, number>> = {
  ...{ concat: Infinity, contains: 2, startswith: 2, endswith: 2, indexof: 2, matchespattern: 1 },
  ...{ length: 1, substring: 1, tolower: 1, toupper: 1, lower: 1, upper: 1 },
  ...{ trim: 2, ltrim: 2, rtrim: 2, replace: 3 },
};

/**
 * Whether an argument of a function is taken as text, whatever it is.
 *
 * @param func name of the function in lower case
 * @param at place of the argument
 */
export function isTextArgument(func: string, at: number): boolean {
  return Object.hasOwn(TEXT_ARGUMENTS, func) && at < TEXT_ARGUMENTS[func]!;
}

/**
 * Whether an operand is taken as text, whatever it is: it is joined with one, or compared by `like`.
 *
 * @param tokens operands and operators
 * @param at place of the operand
 */
export function isTextOperand(tokens: readonly Xo[], at: number): boolean {
  const next = tokens[at + 1] === "not" ? tokens[at + 2] : tokens[at + 1];
  return tokens[at - 1] === "||" || tokens[at + 1] === "||" || next === "like";
}

/**
 * Calculations bind closer than `||`, which not all databases say: they become operands of their own.
 *
 * @param tokens operands and operators
 * @returns the same tokens where there is nothing to join
 */
export function withJoinedCalculations(tokens: readonly Xo[]): readonly Xo[] {
  if (!tokens.includes("||")) return tokens;
  const result: Xo[] = [];
  for (let at = 0; at < tokens.length;) {
    const run = runAt(tokens, at);
    const isJoined = tokens[at - 1] === "||" || tokens[at + run.length] === "||";
    if (isJoined && isCalculation(run)) result.push({ xpr: run });
    else result.push(...run.length > 0 ? run : [tokens[at]!]);
    at += Math.max(run.length, 1);
  }
  return result;
}

/**
 * A lowered value as it is joined with texts.
 *
 * @param given the value, not lowered
 * @param lowered the value
 * @param place what its names refer to
 */
export function asText(given: Expression, lowered: Expression, place: TokenPlace): Expression {
  const only = "xpr" in given && !("func" in given) && given.xpr.length === 1 ? given.xpr[0] : undefined;
  if (typeof only === "object" && !("cast" in given)) return asText(only, lowered, place);
  if (isLiteral(given) && typeof given.val !== "boolean") return literalText(given, lowered);
  if ("ref" in given && given.param && !("cast" in given)) return lowered;
  const kind = kindOfNumber(given, place);
  const own = builtinOf(given, place);
  const type = kind === "decimal" && !isText(own) ? "cds.Decimal" : own;
  const func = kind === "whole" ? "$plain_text" : type === undefined ? undefined : TEXTS[type];
  return func === undefined ? lowered : { func, args: [lowered] };
}

/** A number is written as the texts of values are. */
function literalText({ val }: ValueExpression, lowered: Expression): Expression {
  if (typeof val !== "number" && typeof val !== "bigint") return lowered;
  const { literal: _literal, ...others } = lowered as ValueExpression;
  return { ...others, val: plainDecimal(String(val)) };
}
