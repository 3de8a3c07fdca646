/**
 * Truth values, instants, days and times of day in conditions: they take the form of the element they are compared with.
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import { booleanOf } from "../../util/boolean_of.ts";
import { isTemporal, temporalText } from "../../util/temporal_text.ts";
import { comparedElement } from "./compared_element.ts";
import type { Lowering, Scope } from "./scope.ts";

/** How instants, days and times of day begin. */
const TEMPORAL = /^\d\d(?:\d\d-\d\d-\d\d|:\d\d)/;
/** What stands between a Boolean and a value that is compared with it; other operators take numbers and text as such. */
const COMPARISONS: ReadonlySet<unknown> = new Set(["=", "==", "!=", "<>", "<", "<=", ">", ">=", "in"]);

type ValueExpression = Extract<Expression, { readonly val: unknown }>;

/**
 * Gives values the form in which the element beside them is stored.
 *
 * @param lowering the steps of lowering
 * @param tokens operands and operators
 * @param scope the scope they stand in
 * @returns the same tokens if there are no such values among them
 */
export function withStoredForm(lowering: Lowering, tokens: readonly Xo[], scope: Scope): readonly Xo[] {
  if (!tokens.some((token) => holds(token, isTemporalValue) || holds(token, isTruthValue))) return tokens;
  return tokens.map((token, index) => {
    const isTruth = holds(token, isTruthValue) && isCompared(tokens, index);
    if (typeof token === "string" || (!isTruth && !holds(token, isTemporalValue))) return token;
    const type = comparedElement(lowering, { tokens, index }, scope)?.$type.builtin;
    const formed = (one: Expression): Expression => "val" in one ? formedValue(one, type, isTruth) : one;
    return "list" in token ? { ...token, list: token.list.map(formed) } : formed(token);
  });
}

function formedValue(value: ValueExpression, type: string | undefined, isTruth: boolean): Expression {
  if (isTemporal(type) && isTemporalValue(value)) return { ...value, val: temporalText(value.val, type) };
  return isTruth && type === "cds.Boolean" && isTruthValue(value)
    ? { ...value, val: booleanOf(value.val)! }
    : value;
}

function isCompared(tokens: readonly Xo[], index: number): boolean {
  return COMPARISONS.has(tokens[index - 1]) || COMPARISONS.has(tokens[index + 1]);
}

function holds(token: Xo, isOne: (one: ValueExpression) => boolean): boolean {
  if (typeof token === "string") return false;
  if ("list" in token) return token.list.some((one) => "val" in one && isOne(one));
  return "val" in token && isOne(token);
}

function isTemporalValue(
  value: ValueExpression,
): value is ValueExpression & { readonly val: string | Date } {
  const { val } = value;
  return val instanceof Date || (typeof val === "string" && TEMPORAL.test(val));
}

/** A truth value in a form other than its own. */
function isTruthValue({ val }: ValueExpression): boolean {
  return typeof val !== "boolean" && booleanOf(val) !== undefined;
}
