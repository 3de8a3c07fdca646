/**
 * Steps of paths: texts, or objects with a name and what stands behind it in brackets.
 *
 * @module
 */

import type { EntityRef, RefStep } from "./cqn.ts";

/** The name of a step. */
export function stepName(step: string | { readonly id: string }): string {
  return typeof step === "string" ? step : step.id;
}

/** The steps of the path to an entity, which may be its name only. */
export function stepsTo(entity: EntityRef): readonly RefStep[] {
  return typeof entity === "string" ? [entity] : entity.ref;
}
