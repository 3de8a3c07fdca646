import type { LinkedElement } from "./linked.ts";

/**
 * Whether rows get the value of an element from the framework when they are written; `null` takes the annotation back.
 *
 * @param annotated the element with the annotations in effect
 * @param event what happens to the row
 */
export function isFilledOn(annotated: LinkedElement, event: "insert" | "update"): boolean {
  const value = annotated[`@cds.on.${event}`];
  return value !== undefined && value !== null;
}

/** Whether rows get the value of an element from the framework when they are inserted, or when they are updated. */
export function isStamped(annotated: LinkedElement): boolean {
  return isFilledOn(annotated, "insert") || isFilledOn(annotated, "update");
}
