/**
 * Handlers that wait for events that nobody declares.
 *
 * @module
 */

import type { LinkedModel } from "../model/linked.ts";
import type { Service } from "../service/service.ts";
import { nearestName } from "../util/nearest_name.ts";
import { type EventDefinition, topicOf } from "./event_topic.ts";

/** Names of events, as handlers are registered for them. */
type EventNames = "*" | ReadonlySet<string>;

/**
 * Definitions of events by topic.
 *
 * @param model the linked model
 */
export function declaredEvents(model: LinkedModel): ReadonlyMap<string, EventDefinition> {
  return model.derived(declaredEvents, () =>
    new Map(
      Object.values(model.definitions).filter(({ kind }) => kind === "event")
        .map((event) => [topicOf(event as EventDefinition), event as EventDefinition]),
    ));
}

/**
 * Tells of handlers on a service that runs elsewhere: what its model does not declare does not come from there; metadata of OData
 * has no events.
 *
 * @param service the service
 * @param given what they wait for
 * @returns a remark for each
 */
export function undeclaredEvents(service: Service, given: EventNames): readonly string[] {
  const { name, definition, operations, events } = service;
  if (!definition || given === "*") return [];
  const isDeclared = (event: string) =>
    Object.hasOwn(events, event) || Object.hasOwn(operations, event) ||
    [...definition.entities].some(({ actions }) => Object.hasOwn(actions, event));
  return [...given].filter((event) => event !== event.toUpperCase() && !isDeclared(event)).map((event) => {
    const near = nearestName(event, Object.keys(events));
    return `${name}: a handler waits for "${event}", which the model of the service does not declare, so no message calls it` +
      (near
        ? `; did you mean "${near}"?`
        : `: extend service ${definition.name} with { event ${event} { … } }`);
  });
}

/**
 * Tells of topics that are almost those of declared events, or are local names of some. Others may come from anywhere.
 *
 * @param service a messaging service
 * @param topics what handlers wait for
 * @returns a remark for each
 */
export function mistypedTopics({ name, model }: Service, topics: EventNames): readonly string[] {
  if (topics === "*") return [];
  const declared = declaredEvents(model);
  return [...topics].flatMap((topic) => {
    if (topic === "*" || declared.has(topic)) return [];
    const local = [...declared].find(([, event]) => event.name.endsWith(`.${topic}`));
    const near = local ? local[0] : nearestName(topic, declared.keys());
    return near === undefined ? [] : [
      `${name}: a handler waits for "${topic}", which the model does not declare; did you mean "${near}"?`,
    ];
  });
}
