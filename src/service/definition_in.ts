import type { LinkedEntity, LinkedModel, LinkedService } from "../model/linked.ts";
import { type CallableMap, callableMap } from "../util/callable_map.ts";

/** A service with the definition it was made from. */
export interface DefinedService {
  /** Where it runs, with the model without toggles and extensions. */
  readonly host: { readonly model: LinkedModel };
  /** In that model; undefined for services without definition. */
  readonly baseDefinition: LinkedService | undefined;
}

/**
 * The definition of a service in one of the models of its runtime.
 *
 * @param model that of whoever asks
 * @param service the service
 */
export function definitionIn(
  model: LinkedModel,
  { host, baseDefinition: base }: DefinedService,
): LinkedService | undefined {
  return base === undefined || model === host.model ? base : model.service(base.name) ?? base;
}

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
