/**
 * What a value of a condition is compared with.
 *
 * @module
 */

import { COMPARISONS } from "../../cqn/comparisons.ts";
import type { Expression, Xo } from "../../cqn/cqn.ts";
import type { LinkedElement } from "../../model/linked.ts";
import type { ComparedForm } from "../compared_value.ts";
import { isBound, resolveReference } from "./references.ts";
import { builtinOf } from "./value_type.ts";
import type { Lowering, Scope } from "./scope.ts";

/** Between them stand operands that are compared with each other. */
const BOUNDARIES: ReadonlySet<unknown> = new Set(["and", "or", "then", "else"]);

/**
 * The nearest element, first to the left, within the same comparison.
 *
 * @param lowering the steps of lowering
 * @param at operands and operators, and the index of the value among them
 * @param scope the scope they stand in
 */
export function comparedElement(
  lowering: Lowering,
  { tokens, index }: { readonly tokens: readonly Xo[]; readonly index: number },
  scope: Scope,
): LinkedElement | undefined {
  if (isJoined(tokens, index)) return undefined;
  for (const step of [-1, 1]) {
    for (let at = index + step; at in tokens && !isBoundary(tokens, at); at += step) {
      const token = tokens[at];
      if (typeof token === "string" || !("ref" in token) || "cast" in token || isBound(token)) continue;
      if (isJoined(tokens, at)) continue;
      const found = resolveReference(lowering, token.ref, scope);
      if (found.kind === "column") return found.element;
    }
  }
  return undefined;
}

/**
 * What a value is compared with: the nearest element, or the function beside it.
 *
 * @param lowering the steps of lowering
 * @param at operands and operators, and the index of the value among them
 * @param scope the scope they stand in
 * @returns undefined where it is not known
 */
export function comparedForm(
  lowering: Lowering,
  at: { readonly tokens: readonly Xo[]; readonly index: number },
  scope: Scope,
): ComparedForm | undefined {
  const element = comparedElement(lowering, at, scope);
  if (element) {
    const { items, extended, builtin: type } = element.$type;
    return items || extended || type === undefined ? undefined : { type, name: element.name };
  }
  if (isJoined(at.tokens, at.index)) return undefined;
  const operand = comparedOperand(at);
  const type = operand && builtinOf(operand, { lowering, scope });
  return type === undefined ? undefined : { type };
}

/** What stands on the other side of the comparison: one token, or a case. */
function comparedOperand(
  { tokens, index }: { readonly tokens: readonly Xo[]; readonly index: number },
): Expression | undefined {
  if (COMPARISONS.has(tokens[index - 1])) {
    const operand = tokens[index - 2];
    if (isJoined(tokens, index - 2)) return undefined;
    if (operand !== "end") return typeof operand === "object" ? operand : undefined;
    const start = tokens.lastIndexOf("case", index - 2);
    return start < 0 ? undefined : { xpr: tokens.slice(start, index - 1) };
  }
  if (!COMPARISONS.has(tokens[index + 1])) return undefined;
  const operand = tokens[index + 2];
  if (isJoined(tokens, index + 2)) return undefined;
  if (operand !== "case") return typeof operand === "object" ? operand : undefined;
  const end = tokens.indexOf("end", index + 2);
  return end < 0 ? undefined : { xpr: tokens.slice(index + 2, end + 1) };
}

/** What is joined with a text has none of the forms of elements. */
function isJoined(tokens: readonly Xo[], at: number): boolean {
  return tokens[at - 1] === "||" || tokens[at + 1] === "||";
}

/** The `and` of `between` is none. */
function isBoundary(tokens: readonly Xo[], at: number): boolean {
  return BOUNDARIES.has(tokens[at]) && !(tokens[at] === "and" && tokens[at - 2] === "between");
}
