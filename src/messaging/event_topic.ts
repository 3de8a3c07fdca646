/**
 * Topics of events (spec 2.7): the fully qualified event name unless `@topic` is set.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

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
