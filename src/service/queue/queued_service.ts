/**
 * Services whose calls go through the outbox (`api` 1).
 *
 * @module
 */

import type { Query, QueryParams } from "../../cqn/cqn.ts";
import {
  type EmitProperties,
  eventName,
  sendArguments,
  type SendProperties,
} from "../requests/send_properties.ts";
import type { Service } from "../service.ts";
import { ServiceEvent } from "../requests/service_event.ts";
import { ServiceRequest, type ServiceRequestProperties } from "../requests/service_request.ts";
import { type QueuedWork, queueOf, type WorkQueue } from "./work_queue.ts";
import { encodeBase64 } from "../../util/bytes.ts";

/** What decides by itself how its calls are queued: a messaging service. */
interface QueueAware extends Service {
  /** Whether emitted events go through the outbox. */
  readonly isQueued: boolean;
}

const ORIGINAL: WeakMap<object, Service> = new WeakMap();

/**
 * A service whose `emit`, `send` and `run` are stored with the transaction of the caller, and done after its commit: again
 * and again until they succeed. They give no result. Its `flush` does what is due at once.
 *
 * @param service the service
 * @throws ConfigurationError without an outbox
 */
export function queued<S extends Service>(service: S): S {
  const original = (ORIGINAL.get(service) ?? service) as S;
  const queue = queueOf(original);
  const own = isQueueAware(original)
    ? Object.create(original, { isQueued: { value: true }, flush: { value: () => queue.flush() } })
    : Object.create(original, membersOf(original, queue));
  ORIGINAL.set(own, original);
  return own;
}

/**
 * The service without outbox: calls are made at once. Events of messaging services leave after the commit, but are kept
 * in memory until then.
 *
 * @param service the service
 */
export function unqueued<S extends object>(service: S): S {
  const original = (ORIGINAL.get(service) ?? service) as S;
  if (!isQueueAware(original) || !original.isQueued) return original;
  const own = Object.create(original, { isQueued: { value: false } });
  ORIGINAL.set(own, original);
  return own;
}

function isQueueAware(service: object): service is QueueAware {
  return "isQueued" in service;
}

function membersOf({ name: service }: Service, queue: WorkQueue): PropertyDescriptorMap {
  const put = async (work: Omit<QueuedWork, "service">) => await queue.enqueue({ ...work, service });
  const emit = (
    event: string | { readonly name: string } | EmitProperties,
    data?: unknown,
    headers?: Headers,
  ) => {
    const isWhole = typeof event === "object" && event !== null && "event" in event;
    const given = isWhole ? event : { event, data, headers };
    return put({ kind: "emit", event: eventName(given.event), data: given.data, headers: given.headers });
  };
  const send = (request: string | SendProperties, data?: unknown, headers?: Headers) =>
    typeof request === "string" && typeof data !== "string"
      ? put({ kind: "send", event: eventName(request), data, headers })
      : put({ kind: "send", request: sendArguments(request, data, headers) });
  const run = (query: Query | readonly Query[], params?: QueryParams) => {
    if (typeof query === "function") throw new TypeError("A function cannot be queued, only queries");
    return put({ kind: "run", query: plain(query), params });
  };
  const dispatch = (given: ServiceEvent | ServiceRequestProperties) => {
    if (!(given instanceof ServiceEvent)) return dispatch(new ServiceRequest(given));
    const { event, data, messageHeaders: headers } = given;
    if (!(given instanceof ServiceRequest)) return emit({ event, data, headers });
    const { query } = given;
    return query && Object.keys(query).length > 0 ? run(query) : send(event, data, headers);
  };
  const flush = () => queue.flush();
  return Object.fromEntries(
    Object.entries({ emit, send, run, dispatch, flush }).map(([name, value]) => [name, { value }]),
  );
}

type Headers = Readonly<Record<string, unknown>>;

/** Queries as they are stored: what is bound to a service loses its methods, values get the forms they have in JSON. */
function plain(query: Query | readonly Query[]): Query | readonly Query[] {
  // the value itself is asked for, as `Buffer` has a form of its own
  const text = JSON.stringify(query, function (this: Readonly<Record<string, unknown>>, name, member) {
    return storedForm(this[name], member);
  });
  return JSON.parse(text);
}

/** Values that JSON has no form for, as databases take them in text. */
function storedForm(value: unknown, member: unknown): unknown {
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "number" || Number.isFinite(value)) return member;
  return Number.isNaN(value) ? "NaN" : value > 0 ? "INF" : "-INF";
}
