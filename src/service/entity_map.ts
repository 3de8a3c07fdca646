/**
 * The entities of a service by name.
 *
 * @module
 */

import type { LinkedEntity, LinkedModel, LinkedService } from "../model/linked.ts";
import { type CallableMap, callableMap } from "../util/callable_map.ts";

/** Entities of a service by local name; called with a namespace, those of the namespace. */
export type EntityMap = CallableMap<LinkedEntity, string, Readonly<Record<string, LinkedEntity>>>;

/** The maps made so far, by the linked definition they were made from. */
const ENTITIES: WeakMap<object, EntityMap> = new WeakMap();

/**
 * The entities of a service, or of the whole model.
 *
 * @param definition the service, if the model has it
 * @param model the model in effect
 * @returns the same map each time
 */
export function entityMap(definition: LinkedService | undefined, model: LinkedModel): EntityMap {
  const holder = definition ?? model;
  let entities = ENTITIES.get(holder);
  if (entities === undefined) {
    entities = callableMap(
      definition?.entities ?? model.entities(),
      (namespace) => model.entities(namespace),
    );
    ENTITIES.set(holder, entities);
  }
  return entities;
}
