/**
 * Enum symbols in expressions: they stand for values of the element they are compared with (csn-cqn 7).
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import { isBound, resolveReference } from "./references.ts";
import type { Lowering, Scope } from "./scope.ts";
import { type EnumSymbols, symbolValue } from "./symbol_value.ts";

/** Between them stand operands that are compared with each other. */
const BOUNDARIES: ReadonlySet<unknown> = new Set(["and", "or", "then", "else"]);

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
    const symbols = comparedEnum(lowering, { tokens, index }, scope);
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

/** The symbols of the nearest element, first to the left, within the same comparison. */
function comparedEnum(
  lowering: Lowering,
  { tokens, index }: { readonly tokens: readonly Xo[]; readonly index: number },
  scope: Scope,
): EnumSymbols | undefined {
  for (const step of [-1, 1]) {
    for (let at = index + step; at in tokens && !BOUNDARIES.has(tokens[at]); at += step) {
      const token = tokens[at];
      if (typeof token === "string" || !("ref" in token) || isBound(token)) continue;
      const found = resolveReference(lowering, token.ref, scope);
      if (found.kind === "column") return found.element?.$type.enum;
    }
  }
  return undefined;
}
