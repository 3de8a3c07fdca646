/**
 * Topics of events (spec 2.7): the fully qualified event name unless `@topic` is set.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import type { LinkedElements, LinkedModel } from "../model/linked.ts";
import type { Service } from "../service/service.ts";
import { nearestName } from "../util/nearest_name.ts";
import { payloadViolations } from "../service/validation/validate_input.ts";
import { ServiceEvent } from "../service/requests/service_event.ts";

/** What this file reads of the definition of an event. */
export interface EventDefinition {
  /** Full name. */
  readonly name: string;
  /** The topic, if it is not the name. */
  readonly "@topic"?: unknown;
  /** Elements of the payload. */
  readonly elements?: Iterable<{ readonly name: string; readonly key?: boolean }>;
}

/** The topic of a declared event. */
export function topicOf(event: EventDefinition): string {
  const topic = event["@topic"];
  return typeof topic === "string" && topic.length > 0 ? topic : event.name;
}

/**
 * Refuses topics that no channel can carry.
 *
 * @param topic the topic
 * @param limit characters it may have
 * @throws ServiceError for an empty or too long topic, and for one with white space or control characters
 */
export function assertTopic(topic: string, limit: number): void {
  if (topic.length > 0 && topic.length <= limit && !/[\s\p{Cc}]/u.test(topic)) return;
  const reason = topic.length === 0
    ? "is empty"
    : topic.length > limit
    ? `has more than ${limit} characters`
    : "holds white space or control characters";
  throw new ServiceError({
    status: 500,
    code: "BAD_TOPIC",
    message: `The name of event ${JSON.stringify(topic.slice(0, 100))} ${reason}`,
    unrecoverable: true,
  });
}

/**
 * The value that keeps messages in order: the header `partitionkey`, else the values of the declared key elements.
 *
 * @param headers headers of the message
 * @param data its payload
 * @param event the definition of the event
 */
export function partitionKey(
  headers: Readonly<Record<string, unknown>>,
  data: unknown,
  event?: EventDefinition,
): string | undefined {
  if (typeof headers.partitionkey === "string" && headers.partitionkey) return headers.partitionkey;
  const keys = event ? keysOf(event) : [];
  if (keys.length === 0 || typeof data !== "object" || data === null) return undefined;
  const values = keys.map((name) => (data as Record<string, unknown>)[name]);
  if (values.some((value) => value === undefined || value === null)) return undefined;
  return values.length === 1 ? String(values[0]) : JSON.stringify(values);
}

/** Names of the key elements of events that were emitted. */
const KEYS: WeakMap<EventDefinition, readonly string[]> = new WeakMap();

function keysOf(event: EventDefinition): readonly string[] {
  let keys = KEYS.get(event);
  if (keys === undefined) {
    keys = [...event.elements ?? []].filter((element) => element.key).map((element) => element.name);
    KEYS.set(event, keys);
  }
  return keys;
}

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

/**
 * What is wrong with a payload, as the configuration of the messaging service wants to know it: with `payloads: "log"` (the
 * default) it goes to the log only, with `"pass"` nobody looks.
 *
 * @param service the messaging service
 * @param data the payload
 * @param definition definition of the event, if it is declared
 * @returns the fault of a payload that is to be rejected
 */
export function payloadFault(
  { host, options, name }: Service,
  data: unknown,
  definition: EventDefinition | undefined,
): string | undefined {
  const { payloads = "log" } = options;
  if (payloads === "pass" || !definition?.elements) return undefined;
  // elements of linked definitions
  const violations = payloadViolations(data, definition.elements as LinkedElements, host);
  if (violations.length === 0) return undefined;
  const list = violations.map(({ target, code }) => target ? `${target} (${code})` : String(code)).join(", ");
  const fault = `The payload of ${definition.name} does not match its declaration: ${list}`;
  if (payloads === "reject") return fault;
  host.log("messaging").warn(`${name}: ${fault}`);
  return undefined;
}

/** The error of an emitter whose payload is rejected. */
export function badPayload(message: string): ServiceError {
  return new ServiceError({ status: 500, code: "BAD_PAYLOAD", message, unrecoverable: true });
}

/** An event that came from a channel. */
export class ReceivedEvent extends ServiceEvent {
  /** Tells handlers of a messaging service that the message came in; that of an emitted one has no such member. */
  readonly inbound = true as const;
}
