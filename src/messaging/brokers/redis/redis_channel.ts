/**
 * The channel over Redis streams (`messaging` 7): one stream for messages without key, one for those with a key, consumer
 * groups on both.
 *
 * @module
 */

import type { Redis } from "ioredis";
import {
  type Backlog,
  backlogSince,
  type Channel,
  type ChannelOptions,
  type DeadLetters,
  type Delivery,
  type Guarantees,
  joinBacklogs,
  type Message,
  type Subscription,
} from "../../channel.ts";
import { ConsumerSet, publishInLanes } from "../consumer_set.ts";
import { type BrokerOptions, brokerOptions } from "../broker_options.ts";
import { ChannelConnection, retryUntil } from "../channel_connection.ts";
import { messageId } from "../wire_message.ts";
import { connectRedis } from "./connect_redis.ts";
import { RedisConsumer } from "./redis_consumer.ts";
import { RedisDeadLetters } from "./redis_dead_letters.ts";
import { RedisNames, toFields } from "./redis_message.ts";

const DEDUPE_WINDOW_MS = 2 * 60 * 1000;
const COMMAND_MS = 2_000;
/** Stores a message unless its id is known, and removes what is older than the retention. */
const PUBLISH = `if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('XADD', KEYS[1], 'MINID', '~', ARGV[2], '*', unpack(ARGV, 3))
redis.call('SET', KEYS[2], '', 'PX', ARGV[1])
return 1`;

const KIND = "redis-messaging";
const NOTICE =
  "At least once per consumer group for every message whose emit returned; messages of one key in order, all of them in one " +
  "instance of a group at a time, the others stand by for it; messages of equal id within two minutes count as one. Messages are kept " +
  "for the retention time, a new group begins with the oldest one. What a crash of the server takes with it depends on its " +
  "append-only file: nothing with appendfsync always, the last second with everysec";

/**
 * Creates a channel over Redis streams. Options of the entry: `credentials` (`url`, `user`, `password`, `tls`), `stream`,
 * `retentionMs`, `timeoutMs`, `ackWaitMs`, `maxMessageBytes`.
 *
 * @param options the configuration
 * @throws ConfigurationError if credentials are missing
 */
export function createRedisChannel(options: ChannelOptions): Channel {
  return new RedisChannel(options);
}

