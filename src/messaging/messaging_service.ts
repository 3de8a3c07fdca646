/**
 * Messaging services (spec 6.3): ordinary services over one channel.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { runBriefly } from "../context/store.ts";
import { runAfter, runBefore } from "../service/handlers/phases.ts";
import type { EmitProperties } from "../service/requests/send_properties.ts";
import { dispatchOnce, Service, type ServiceOptions } from "../service/service.ts";
import { ServiceEvent } from "../service/requests/service_event.ts";
import { ServiceRequest, type ServiceRequestProperties } from "../service/requests/service_request.ts";
import { runInTransaction, transactionOf } from "../service/transactions/transaction.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { andThen, type MaybePromise, orElse } from "../util/maybe_promise.ts";
import { applicationName, consumerGroup } from "./consumer_group.ts";
import type { Backlog, Channel, DeadLetters, Delivery, Message } from "./channel.ts";
import {
  assertTopic,
  badPayload,
  declaredEvents,
  mistypedTopics,
  payloadFault,
  ReceivedEvent,
  topicOf,
  undeclaredEvents,
} from "./event_topic.ts";
import { cloudEventFault, droppedHeaders, sourceOf } from "./cloud_events.ts";
import { Exchange } from "./exchange.ts";
import { DuplicateMessage, identityOf, type Inbox } from "./inbox/inbox.ts";
import { logPayload } from "./message_json.ts";
import { enqueue, messageOf, promiseBeside, workOf } from "./queued_message.ts";
import { contextOf, type HeaderOptions, tenantFault, toMessage } from "./message_headers.ts";
import { type QueueTarget, rulesOf } from "./outbox/queue_model.ts";
import type { StoredWork } from "./outbox/stored_work.ts";
import { retryDelayMs } from "./retry_delay.ts";

const DEFAULT_MAX_ATTEMPTS = 10;

/** What a messaging service is made from. */
export interface MessagingServiceOptions extends ServiceOptions {
  /** What carries the messages. */
  readonly channel: Channel;
  /** Knows what was handled already; without it duplicates are handled again. */
  readonly inbox?: (group: string) => Inbox;
  /** Pause before the next delivery after a number of failed ones; default: growing up to ten minutes. */
  readonly retryDelayMs?: (attempts: number) => number;
}

/** A service whose events an inbound topic belongs to. */
interface Receiver {
  readonly service: Service;
  readonly event: string;
}

/**
 * Emits messages to a channel and receives them. Low level: `emit(topic, data, headers?)`, `on(topic, handler)`. Conceptual
 * level: declared events of services, see `forward` and `receive`. `before` and `after` handlers see messages of both
 * directions; received ones have `inbound: true`.
 */
export class MessagingService extends Service {
  /** The connection to the channel. */
  readonly exchange: Exchange;
  /** The channel. */
  readonly channel: Channel;
  /** Does what is stored in the outbox for this service. */
  readonly queueTarget: QueueTarget;
  readonly #receivers: Map<string, Receiver[]> = new Map();
  readonly #inbox: Inbox | undefined;

  /**
   * Creates a messaging service; `start` connects it.
   *
   * @param options name, runtime, configuration entry and channel
   */
  constructor(options: MessagingServiceOptions) {
    super(options);
    const { concurrency } = this.options;
    this.channel = options.channel;
    const ownGroup = groupOf(this);
    this.#inbox = this.options.inboxed === false ? undefined : options.inbox?.(ownGroup);
    this.queueTarget = {
      publish: (works) => this.#publish(works),
      handle: (work) =>
        work.kind === "receive"
          ? this.#deliver(messageOf(work))
          : this.emit(work.event!, work.data, work.headers),
      rules: rulesOf(this),
    };
    this.exchange = new Exchange({
      name: this.name,
      channel: options.channel,
      group: ownGroup,
      concurrency: typeof concurrency === "number" ? concurrency : 1,
      log: this.host.log("messaging"),
      waitingMessages: this.host.limits.waitingMessages,
      retryDelayMs: options.retryDelayMs ?? retryDelayMs,
      onDelivery: (delivery) => this.#receive(delivery, options.retryDelayMs ?? retryDelayMs),
    });
    this.handlers.adding = (phase, { events }) => {
      if (phase !== "on") return;
      for (const event of events === "*" ? ["*"] : events) this.exchange.addTopic(event);
      this.#tell(mistypedTopics(this, events));
    };
  }

