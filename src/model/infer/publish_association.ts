/**
 * Associations in column lists: renaming, `redirected to` and infix filters change target, keys and condition
 * (csn-cqn 6, 11).
 *
 * @module
 */

import type { NestedColumn, RefStep, Xo } from "../../cqn/cqn.ts";
import { copyElement, type DraftElement, mapRefs, stepNames } from "./draft.ts";

/**
 * The view element of a selected association.
 *
 * @param element a copy of the association, which is changed
 * @param options the column, its name, and the path of the association in the source
 * @returns the element
 */
export function publishAssociation(
  element: DraftElement,
  options: { readonly column: NestedColumn; readonly name: string; readonly path: readonly string[] },
): DraftElement {
  const { column, name, path } = options;
  const cast = column.cast as DraftElement | undefined; // a cast has the properties of a type expression
  if (element.on) element.on = renameAssociation(element.on, path, name);
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

/** Paths of the condition that start with the association get its new name. */
function renameAssociation(on: readonly Xo[], path: readonly string[], name: string): Xo[] {
  return mapRefs(on, (ref) => {
    const steps = stepNames(ref as readonly RefStep[]); // paths hold steps only
    const starts = path.every((step, index) => steps[index] === step);
    return starts && steps.length > path.length ? [name, ...ref.slice(path.length)] : ref;
  });
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
