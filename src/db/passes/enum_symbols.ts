/**
 * Enum symbols in expressions: they stand for values of the element they are compared with (csn-cqn 7).
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import { comparedElement } from "./compared_element.ts";
import type { Lowering, Scope } from "./scope.ts";
import { symbolValue } from "./symbol_value.ts";

/**
 * Puts values in the place of symbols, also of those in lists.
 *
 * @param lowering the steps of lowering
 * @param tokens operands and operators
 * @param scope the scope they stand in
 * @returns the same tokens if there are no symbols among them
 */
export function withSymbols(lowering: Lowering, tokens: readonly Xo[], scope: Scope): readonly Xo[] {
  if (!tokens.some(hasSymbol)) return tokens;
  return tokens.map((token, index) => {
    if (!hasSymbol(token)) return token;
    const symbols = comparedElement(lowering, { tokens, index }, scope)?.$type.enum;
    if ("#" in token) return { ...token, ...symbolValue(token["#"], symbols) };
    const list = token.list.map((item) => "#" in item ? symbolValue(item["#"], symbols) : item);
    return { ...token, list };
  });
}

type Symbolic =
  | Extract<Expression, { readonly "#": string }>
  | Extract<Expression, { readonly list: unknown }>;

function hasSymbol(token: Xo): token is Symbolic {
  if (typeof token === "string") return false;
  return "#" in token || ("list" in token && token.list.some((item) => "#" in item));
}
