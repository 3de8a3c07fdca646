/**
 * The webhook that receives CloudEvents (CloudEvents HTTP 1.1 Web Hooks 1.0.2, sections 3 and 4).
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import { currentContext } from "../../context/store.ts";
import { User } from "../../context/user.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { Logger } from "../../log/logger.ts";
import { readBytes } from "../../service/wire/read_body.ts";
import { BoundedCache } from "../../util/bounded_cache.ts";
import { contentTag } from "../../util/content_tag.ts";
import { Deadlines } from "../../util/deadlines.ts";
import type { Delivery, Message, Subscription } from "../channel.ts";
import { readEvents } from "./event_format.ts";
import type { EventContext } from "../../context/event_context.ts";

/** What a receiver is made from. */
export interface ReceiverOptions {
  /** Bounds in effect. */
  readonly limits: Limits;
  /** Gets the details of failures. */
  readonly log: Logger;
  /** Roles one of which senders need. */
  readonly roles: readonly string[];
  /** The attribute that names the tenant of an event. */
  readonly tenantHeader: string | undefined;
}

type OnDelivery = (delivery: Delivery) => Promise<void>;

interface Consumer {
  readonly topics: ReadonlySet<string> | "*";
  readonly strays: boolean;
  readonly onDelivery: OnDelivery;
}

/** How a consumer settled an event. */
type Outcome = { readonly done: true } | { readonly dead: true } | { readonly delayMs: number };

/** Consumers of one group share its events. */
interface Group {
  readonly name: string;
  readonly consumers: Consumer[];
  next: number;
}

/** Events handled at once; senders are asked to wait beyond. */
const MAX_RUNNING = 100;
/** Events whose failed deliveries are counted. */
const MAX_COUNTED = 10_000;
/** When a sender is asked to come again while nobody receives. */
const AWAY_MS = 1_000;
const ALLOW = "OPTIONS, POST";

/** Answers the requests of senders when the handlers of their events are through. */
export class EventReceiver {
  readonly #options: ReceiverOptions;
  readonly #groups: Map<string, Group> = new Map();
  readonly #running: Set<Promise<unknown>> = new Set();
  /** Failed deliveries of events by group, source and id. */
  readonly #failed: BoundedCache<string, number> = new BoundedCache(MAX_COUNTED);
  readonly #deadlines: Deadlines;
  #isClosed = false;

  /** @param options limits and log */
  constructor(options: ReceiverOptions) {
    this.#deadlines = new Deadlines(options.limits.readingMs, false);
    this.#options = options;
  }

