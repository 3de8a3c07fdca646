/**
 * What metadata says about flows: when an action is available, what it changes, and where users find it.
 *
 * @module
 */

import { flowOf, type FlowStatus } from "../flows/flow.ts";
import type { LinkedEntity, LinkedOperation } from "../linked.ts";

type Annotations = Map<string, unknown>;

/**
 * Adds to the annotations of a bound action what its flow says; what the model says itself wins.
 *
 * @param annotations the annotations of the action
 * @param operation the action
 */
export function addTransition(annotations: Annotations, operation: LinkedOperation): void {
  const flow = operation.$entity && flowOf(operation.$entity);
  const transition = flow?.transitions.get(operation.name);
  if (!flow || !transition) return;
  const status = ["in", flow.status.name];
  const { from, to } = transition;
  const isGiven = (term: string) => [...annotations.keys()].some((key) => key.startsWith(term));
  if (to !== undefined && !isGiven("Common.SideEffects")) {
    annotations.set("Common.SideEffects.TargetProperties", [status.join("/")]);
  }
  if (from && !isGiven("Core.OperationAvailable")) {
    annotations.set("Core.OperationAvailable", { "=": "", xpr: isOneOf(status, from) });
  }
}

function isOneOf(ref: readonly string[], statuses: readonly FlowStatus[]): readonly unknown[] {
  return statuses.flatMap(({ value }, index) => [
    ...(index > 0 ? ["or"] : []),
    { ref },
    "=",
    { val: value },
  ]);
}

/**
 * Adds to the annotations of an entity the buttons of its transitions, where the model arranges none.
 *
 * @param annotations the annotations of the type
 * @param entity the entity
 */
export function addTransitionButtons(annotations: Annotations, entity: LinkedEntity): void {
  const moving = [...flowOf(entity)?.transitions.values() ?? []].filter(({ to }) => to !== undefined);
  if (moving.length === 0) return;
  const buttons = moving.map(({ action }) => ({
    $Type: "UI.DataFieldForAction",
    Action: `${entity.$service?.name}.${action.name}`,
    Label: action["@Common.Label"] ?? action["@title"] ?? action.name,
  }));
  for (const term of ["UI.Identification", "UI.LineItem"]) {
    if (![...annotations.keys()].some((key) => key.startsWith(term))) annotations.set(term, buttons);
  }
}
