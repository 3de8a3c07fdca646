/**
 * Keys of the target of a navigation that its source already fixes.
 *
 * @module
 */

import type { Xo } from "../../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import type { Binding } from "../shapes/bindings.ts";
import { type KeyBindings, urlKeys } from "./plan_keys.ts";

/**
 * Finds the keys that a key predicate behind a to-many navigation may leave out.
 *
 * @param element the navigation, whose condition ties keys of the target to the source
 * @param target its target
 * @param parent the key of the source, if known
 * @returns key names with the value taken from the parent where it is the same
 */
export function fixedKeys(
  element: LinkedElement,
  target: LinkedEntity,
  parent: KeyBindings | undefined,
): ReadonlyMap<string, Binding | undefined> {
  const tied = tiedNames(element);
  const fixed = new Map<string, Binding | undefined>();
  for (const key of urlKeys(target)) {
    if (tied.has(key.name)) fixed.set(key.name, parent?.get(tied.get(key.name) ?? ""));
    else if (key.foreignKey4 !== undefined && tied.get(key.foreignKey4) === "$self") {
      fixed.set(key.name, parent?.get(key.name.slice(key.foreignKey4.length + 1)));
    }
  }
  return fixed;
}

/** Names of the target by the name of the source (or `$self`) they are equal to: `texts.ID = ID`, `items.up_ = $self`. */
function tiedNames(element: LinkedElement): ReadonlyMap<string, string> {
  const tied = new Map<string, string>();
  const on: readonly Xo[] = element.on ?? [];
  for (let i = 1; i < on.length - 1; i++) {
    if (on[i] !== "=") continue;
    const [left, right] = [pathOf(on[i - 1]), pathOf(on[i + 1])];
    if (left === undefined || right === undefined) continue;
    const [inner, outer] = left[0] === element.name ? [left, right] : [right, left];
    if (inner[0] === element.name && outer[0] !== element.name) {
      tied.set(inner.slice(1).join("_"), outer.join("_"));
    }
  }
  return tied;
}

function pathOf(xo: Xo): readonly string[] | undefined {
  if (typeof xo === "string" || !("ref" in xo)) return undefined;
  const path = xo.ref.map((step) => typeof step === "string" ? step : step.id);
  return path[0] === "$self" && path.length > 1 ? path.slice(1) : path;
}
