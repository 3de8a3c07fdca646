/**
 * The consumers of one group in one process.
 *
 * @module
 */

import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from "@nats-io/jetstream";
import { nanos, type NatsConnection } from "@nats-io/transport-node";
import type { Limits } from "../../../config/limits.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Delivery, Message, Subscription } from "../../channel.ts";
import { writeDeadLetter, writeReference } from "../../dead_letter.ts";
import type { Incoming } from "../delivery_window.ts";
import { GroupDeliveries } from "../consumer_set.ts";
import { decodeAttribute, encodeAttribute } from "../../http/event_format.ts";
import { fromNats, groupOfNats, isTooLarge } from "./nats_message.ts";
import type { NatsNames } from "./nats_names.ts";
import { PARTITIONS } from "./nats_names.ts";

/** Messages of a group that wait for the end of their handler or for their next delivery at most. */
const MAX_PENDING = 10_000;
/** JetStream error: a consumer of that name exists with other settings. */
const CONSUMER_EXISTS = 10148;
/** Messages that are fetched beyond those that are handled at once. */
const AHEAD = 64;
/** Messages that are remembered as done. */
const REMEMBERED = 1_000;

/** What a consumer is made from. */
export interface NatsConsumerOptions {
  readonly connection: NatsConnection;
  /** How long closing waits for the server. */
  readonly timeoutMs: number;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly names: NatsNames;
  readonly subscription: Subscription;
  readonly onDelivery: (delivery: Delivery) => Promise<void>;
  readonly limits: Limits;
  /** Time after which the server gives a message to another instance; it is renewed under work. */
  readonly ackWaitMs: number;
  readonly log: Logger;
}

/**
 * Fetches messages for a group. Those without key are shared by all instances; each partition of those with a key has one
 * message under way at most, so the server itself keeps their order, whoever dies.
 */
export class NatsConsumer {
  readonly #options: NatsConsumerOptions;
  readonly #deliveries: GroupDeliveries;
  readonly #fetching: ConsumerMessages[] = [];
  /** Deliveries of the messages that are here: the newest one counts. */
  readonly #here: Map<string, number> = new Map();
  /** Messages that are done: an acknowledgement that was lost or late is repeated. */
  readonly #done: Set<string> = new Set();

  /** @param options connection, group and handler */
  constructor(options: NatsConsumerOptions) {
    this.#options = options;
    this.#deliveries = new GroupDeliveries(options, options.ackWaitMs / 3);
  }

  /** Creates the consumers of the group where they are missing, and begins to fetch. */
  async open(): Promise<void> {
    const { client, names, subscription: { group, concurrency } } = this.#options;
    const partitions = [undefined, ...Array.from({ length: PARTITIONS }, (_, n) => n)];
    await Promise.all(partitions.map((partition) => this.#ensureConsumer(partition)));
    for (const partition of partitions.slice(this.#fetching.length)) {
      const consumer = await client.consumers.get(names.stream, names.consumer(group, partition));
      this.#fetching.push(
        await consumer.consume({
          max_messages: partition === undefined ? concurrency + AHEAD : AHEAD,
          callback: (message) => this.#accept(message),
        }),
      );
    }
  }

  /** Ends fetching, waits for running handlers, gives the rest back. */
  async close(): Promise<void> {
    await Promise.all(this.#fetching.map((messages) => messages.close()));
    // The server must know that nobody fetches any more, or what is given back would go to the closed inbox.
    await this.#flush();
    await this.#deliveries.window.close();
    await this.#flush();
  }

  /** Waits until the server has taken everything that was sent; not while it is away. */
  async #flush(): Promise<void> {
    const { connection, timeoutMs } = this.#options;
    if (connection.isClosed()) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<void>((resolve) => timer = setTimeout(resolve, timeoutMs));
    await Promise.race([connection.flush().catch(() => {}), timeout]);
    clearTimeout(timer);
  }

  async #ensureConsumer(partition: number | undefined): Promise<void> {
    const { manager, names, ackWaitMs, subscription: { group } } = this.#options;
    const durable_name = names.consumer(group, partition);
    const settings = {
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: partition === undefined ? MAX_PENDING : 1,
    };
    try {
      await manager.consumers.add(names.stream, {
        ...{ ...settings, durable_name, filter_subject: names.filter(partition), max_deliver: -1 },
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== CONSUMER_EXISTS) throw error;
      await manager.consumers.update(names.stream, durable_name, settings);
    }
  }

  #accept(raw: JsMsg): void {
    const { names, limits } = this.#options;
    const topic = names.topic(raw.subject);
    if (!this.#deliveries.wants(topic) || !this.#isFor(groupOfNats(raw.headers))) return raw.ack();
    if (this.#done.has(placeOf(raw))) return raw.ack();
    const { message, fault } = fromNats(raw, { names, limits });
    this.#deliveries.accept(this.#toIncoming(raw, message), fault);
  }

  #acknowledge(raw: JsMsg): void {
    if (this.#done.size >= REMEMBERED) this.#done.delete(this.#done.values().next().value!);
    this.#done.add(placeOf(raw));
    raw.ack();
  }

  /** A message that was given up and is tried again is for one group only. */
  #isFor(group: unknown): boolean {
    return group === undefined || decodeAttribute(String(group)) === this.#options.subscription.group;
  }

  #toIncoming(raw: JsMsg, message: Message): Incoming {
    const { log, ackWaitMs } = this.#options;
    const place = placeOf(raw);
    const { deliveryCount: deliveries } = raw.info;
    let heldUntil = performance.now() + ackWaitMs;
    // After this process stood still, the server has given the message to somebody else, or will do so.
    const isStale = () =>
      performance.now() >= heldUntil || this.#here.get(place) !== deliveries || this.#done.has(place);
    const leave = () => void (this.#here.get(place) === deliveries && this.#here.delete(place));
    const settled = (settle: () => void) => {
      leave();
      settle();
      return Promise.resolve();
    };
    this.#here.set(place, deliveries);
    return {
      message,
      deliveries,
      ack: () => settled(() => this.#acknowledge(raw)),
      dead: async (reason, attempts) => {
        log.error(`Gave up message ${message.topic} after ${attempts} deliveries: ${reason}`);
        await this.#storeLetter(raw, message, { attempts, reason });
        await settled(() => this.#acknowledge(raw));
      },
      release: () => settled(() => raw.nak()),
      delay: (ms) => settled(() => raw.nak(ms)),
      extend: () => {
        if (isStale()) return Promise.resolve();
        heldUntil = performance.now() + ackWaitMs;
        raw.working();
        return Promise.resolve();
      },
      isStale,
      forgotten: leave,
    };
  }

  /**
   * As JSON, a message may have six times its bytes: where the server does not take that, the letter says where it is. A letter
   * whose confirmation was lost is recognized when it is sent again.
   */
  async #storeLetter(raw: JsMsg, message: Message, { attempts, reason }: End): Promise<void> {
    const { client, names, subscription: { group } } = this.#options;
    const subject = names.dead(group);
    const once = { msgID: encodeAttribute(`${subject} ${placeOf(raw)}`) };
    try {
      await client.publish(subject, writeDeadLetter(message, attempts, reason), once);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      await client.publish(subject, writeReference(raw.seq, attempts, reason), once);
    }
  }
}

interface End {
  readonly attempts: number;
  readonly reason: string;
}

/** A message in its stream; a server that lost its last messages gives their numbers again, at another time. */
function placeOf({ seq, info: { timestampNanos } }: JsMsg): string {
  return `${seq} ${timestampNanos}`;
}
