/**
 * The consumer of one group in one process.
 *
 * @module
 */

import type { Redis } from "ioredis";
import type { Limits } from "../../../config/limits.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Delivery, Message, Subscription } from "../../channel.ts";
import { writeDeadLetter } from "../../dead_letter.ts";
import type { BrokerOptions } from "../broker_options.ts";
import type { Incoming } from "../delivery_window.ts";
import { GroupDeliveries } from "../consumer_set.ts";
import { connectRedis, KeyLease } from "./connect_redis.ts";
import {
  type Claim,
  claimPending,
  createGroups,
  fieldsOf,
  fromFields,
  type RedisNames,
  removeConsumer,
  streamEntries,
  type StreamEntry,
} from "./redis_message.ts";
import { pause } from "../../../util/time.ts";

/** Messages that are fetched beyond those that are handled at once; those that wait for their next delivery count. */
const AHEAD = 256;
/** How long one read waits for messages; closing waits as long. */
const BLOCK_MS = 200;
/** How often messages of dead instances and the lease are looked after at most. */
const CARE_MS = 1_000;
const PAUSE_MS = 100;
/** Reads messages with a key for the holder of the lease. */
const READ_KEYED = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
return redis.call('XREADGROUP', 'GROUP', ARGV[2], ARGV[1], 'COUNT', ARGV[3], 'STREAMS', KEYS[2], '>')`;

/** Stores a dead letter and ends its message; both or none. */
const STORE_DEAD = `redis.call('XADD', KEYS[1], 'MINID', '~', ARGV[1], '*', 'letter', ARGV[2])
return redis.call('XACK', KEYS[2], ARGV[3], ARGV[4])`;

/** What a consumer is made from. */
export interface RedisConsumerOptions {
  readonly redis: Redis;
  readonly broker: BrokerOptions;
  readonly names: RedisNames;
  readonly subscription: Subscription;
  readonly onDelivery: (delivery: Delivery) => Promise<void>;
  readonly limits: Limits;
  readonly log: Logger;
}

/**
 * Reads the messages of a group. Those without key are shared by all instances; those with a key are read by the instance
 * that holds the lease, which takes over everything that the one before has left.
 */
export class RedisConsumer {
  readonly #options: RedisConsumerOptions;
  readonly #name: string = crypto.randomUUID();
  readonly #deliveries: GroupDeliveries;
  readonly #lease: KeyLease;
  /** Entries that are here, by stream and id. */
  readonly #held: Set<string> = new Set();
  /** Connections that wait for messages, and what waits. */
  readonly #readers: Redis[] = [];
  readonly #reading: Promise<void>[] = [];
  /** Term of the lease in which this instance has everything that was left behind before. */
  #term: number | undefined;
  #caring: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** @param options connection, group and handler */
  constructor(options: RedisConsumerOptions) {
    const { redis, names, broker, subscription: { group } } = options;
    this.#options = options;
    this.#deliveries = new GroupDeliveries(options, broker.ackWaitMs / 3);
    this.#lease = new KeyLease(redis, {
      key: names.lease(group),
      token: this.#name,
      leaseMs: broker.ackWaitMs,
    });
  }

  /** Creates the group where it is missing, and begins to read. */
  async open(): Promise<void> {
    const { broker, log } = this.#options;
    // May be called again after a failure.
    while (this.#readers.length < 2) this.#readers.push(await connectRedis(broker, { log }));
    const [plain, keyed] = this.#readers;
    await this.#createGroups();
    await this.#care();
    this.#scheduleCare();
    this.#reading.push(this.#readPlain(plain), this.#readKeyed(keyed));
  }

  /** Ends reading, waits for running handlers, gives back the rest. */
  async close(): Promise<void> {
    const { redis, names, subscription: { group } } = this.#options;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#caring;
    const closing = this.#deliveries.window.close();
    await Promise.all(this.#reading);
    await closing;
    for (const reader of this.#readers) reader.disconnect();
    try {
      // What was not handled goes to the next one at once.
      await removeConsumer(redis, { streams: [names.plain, names.keyed], group, consumer: this.#name });
      await this.#lease.release();
    } catch (error) {
      this.#options.log.warn("Cannot take leave of Redis:", (error as Error).message);
    }
  }

  /** Reads messages without key, of which every instance takes some. */
  #readPlain(reader: Redis): Promise<void> {
    const { names, subscription: { group } } = this.#options;
    const options = (count: number) => ["GROUP", group, this.#name, "COUNT", count, "BLOCK", BLOCK_MS];
    return this.#repeat(async (count) => {
      const answer = await reader.call("XREADGROUP", [...options(count), "STREAMS", names.plain, ">"]);
      this.#acceptAll(answer);
    });
  }

  /** Reads messages with a key while the lease is held, which Redis itself checks at every read. */
  #readKeyed(reader: Redis): Promise<void> {
    const { names, subscription: { group } } = this.#options;
    let last = "$";
    return this.#repeat(async (count) => {
      if (!this.#lease.isHeld) return await pause(PAUSE_MS);
      if (this.#term !== this.#lease.term) return await this.#takeOver();
      try {
        const keys = [names.lease(group), names.keyed];
        const answer = await reader.eval(READ_KEYED, keys.length, ...keys, this.#name, group, count);
        const read = this.#acceptAll(answer);
        // Only waits: what comes is read by the next step.
        if (read) last = read;
        else {
          const options = ["COUNT", 1, "BLOCK", BLOCK_MS, "STREAMS", names.keyed, last];
          // What another instance has read already is there at once, again and again.
          if (await reader.call("XREAD", options) !== null) last = "$";
        }
      } catch (error) {
        // An answer may have been lost: what it held comes before everything that is read from now on.
        this.#term = undefined;
        throw error;
      }
    });
  }

  /** All that is pending was left behind, by others or by a lost answer, and comes before everything new. */
  async #takeOver(): Promise<void> {
    const { redis, names, subscription: { group } } = this.#options;
    const { term } = this.#lease;
    const claim: Claim = { stream: names.keyed, group, consumer: this.#name, idleMs: 0 };
    const claimed = await claimPending(redis, claim);
    if (this.#lease.term !== term) return;
    // What did not begin yet stands among the claimed, in the right place.
    this.#deliveries.window.forget(({ key }) => key !== undefined);
    this.#term = term;
    for (const { entry, deliveries } of claimed) this.#accept(names.keyed, entry, deliveries);
  }

  async #repeat(read: (count: number) => Promise<void>): Promise<void> {
    const { log, subscription: { concurrency } } = this.#options;
    const limit = concurrency + AHEAD;
    while (!this.#isClosed) {
      await this.#deliveries.window.hasRoom(limit);
      if (this.#isClosed) return;
      try {
        await read(Math.max(1, limit - this.#deliveries.window.size));
      } catch (error) {
        if (this.#isClosed) return;
        log.debug("Cannot read from Redis, trying again:", (error as Error).message);
        if (/NOGROUP/.test((error as Error).message)) await this.#createGroups().catch(() => {});
        await pause(PAUSE_MS);
      }
    }
  }

  /** Takes the entries of an answer; gives the id of the last one. */
  #acceptAll(answer: unknown): string | undefined {
    let last: string | undefined;
    for (const [stream, entries] of streamEntries(answer)) {
      for (const entry of entries) {
        this.#accept(stream, entry, 1);
        last = entry[0];
      }
    }
    return last;
  }

  #scheduleCare(): void {
    const { ackWaitMs } = this.#options.broker;
    this.#timer = setTimeout(() => {
      this.#caring = this.#care().catch((error) =>
        this.#options.log.debug("Cannot reach Redis:", (error as Error).message)
      ).finally(() => this.#isClosed || this.#scheduleCare());
    }, Math.min(CARE_MS, ackWaitMs / 4));
  }

  /** Keeps the lease, and takes over messages without key of instances that are gone. */
  async #care(): Promise<void> {
    const { redis, names, broker: { ackWaitMs }, subscription: { group } } = this.#options;
    await this.#lease.keep();
    const claim: Claim = { stream: names.plain, group, consumer: this.#name, idleMs: ackWaitMs };
    for (const { entry, deliveries } of await claimPending(redis, claim)) {
      this.#accept(names.plain, entry, deliveries);
    }
  }

  #accept(stream: string, [id, fields]: StreamEntry, deliveries: number): void {
    const { limits, log, subscription: { group } } = this.#options;
    const held = `${stream} ${id}`;
    if (this.#held.has(held)) return;
    const values = fields === null ? undefined : fieldsOf(fields);
    const isWanted = values !== undefined && this.#deliveries.wants(values.topic ?? "") &&
      (values.group ?? group) === group;
    if (!isWanted) {
      // Removed by the retention, or of no interest to this group.
      this.#acknowledge(stream, id).catch((error) => log.debug("Cannot pass over a message:", error));
      return;
    }
    const { message, fault } = fromFields(values, limits);
    const incoming = this.#toIncoming({ stream, id, held }, message, deliveries);
    this.#held.add(held);
    this.#deliveries.accept(incoming, fault);
  }

  #toIncoming(place: Place, message: Message, deliveries: number): Incoming {
    const { redis, names, log, broker, subscription: { group } } = this.#options;
    const { stream, id, held } = place;
    const isKeyed = stream === names.keyed;
    const end = async (settle: () => Promise<unknown>) => {
      try {
        await settle();
      } catch (error) {
        // It is pending still; those with a key are taken over together, as at the beginning of a term.
        if (isKeyed) {
          await pause(PAUSE_MS);
          this.#term = undefined;
        }
        throw error;
      } finally {
        this.#held.delete(held);
      }
    };
    return {
      message,
      deliveries,
      ack: () => end(() => this.#acknowledge(stream, id)),
      dead: (reason, attempts) => {
        log.error(`Gave up message ${message.topic} after ${attempts} deliveries: ${reason}`);
        const letter = writeDeadLetter(message, attempts, reason);
        const oldest = Math.max(0, Date.now() - broker.retentionMs);
        return end(() => redis.eval(STORE_DEAD, 2, names.dead(group), stream, oldest, letter, group, id));
      },
      // Given back together with the name of this consumer.
      release: () => end(() => Promise.resolve()),
      extend: async () => void await redis.xclaim(stream, group, this.#name, 0, id, "JUSTID"),
      forgotten: () => void this.#held.delete(held),
      ...isKeyed ? { isStale: () => this.#term !== this.#lease.term } : {},
    };
  }

  async #acknowledge(stream: string, id: string): Promise<void> {
    await this.#options.redis.xack(stream, this.#options.subscription.group, id);
  }

  async #createGroups(): Promise<void> {
    const { redis, names, subscription: { group } } = this.#options;
    await createGroups(redis, [names.plain, names.keyed], group);
  }
}

interface Place {
  readonly stream: string;
  readonly id: string;
  readonly held: string;
}
