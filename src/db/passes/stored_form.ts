/**
 * Values in conditions: they take the form of the element or result that they are compared with.
 *
 * @module
 */

import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import { COMPARISONS } from "../../cqn/comparisons.ts";
import type { Expression, RefExpression, Scalar, Xo } from "../../cqn/cqn.ts";
import { type ComparedForm, comparedValue } from "../compared_value.ts";
import { comparedForm } from "./compared_element.ts";
import { isBound } from "./references.ts";
import type { Lowering, Scope } from "./scope.ts";

/** A value that a statement is given, and what it is compared with. */
export interface FormedReference extends RefExpression {
  readonly form?: ComparedForm;
}

/**
 * Gives values the form in which the element beside them is stored.
 *
 * @param lowering the steps of lowering
 * @param tokens operands and operators
 * @param scope the scope they stand in
 * @returns the same tokens if there are no such values among them
 * @throws ServiceError 400 for values that are none of the type of the element
 */
export function withStoredForm(lowering: Lowering, tokens: readonly Xo[], scope: Scope): readonly Xo[] {
  if (!tokens.some((token, index) => isGiven(token) && isCompared(tokens, index))) return tokens;
  return tokens.map((token, index) => {
    if (!isGiven(token) || !isCompared(tokens, index)) return token;
    const form = comparedForm(lowering, { tokens, index }, scope);
    if (form === undefined) return token;
    return "list" in token
      ? { ...token, list: token.list.map((one) => formed(one, form)) }
      : formed(token, form);
  });
}

function formed(given: Expression, form: ComparedForm): Expression {
  if (isBound(given)) return { ...given, form } as FormedReference;
  if (!("val" in given)) return given;
  const { val, literal } = given;
  // a number of more digits than a number holds
  if (literal === "number" && typeof val === "string" && NUMBER_TYPES.has(form.type)) return given;
  const value = Array.isArray(val)
    ? val.map((one) => comparedValue(one, form) as Scalar)
    : comparedValue(val, form) as Scalar;
  if (value === val) return given;
  const { literal: _literal, ...others } = given; // it told the form before
  return { ...others, val: value };
}

/** A value that stands in the query, or is given with it, or a list that may hold some. */
function isGiven(token: Xo): token is Expression {
  return typeof token === "object" && ("val" in token || "list" in token || isBound(token)) &&
    !("cast" in token);
}

function isCompared(tokens: readonly Xo[], index: number): boolean {
  const [before, after] = [tokens[index - 1], tokens[index + 1]];
  if (COMPARISONS.has(before) || COMPARISONS.has(after)) return true;
  // a case of a value, the bounds of a range
  if (before === "when") return after === "then" && tokens[0] === "case" && tokens[1] !== "when";
  if (before === "between") return after === "and";
  return before === "and" && tokens[index - 3] === "between";
}
