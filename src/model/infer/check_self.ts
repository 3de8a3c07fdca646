/**
 * Uses of `$self` as a whole: only associations that lead back can be compared with it (csn-cqn 5).
 *
 * @module
 */

import type { RefStep, Xo } from "../../cqn/cqn.ts";
import { type Draft, type DraftElement, modelError } from "./draft.ts";
import { structureOf } from "./element_path.ts";
import { stepName } from "../../cqn/steps.ts";

/** An association and its name. */
export interface NamedElement {
  readonly key: string;
  readonly element: DraftElement;
}

/**
 * Checks the comparisons with `$self` in the condition of an association.
 *
 * @param draft the model
 * @param on the condition
 * @param association its association
 */
export function checkSelf(draft: Draft, on: readonly Xo[], association: NamedElement): void {
  for (const [index, token] of on.entries()) {
    if (typeof token === "string") continue;
    if ("xpr" in token && !("func" in token)) checkSelf(draft, token.xpr, association);
    if (!isSelf(token)) continue;
    const others = [
      on[index + 1] === "=" ? on[index + 2] : undefined,
      on[index - 1] === "=" ? on[index - 2] : undefined,
    ];
    if (others.some((other) => leadsBack(draft, other, association))) continue;
    const text =
      `"$self" of "${association.key}" can be compared only, by "=", with an association of its target`;
    draft.problems.catch(modelError(text, token as object as DraftElement, association.element)); // it carries its place as elements do
  }
}

function isSelf(token: Xo): boolean {
  return typeof token === "object" && "ref" in token && token.ref.length === 1 &&
    (token.ref[0] === "$self" || token.ref[0] === "$projection");
}

/** `$self.items` is the element `items` of the row itself. */
function isOwn(ref: readonly RefStep[]): boolean {
  return ref.length > 1 && (ref[0] === "$self" || ref[0] === "$projection");
}

function leadsBack(draft: Draft, other: Xo | undefined, { key, element }: NamedElement): boolean {
  if (typeof other !== "object" || !("ref" in other)) return false;
  const [first, ...path] = other.ref.map(stepName).slice(isOwn(other.ref) ? 1 : 0);
  if (first !== key) return false;
  let current: DraftElement | undefined = element;
  for (const [index, step] of path.entries()) {
    if (index > 0 && current?.target !== undefined) return false;
    current = current && structureOf(draft, current)?.[step];
    if (!current) return true; // told as unresolved path
  }
  return path.length > 0 && current?.target !== undefined;
}