  /** Whether emitted messages go through the outbox: they do if there is one, unless `outboxed` is `false`. */
  get isQueued(): boolean {
    return this.host.queue !== undefined && this.options.outboxed !== false;
  }

  /** The messages that this service gave up, as far as its channel keeps and shows them. */
  get deadLetters(): DeadLetters | undefined {
    return this.channel.deadLetters?.(groupOf(this));
  }

  /** The consumer group of the application. */
  get group(): string {
    return groupOf(this);
  }

  /** What waits in the channel for the group of the application, where the channel can tell. */
  async backlog(): Promise<Backlog | undefined> {
    return await this.channel.backlog?.(groupOf(this));
  }

  /** Connects to the channel and begins to receive. */
  async start(): Promise<void> {
    const isInMemory = this.isQueued ? await this.host.queue!.isVolatile() : undefined;
    const outbox = !this.isQueued ? "none" : isInMemory ? "in memory" : "durable";
    await this.exchange.start(
      promiseBeside(this.channel, { outbox, isInboxed: this.options.inboxed === true }),
    );
  }

  /**
   * Ends receiving and closes the channel.
   *
   * @param options how long running handlers may take
   */
  async close(options: { readonly drainMs: number } = { drainMs: 5_000 }): Promise<void> {
    await this.exchange.close(options.drainMs);
  }

  /**
   * Emits a message: it is stored in the outbox with the current transaction, and leaves after its commit. Without outbox it
   * is kept in memory until then; without a transaction the promise then resolves when the channel has stored it. After a
   * rollback it never leaves.
   *
   * @param event topic, definition of an event, or all in one object
   * @param data payload
   * @param headers headers of the message
   */
  override async emit(
    event: string | { readonly name: string } | EmitProperties,
    data?: unknown,
    headers?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const given = typeof event === "object" && "event" in event ? event : { event, data, headers };
    const topic = typeof given.event === "string" ? given.event : topicOf(given.event);
    // Without headers of its own, an event would have those of the HTTP request.
    const properties = { data: given.data, headers: given.headers ?? {}, context: this.context };
    await this.dispatch(new ServiceEvent({ ...properties, event: topic }));
  }

  /**
   * Takes a message to the channel, or a received one to its handlers.
   *
   * @param given the event
   */
  override async dispatch(given: ServiceEvent | ServiceRequestProperties): Promise<unknown> {
    const req = given instanceof ServiceEvent ? given : new ServiceRequest(given);
    if (req instanceof ReceivedEvent || transactionOf(req)) return await super.dispatch(req);
    await super.dispatch(req);
    const message = DIRECT.get(req);
    if (message) await this.exchange.publish([message]);
  }

  /**
   * Runs the phases: of a received message all, of an emitted one `before`, sending, `after`.
   *
   * @param req the event
   */
  override runPhases(req: ServiceEvent): MaybePromise<unknown> {
    if (req instanceof ReceivedEvent) return super.runPhases(req);
    return orElse<unknown>(() => send(this, req), (error) => {
      throw this.failed(req, error);
    });
  }

  /** What is sent stores no more than a row; handlers of the application may do anything. */
  override needsContext(req: ServiceEvent): boolean {
    return req instanceof ReceivedEvent ||
      HANDLED.some((phase) => this.handlers.for(phase, req).length > 0);
  }

  /**
   * Forwards the declared events of a served service to the channel under their topics (spec 6.3.2).
   *
   * @param served a service of this application
   */
  forward(served: Service): void {
    for (const event of served.events) {
      const topic = topicOf(event);
      served.on(event.name, (req) => {
        if (req instanceof ReceivedEvent) return;
        const { data, messageHeaders: headers } = req;
        return take(this, new ServiceEvent({ event: topic, data, headers, context: req }));
      });
    }
  }

