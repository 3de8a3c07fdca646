/**
 * Names of elements in what is written.
 *
 * @module
 */

import { withCallerFrames } from "../../util/caller_frames.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { nearestName } from "../../util/nearest_name.ts";
import type { ElementShape, EntityShape } from "../query_runner.ts";

/** Elements by name, of an entity or a structure. */
type ElementsShape = Pick<EntityShape, "elements" | "$flat">;

/**
 * Refuses a row with members that are no elements: they would be lost. Members that are undefined count as missing, and those
 * with `@` in their names as control information.
 *
 * @param call how the call reads: `UPDATE(Books).set(…)`; asked for where something is wrong with it
 * @param row the row
 * @param shape definition of the entity; without it nothing is known
 * @throws TypeError with the nearest name
 */
export function assertElements(call: () => string, row: object, shape: EntityShape | undefined): void {
  if (shape !== undefined) assertMembers(call, row, { elements: shape, name: shape.name });
}

/**
 * Refuses what is no element of an entity.
 *
 * @param call how the call reads; asked for where something is wrong with it
 * @param path name of the element, or a path with dots
 * @param shape definition of the entity; without it nothing is known
 * @throws TypeError with the nearest name
 */
export function assertElement(call: () => string, path: string, shape: EntityShape | undefined): void {
  if (shape === undefined || path.includes("@")) return;
  const isKnown = path.includes(".")
    ? hasElement(shape, path.split(".")[0]) || hasElement(shape, path.replaceAll(".", "_"))
    : hasElement(shape, path);
  if (!isKnown) throw unknownElement(call, path, { elements: shape, name: shape.name });
}

interface Place {
  readonly elements: ElementsShape;
  /** Name of the entity, with the path of a structure. */
  readonly name: string;
}

function assertMembers(call: () => string, row: object, place: Place): void {
  for (const [name, value] of Object.entries(row)) {
    if (value === undefined || name.includes("@")) continue;
    if (!hasElement(place.elements, name)) throw unknownElement(call, name, place);
    if (typeof value !== "object" || value === null) continue;
    const inner = membersOf(place.elements.elements[name], `${place.name}:${name}`);
    if (!inner) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (isPlainObject(one)) assertMembers(call, one, inner);
    }
  }
}

/** What nested rows may hold. */
function membersOf(element: ElementShape | undefined, path: string): Place | undefined {
  if (element?.$target) return { elements: element.$target, name: element.$target.name };
  const elements = element?.elements ?? element?.$type?.elements;
  return elements && { elements: { elements }, name: path };
}

function hasElement({ elements, $flat }: ElementsShape, name: string): boolean {
  return $flat?.has(name) === true || Object.hasOwn(elements, name);
}

function unknownElement(call: () => string, name: string, { elements, name: entity }: Place): unknown {
  const near = nearestName(
    name,
    new Set([...Object.keys(elements.elements), ...elements.$flat?.keys() ?? []]),
  );
  const text = `Unknown element "${name}" of "${entity}" in ${call()}${
    near ? `, the nearest is "${near}"` : ""
  }`;
  return withCallerFrames(new TypeError(text));
}