  /** Begins to hand events to a consumer. */
  add(
    { group: name, topics, strays = false }: Subscription,
    onDelivery: OnDelivery,
  ): { close(): Promise<void> } {
    const consumer: Consumer = { topics: topics === "*" ? "*" : new Set(topics), strays, onDelivery };
    const group = this.#groups.get(name) ?? { name, consumers: [], next: 0 };
    this.#groups.set(name, group);
    group.consumers.push(consumer);
    return {
      close: async () => {
        group.consumers.splice(group.consumers.indexOf(consumer), 1);
        await Promise.allSettled(this.#running);
      },
    };
  }

  /**
   * Answers a request: the handshake, or events.
   *
   * @param request the request
   * @returns 200 for a handshake, 204 for events that were handled or whose topic nobody wants, 422 for events that were
   *   given up, 503 for those to be sent again, all of them before the start and after the end,
   *   429 while too many are handled
   * @throws ServiceError 400, 403 for senders without the roles and events of another tenant, 405, 408, 413, 415
   */
  async answer(request: Request): Promise<Response> {
    const sender = currentContext();
    assertSender(this.#options.roles, sender);
    if (request.method === "OPTIONS") return handshake(request);
    if (request.method !== "POST") throw new ServiceError({ status: 405, allow: ALLOW });
    if (this.#isClosed) return again(503, AWAY_MS);
    if (this.#running.size >= MAX_RUNNING) return again(429, 1_000);
    const { limits } = this.#options;
    const body = await readBytes(request, { bytes: limits.messageBytes, deadlines: this.#deadlines });
    const messages = readEvents(request.headers, body, limits).map((message) => ({
      ...message,
      sender: sender?.user ?? User.anonymous,
    }));
    assertOwnTenant(messages, this.#options.tenantHeader, sender);
    const run = this.#handle(messages);
    this.#running.add(run);
    try {
      return toResponse(await run);
    } finally {
      this.#running.delete(run);
    }
  }

  /** Ends receiving, and waits for running handlers as long as given. */
  async close(drainMs: number): Promise<void> {
    this.#isClosed = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => timer = setTimeout(resolve, drainMs));
    await Promise.race([Promise.allSettled(this.#running), late]);
    clearTimeout(timer);
    this.#groups.clear();
  }

  async #handle(messages: readonly Message[]): Promise<readonly Outcome[]> {
    // The application starts: an event that was acknowledged now would be lost.
    if (this.#groups.size === 0) return [{ delayMs: AWAY_MS }];
    const outcomes: Outcome[] = [];
    for (const message of messages) {
      const groups = [...this.#groups.values()];
      outcomes.push(...await Promise.all(groups.map((group) => this.#deliver(group, message))));
      if (outcomes.some((one) => "delayMs" in one)) break;
    }
    return outcomes;
  }

  async #deliver(group: Group, message: Message): Promise<Outcome> {
    // A subscription is being replaced by a larger one.
    if (!isReceiving(group)) return { delayMs: AWAY_MS };
    const able = group.consumers.filter(({ topics, strays }) =>
      strays || topics === "*" || topics.has(message.topic)
    );
    if (able.length === 0) return { done: true };
    const { onDelivery } = able[group.next++ % able.length];
    const { source, id } = message.headers;
    const event = contentTag(JSON.stringify([group.name, source, id])); // ids may be long
    const failures = this.#failed.get(event) ?? 0;
    // a consumer that settles nothing wants the event again
    let outcome: Outcome = { delayMs: 0 };
    const settle = (settled: Outcome) => {
      outcome = settled;
      return Promise.resolve();
    };
    await onDelivery({
      message,
      deliveries: failures + 1,
      ack: () => settle({ done: true }),
      nack: ({ delayMs = 0, dead } = {}) => settle(dead ? { dead: true } : { delayMs }),
      extend: () => Promise.resolve(),
    }).catch((error) => this.#options.log.error(`Failed to take message ${message.topic}:`, error));
    this.#count(event, "delayMs" in outcome ? failures + 1 : 0);
    return outcome;
  }

  #count(event: string, failures: number): void {
    if (failures === 0) this.#failed.delete(event);
    else this.#failed.set(event, failures);
  }
}

function isReceiving({ consumers }: Group): boolean {
  return consumers.length > 0;
}

/** A sender asks whether it may send (section 4.1): whoever gets here may. */
function handshake(request: Request): Response {
  const origin = request.headers.get("webhook-request-origin");
  const headers = new Headers({ allow: ALLOW });
  if (origin !== null) {
    headers.set("webhook-allowed-origin", origin);
    if (request.headers.has("webhook-request-rate")) headers.set("webhook-allowed-rate", "*");
  }
  return new Response(null, { status: 200, headers });
}

function toResponse(outcomes: readonly Outcome[]): Response {
  const delays = outcomes.flatMap((one) => "delayMs" in one ? [one.delayMs] : []);
  if (delays.length > 0) return again(503, Math.max(...delays));
  return new Response(null, { status: outcomes.some((one) => "dead" in one) ? 422 : 204 });
}

function again(status: number, delayMs: number): Response {
  const seconds = Math.max(1, Math.ceil(delayMs / 1000));
  return new Response(null, { status, headers: { "retry-after": String(seconds) } });
}

/** The role that senders need where no other is configured. */
export const SENDER_ROLE = "event-sender";

/**
 * Refuses senders without any of the roles that the webhook requires.
 *
 * @param roles as in `@requires`
 * @param context the sender's
 * @throws ServiceError 403
 */
function assertSender(roles: readonly string[], context: EventContext | undefined): void {
  if (roles.some((role) => context?.user.is(role))) return;
  throw new ServiceError({ status: 403, cause: new Error(`Senders of events need: ${roles.join(", ")}`) });
}

/**
 * Refuses events of other tenants than that of the sender. Other instances and parts of the application send for all
 * tenants.
 *
 * @param messages the events
 * @param tenantHeader the attribute that names the tenant, if there is one
 * @param context the sender's
 * @throws ServiceError 403
 */
function assertOwnTenant(
  messages: readonly Message[],
  tenantHeader: string | undefined,
  context: EventContext | undefined,
): void {
  if (tenantHeader === undefined || context?.tenant === undefined) return;
  if (context.user.is("internal-user")) return;
  const named = messages.map(({ headers }) => headers[tenantHeader]);
  if (named.some((tenant) => tenant !== undefined && tenant !== context.tenant)) {
    throw new ServiceError({ status: 403, cause: new Error("Events of another tenant were sent") });
  }
}