class RedisChannel implements Channel {
  readonly kind = KIND;
  readonly notice = NOTICE;
  readonly #options: ChannelOptions;
  readonly #broker: BrokerOptions;
  readonly #names: RedisNames;
  readonly #consumers: ConsumerSet = new ConsumerSet();
  readonly #connection: ChannelConnection<Redis>;
  #survives: Guarantees["survives"] = "process crash";

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#broker = brokerOptions(options, KIND);
    this.#names = new RedisNames(this.#broker.stream);
    this.#connection = new ChannelConnection((signal) => this.#open(signal));
  }

  get guarantees(): Guarantees {
    return {
      delivery: "at-least-once",
      survives: this.#survives,
      order: "key",
      dedupeWindowMs: DEDUPE_WINDOW_MS,
      maxMessageBytes: this.#broker.maxMessageBytes,
      delayedRetry: true,
      deadLetters: true,
      replay: true,
    };
  }

  deadLetters(group: string): DeadLetters {
    const redis = () => this.#connection.get();
    const { maxMessageBytes } = this.#broker;
    return new RedisDeadLetters({ redis, names: this.#names, group, maxMessageBytes });
  }

  async backlog(group: string): Promise<Backlog | undefined> {
    const { plain, keyed } = this.#names;
    return await redisBacklog(await this.#connection.get(), [plain, keyed], group);
  }

  async connect(signal?: AbortSignal): Promise<void> {
    await this.#connection.get(signal);
  }

  async publish(messages: readonly Message[]): Promise<void> {
    const prepared = messages.map((message) => ({
      message,
      fields: toFields(message, this.#broker.maxMessageBytes),
      id: messageId(message),
    }));
    const redis = await this.#connection.get();
    const { retentionMs, timeoutMs } = this.#broker;
    await publishInLanes(prepared, async ({ message, fields, id }) => {
      const stream = message.key === undefined ? this.#names.plain : this.#names.keyed;
      await retryUntil(async () => {
        this.#connection.assertOpen();
        const oldest = Math.max(0, Date.now() - retentionMs);
        if (id === undefined) return void await redis.xadd(stream, "MINID", "~", oldest, "*", ...fields);
        await redis.eval(PUBLISH, 2, stream, this.#names.stored(id), DEDUPE_WINDOW_MS, oldest, ...fields);
      }, { broker: "Redis", timeoutMs });
    });
  }

  async subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    const redis = await this.#connection.get();
    const { log, limits } = this.#options;
    const consumer = new RedisConsumer({
      ...{ redis, names: this.#names, broker: this.#broker, subscription, onDelivery, log },
      limits: { ...limits, messageBytes: this.#broker.maxMessageBytes },
    });
    await retryUntil(() => consumer.open(), { broker: "Redis", timeoutMs: this.#broker.timeoutMs });
    return this.#consumers.add(consumer);
  }

  async close(_options?: { drainMs: number }): Promise<void> {
    const open = this.#connection.close();
    await this.#consumers.close();
    (await open)?.disconnect();
  }

  async #open(signal?: AbortSignal): Promise<Redis> {
    const { log } = this.#options;
    const redis = await connectRedis(this.#broker, { commandTimeout: COMMAND_MS, signal, log });
    await this.#learnDurability(redis);
    return redis;
  }

  /** What the server says about its append-only file; some do not tell. */
  async #learnDurability(redis: Redis): Promise<void> {
    try {
      const answer = await redis.config("GET", "append*") as string[];
      const setting = (name: string) => answer[answer.indexOf(name) + 1];
      if (setting("appendonly") === "no") {
        this.#options.log.warn("Redis keeps messages in memory only: a crash of the server loses them");
      } else if (setting("appendfsync") === "always") {
        this.#survives = "host crash";
      }
    } catch {
      // The command is not allowed: nothing better is known than the default.
    }
  }
}

/** What of the reply to `XINFO GROUPS` is needed. */
interface GroupInfo {
  readonly name: string;
  readonly pending: number;
  /** Null where messages were removed from the middle of the stream. */
  readonly lag: number | null;
  readonly "last-delivered-id": string;
}

/**
 * What waits for a group in streams: what was not given to it yet, and what it has not settled.
 *
 * @param redis the connection
 * @param streams keys
 * @param group the group
 * @returns undefined where no stream has the group
 */
async function redisBacklog(
  redis: Redis,
  streams: readonly string[],
  group: string,
): Promise<Backlog | undefined> {
  const found = await Promise.all(streams.map((stream) => backlogIn(redis, stream, group)));
  return joinBacklogs(found);
}

async function backlogIn(redis: Redis, stream: string, group: string): Promise<Backlog | undefined> {
  const info = (await groupsOf(redis, stream)).find(({ name }) => name === group);
  if (!info) return undefined;
  const [summary, next] = await Promise.all([
    redis.xpending(stream, group) as Promise<[number, string | null]>,
    redis.xrange(stream, `(${info["last-delivered-id"]}`, "+", "COUNT", 1),
  ]);
  const times = [summary[1], next[0]?.[0]].map((id) => typeof id === "string" ? timeOf(id) : undefined);
  // a stream of which messages are removed one by one does not know how many are left behind a place in it
  const lag = info.lag ?? (next.length > 0 ? 1 : 0);
  return backlogSince(info.pending + lag, times);
}

/** A stream that nothing was published to is not there. */
async function groupsOf(redis: Redis, stream: string): Promise<readonly GroupInfo[]> {
  if (await redis.exists(stream) === 0) return [];
  const lists = await redis.xinfo("GROUPS", stream) as readonly (readonly unknown[])[];
  return lists.map((list) => {
    const pairs = list.flatMap((name, n) => n % 2 === 0 ? [[name, list[n + 1]] as const] : []);
    return Object.fromEntries(pairs) as unknown as GroupInfo; // the names are those of the reply
  });
}

/** Ids begin with the milliseconds at which the server stored the entry. */
function timeOf(id: string): number {
  return Number(id.split("-")[0]);
}