  /**
   * Subscribes for the declared events of a service that runs elsewhere, as soon as handlers are registered on it; they
   * see the local name of the event (spec 6.3.2).
   *
   * @param remote a required service
   */
  receive(remote: Service): void {
    const topics = new Map(
      [...remote.events].map((event) => [remote.localEvent(event.name), topicOf(event)]),
    );
    const subscribe = (event: string, topic: string) => {
      const receivers = this.#receivers.get(topic) ?? [];
      if (receivers.some((one) => one.service === remote && one.event === event)) return;
      this.exchange.addTopic(topic);
      this.#receivers.set(topic, [...receivers, { service: remote, event }]);
    };
    for (const [event, topic] of topics) {
      if (remote.handlers.for("on", { event }).length > 0) subscribe(event, topic);
    }
    const before = remote.handlers.adding;
    remote.handlers.adding = (phase, entry) => {
      before?.(phase, entry);
      const { events } = entry;
      if (phase !== "on") return;
      this.#tell(undeclaredEvents(remote, events));
      for (const [event, topic] of topics) if (events === "*" || events.has(event)) subscribe(event, topic);
    };
  }

  #tell(remarks: readonly string[]): void {
    for (const remark of remarks) this.host.log("messaging").warn(remark);
  }

  async #receive(delivery: Delivery, delayMs: (attempts: number) => number): Promise<void> {
    const { message, deliveries } = delivery;
    const { topic, data } = message;
    const log = this.host.log("messaging");
    const fault = this.#faultOf(message);
    if (fault) {
      log.error(`Refused message ${topic.slice(0, this.host.limits.eventName)}: ${fault}`);
      return await this.#bury(delivery, fault);
    }
    const receivers = this.#receivers.get(topic) ?? [];
    if (receivers.length === 0 && this.handlers.for("on", { event: topic }).length === 0) {
      log.warn(`No handler for message ${topic}`);
      const isDead = this.options.noHandler === "dead";
      return await (isDead ? this.#bury(delivery, "No handler") : delivery.ack());
    }
    const context = contextOf(message, headerOptions(this));
    runBriefly(context, () => log.info("received", topic, logPayload(data)));
    try {
      await this.#settle(message, context);
    } catch (error) {
      if (error instanceof DuplicateMessage) return await delivery.ack();
      const reason = error instanceof Error ? error.stack ?? error.message : String(error);
      const isUnrecoverable = (error as { unrecoverable?: unknown } | undefined)?.unrecoverable === true;
      const dead = isUnrecoverable || deliveries >= maxAttempts(this);
      const text = `Handling message ${topic} failed, attempt ${deliveries}${dead ? ", given up" : ""}:`;
      runBriefly(context, () => log.error(text, error));
      return await (dead
        ? this.#bury(delivery, reason)
        : delivery.nack({ delayMs: delayMs(deliveries), reason }));
    }
    await delivery.ack();
  }

  /**
   * Handles a message, or stores it for later (`inboxed`), in one root transaction with its row in the inbox.
   *
   * @throws DuplicateMessage if it was handled before
   */
  async #settle(message: Message, context: EventContext): Promise<void> {
    const queue = this.host.queue?.isFor(context.tenant) ? this.host.queue : undefined;
    const inbox = queue && this.#inbox;
    const identity = inbox && identityOf(message);
    await runInTransaction(context, async () => {
      if (identity && await inbox.has(identity)) throw new DuplicateMessage();
      if (queue && this.options.inboxed === true) await queue.enqueue(workOf(this, message, "receive"));
      else await this.#deliver(message);
      if (identity) await inbox.record(identity);
    }, this.rootOptions);
  }

  /** Channels that keep no dead letters leave them to the outbox. */
  async #bury(delivery: Delivery, reason: string): Promise<void> {
    const { message, deliveries: attempts } = delivery;
    const context = contextOf(message, headerOptions(this));
    const { queue } = this.host;
    if (this.channel.guarantees.deadLetters || !queue?.isFor(context.tenant)) {
      return await delivery.nack({ dead: true, reason });
    }
    const bury = () => queue.bury(workOf(this, message, "receive"), { attempts, reason });
    await runInTransaction(context, bury, this.rootOptions);
    await delivery.ack();
  }

  /** Runs the handlers of this service and of the services the event belongs to, in the current transaction. */
  async #deliver({ topic, data, headers }: Message): Promise<void> {
    const context = this.context;
    await this.dispatch(new ReceivedEvent({ event: topic, data, headers, context }));
    for (const { service, event } of this.#receivers.get(topic) ?? []) {
      await service.dispatch(new ReceivedEvent({ event, data, headers, context }));
    }
  }

  /** Hands stored messages to the channel they were stored for, as long as there still is a route, else by the routes of now. */
  async #publish(works: readonly StoredWork[]): Promise<void> {
    const channelOf = ({ event, channel = "" }: StoredWork) =>
      this.channel.routesOf?.(event!).get(channel) ?? this.channel;
    for (const [channel, some] of Map.groupBy(works, channelOf)) {
      await this.exchange.publish(some.map(messageOf), channel);
    }
  }

  #faultOf(message: Message): string | undefined {
    const { topic, headers, data } = message;
    const { eventName } = this.host.limits;
    if (topic.length > eventName) return `The name of the event has more than ${eventName} characters`;
    const fault = headers.specversion === undefined ? undefined : cloudEventFault(headers);
    return fault ?? tenantFault(message, headerOptions(this)) ??
      payloadFault(this, data, declaredEvents(this.model).get(topic));
  }
}

