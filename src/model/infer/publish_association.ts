/**
 * Associations in column lists: renaming, `redirected to` and infix filters change target, keys and condition
 * (csn-cqn 6, 11).
 *
 * @module
 */

import type { NestedColumn, RefStep, Xo } from "../../cqn/cqn.ts";
import { mapRefs } from "../../cqn/walk.ts";
import { copyElement, type Draft, type DraftElement } from "./draft.ts";
import { findInElements, structureOf } from "./element_path.ts";
import { stepName } from "../../cqn/steps.ts";

/** Where an association is selected from, and under which name. */
export interface Relocation {
  /** Its path in the entity that declares it. */
  readonly from: readonly string[];
  /** Its name in the view. */
  readonly to: string;
  /** The path from the source of the view to the entity that declares it. */
  readonly along: readonly string[];
}

/**
 * Puts the condition of an association in terms of another place: paths that start with the association get its new
 * name, all others run along the path to where it was. `$self` there is no row of the view, so the comparison with it
 * is written out.
 *
 * @param draft the model; keys are known
 * @param element the association, which is changed
 * @param relocation where it was and what it is called now
 */
export function relocateCondition(draft: Draft, element: DraftElement, relocation: Relocation): void {
  if (!element.on) return;
  const { from, to, along } = relocation;
  const on = along.length > 0 ? writtenOut(draft, { element, on: element.on }, from) : element.on;
  element.on = mapRefs(on, (ref) => {
    const steps = (ref as readonly RefStep[]).map(stepName); // paths hold steps only
    if (steps.length > from.length && from.every((step, i) => steps[i] === step)) {
      return [to, ...ref.slice(from.length)];
    }
    if (along.length === 0) return ref;
    if (steps[0] === "$self" && steps.length > 1) return [...along, ...ref.slice(1)];
    return steps[0].startsWith("$") ? ref : [...along, ...ref];
  });
}

/** `books.author = $self` as comparison of keys. */
function writtenOut(
  draft: Draft,
  { element, on }: { readonly element: DraftElement; readonly on: readonly Xo[] },
  from: readonly string[],
): Xo[] {
  const result: Xo[] = [];
  for (let i = 0; i < on.length; i++) {
    const token = on[i];
    const path = on[i + 1] === "=" ? backlinkPath(token, on[i + 2]) : undefined;
    const found = path && findInElements(draft, structureOf(draft, element), path.slice(from.length));
    if (found && "element" in found && found.element.keys) {
      const keys = found.element.keys.flatMap((key, index): Xo[] => [
        ...(index ? ["and"] : []),
        { ref: [...path, ...key.ref] },
        "=",
        { ref: key.ref },
      ]);
      result.push(on.length === 3 ? keys[0] : { xpr: keys }, ...(on.length === 3 ? keys.slice(1) : []));
      i += 2;
    } else if (typeof token === "object" && "xpr" in token && !("func" in token)) {
      result.push({ xpr: writtenOut(draft, { element, on: token.xpr }, from) });
    } else result.push(token);
  }
  return result;
}

/** The path that is compared with `$self`, in either order. */
function backlinkPath(left: Xo, right: Xo | undefined): string[] | undefined {
  const isSelf = (token: Xo | undefined) =>
    typeof token === "object" && "ref" in token && token.ref.length === 1 && token.ref[0] === "$self";
  const other = isSelf(right) ? left : isSelf(left) ? right : undefined;
  return typeof other === "object" && "ref" in other ? other.ref.map(stepName) : undefined;
}

/**
 * The view element of a selected association.
 *
 * @param element a copy of the association, its condition in terms of the view, which is changed
 * @param options the column, its name, and the path of the association in the source
 * @returns the element
 */
export function publishAssociation(
  element: DraftElement,
  options: { readonly column: NestedColumn; readonly name: string; readonly path: readonly string[] },
): DraftElement {
  const { column, name, path } = options;
  const cast = column.cast as DraftElement | undefined; // a cast has the properties of a type expression
  const last = column.ref?.[column.ref.length - 1];
  if (last !== undefined && typeof last !== "string") applyFilter(element, last, { name, path });
  if (typeof cast?.target !== "string") return element;
  element.target = cast.target;
  if (cast.on) {
    element.on = cast.on;
    delete element.keys;
  } else if (cast.keys) element.keys = copyElement(cast).keys;
  if (cast.cardinality) element.cardinality = cast.cardinality;
  return element;
}

function applyFilter(
  element: DraftElement,
  step: Exclude<RefStep, string>,
  at: { readonly name: string; readonly path: readonly string[] },
): void {
  if (step.cardinality) element.cardinality = { ...element.cardinality, ...step.cardinality };
  if (!step.where) return;
  const condition = element.on ?? managedCondition(element, at);
  const filter = mapRefs(step.where, (ref) => String(ref[0]).startsWith("$") ? ref : [at.name, ...ref]);
  element.on = [{ xpr: condition }, "and", { xpr: filter }];
  delete element.keys;
}

/** The condition of a managed association written out: the foreign keys stay with the original association. */
function managedCondition(
  element: DraftElement,
  at: { readonly name: string; readonly path: readonly string[] },
): Xo[] {
  return (element.keys ?? []).flatMap((key, index): Xo[] => [
    ...(index ? ["and"] : []),
    { ref: [at.name, ...key.ref] },
    "=",
    { ref: [...at.path, ...key.ref] },
  ]);
}
