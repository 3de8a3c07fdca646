/**
 * Instants, days and times of day in conditions: they take the form of the element they are compared with.
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import { isTemporal, temporalText } from "../../util/temporal_text.ts";
import { comparedElement } from "./compared_element.ts";
import type { Lowering, Scope } from "./scope.ts";

/** How instants, days and times of day begin. */
const TEMPORAL = /^\d\d(?:\d\d-\d\d-\d\d|:\d\d)/;

/**
 * Gives values the form in which the element beside them is stored.
 *
 * @param lowering the steps of lowering
 * @param tokens operands and operators
 * @param scope the scope they stand in
 * @returns the same tokens if there are no such values among them
 */
export function withTemporalValues(lowering: Lowering, tokens: readonly Xo[], scope: Scope): readonly Xo[] {
  if (!tokens.some(holdsTemporal)) return tokens;
  return tokens.map((token, index) => {
    if (!holdsTemporal(token)) return token;
    const type = comparedElement(lowering, { tokens, index }, scope)?.$type.builtin;
    if (!isTemporal(type)) return token;
    const formed = (one: Expression): Expression =>
      isTemporalValue(one) ? { ...one, val: temporalText(one.val, type) } : one;
    return "list" in token ? { ...token, list: token.list.map(formed) } : formed(token);
  });
}

function holdsTemporal(token: Xo): token is Expression {
  if (typeof token === "string") return false;
  return isTemporalValue(token) || ("list" in token && token.list.some(isTemporalValue));
}

function isTemporalValue(
  token: Expression,
): token is Extract<Expression, { readonly val: unknown }> & { readonly val: string | Date } {
  if (!("val" in token)) return false;
  return token.val instanceof Date || (typeof token.val === "string" && TEMPORAL.test(token.val));
}
