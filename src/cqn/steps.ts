import type { EntityRef, RefStep } from "./cqn.ts";

/** The name of a step. */
export function stepName(step: string | { readonly id: string }): string {
  return typeof step === "string" ? step : step.id;
}

/** The steps of the path to an entity, which may be its name only. */
export function stepsTo(entity: EntityRef): readonly RefStep[] {
  return typeof entity === "string" ? [entity] : entity.ref;
}

/**
 * How many steps of a path spell the name of an entity, in full or without its namespace.
 *
 * @param ref the path
 * @param name the full name
 * @returns 0 unless the path starts with the name and goes on behind it
 */
export function stepsOfName(ref: readonly unknown[], name: string): number {
  const segments = name.split(".");
  const isSpelt = ref.length > segments.length && segments.every((segment, index) => ref[index] === segment);
  if (isSpelt) return segments.length;
  return ref.length > 1 && ref[0] === segments.at(-1) ? 1 : 0;
}

/** First steps of pseudo variables; `$valid` is the older name of `$at`. */
export const PSEUDO_VARIABLES: ReadonlySet<string> = new Set([
  "$now",
  "$user",
  "$tenant",
  "$at",
  "$valid",
  "$locale",
]);