/** Takes an event of the transaction of its emitter to the channel. */
function take(service: MessagingService, event: ServiceEvent): MaybePromise<unknown> {
  const isOwn = service.dispatch === MessagingService.prototype.dispatch;
  return isOwn ? dispatchOnce(service, event) : service.dispatch(event);
}

function send(service: MessagingService, req: ServiceEvent): MaybePromise<void> {
  assertTopic(req.event, service.host.limits.eventName);
  service.channel.assertRoute?.(req.event);
  return andThen(runBefore(service, req), () => andThen(hand(service, req), () => runAfter(service, req)));
}

/** Gives a message to the outbox, or keeps it until the commit. */
function hand(service: MessagingService, req: ServiceEvent): MaybePromise<void> {
  const transaction = transactionOf(req)!;
  const definition = declaredEvents(service.model).get(req.event);
  const fault = payloadFault(service, req.data, definition);
  if (fault) throw badPayload(fault);
  const message = toMessage(req, headerOptions(service), definition);
  warnAboutDropped(service, req);
  const { queue } = service.host;
  if (service.isQueued && queue!.isFor(req.tenant)) return enqueue(service, queue!, message);
  // A transaction that was begun for this event alone ends before dispatch returns: then it is published.
  if (transaction.context === req) DIRECT.set(req, message);
  else service.exchange.publishAfterCommit(transaction, message);
}

/** Phases of an emitted message, and what is called when it fails. */
const HANDLED = ["before", "after", "error"] as const;

/** Messages of events that were emitted outside of a transaction. */
const DIRECT: WeakMap<ServiceEvent, Message> = new WeakMap();

function groupOf(service: Service): string {
  const { name, options, host: { env: { requires } } } = service;
  const application = applicationName(service.host);
  return consumerGroup({ name, options, application, requires: isPlainObject(requires) ? requires : {} });
}

function maxAttempts({ options }: Service): number {
  return typeof options.maxAttempts === "number" ? options.maxAttempts : DEFAULT_MAX_ATTEMPTS;
}

function headerOptions(service: Service): HeaderOptions {
  const { format, source, tenantHeader } = service.options;
  return {
    format: format === "cloudevents" ? "cloudevents" : "json",
    source: typeof source === "string" ? source : sourceOf(applicationName(service.host)),
    tenantHeader: typeof tenantHeader === "string" ? tenantHeader : undefined,
    trace: service.host.telemetry?.headers(),
  };
}

function warnAboutDropped(service: Service, req: ServiceEvent): void {
  if (service.options.format !== "cloudevents") return;
  const names = droppedHeaders(req.messageHeaders);
  if (names.length === 0) return;
  const message = `Headers of ${req.event} are no CloudEvents attributes: ${names.join(", ")}`;
  service.host.log("messaging").warn(message);
}
