import type { Limits } from "../../../config/limits.ts";
import type { Message } from "../../channel.ts";
import { assertMessageSize, fromDataMember, jsonOf, toDataMember } from "../../message_json.ts";
import { DATA_HEADER, EXTRA_HEADER, fromWire, KEY_HEADER, type Received } from "../wire_message.ts";
import type { Redis } from "ioredis";

/** An entry of a stream: its id, and names and values in turn; nothing if it was removed meanwhile. */
export type StreamEntry = readonly [id: string, fields: readonly string[] | null];

/**
 * The fields of a message.
 *
 * @param message the message
 * @param maxBytes bytes it may have
 * @throws ServiceError `MESSAGE_TOO_LARGE`
 */
export function toFields(message: Message, maxBytes: number): readonly string[] {
  const { topic, data, headers, key } = message;
  const head = jsonOf(headers);
  const { data_base64: encoded } = toDataMember(data);
  const body = encoded ?? (data === undefined ? "" : jsonOf(data));
  assertMessageSize(topic, body + head, maxBytes);
  const name = encoded === undefined ? "data" : "data_base64";
  return ["topic", topic, "headers", head, name, body, ...key === undefined ? [] : ["key", key]];
}

/** The fields of an entry by name. */
export function fieldsOf(fields: readonly string[]): Readonly<Record<string, string | undefined>> {
  const values: Record<string, string> = Object.create(null);
  for (let i = 0; i + 1 < fields.length; i += 2) values[fields[i]] = fields[i + 1];
  return values;
}

/** Reads a message. */
export function fromFields(values: Readonly<Record<string, string | undefined>>, limits: Limits): Received {
  const { topic = "", headers, data = "", data_base64: encoded, key } = values;
  const own = {
    ...headers === undefined ? {} : { [EXTRA_HEADER]: headers },
    ...key === undefined ? {} : { [KEY_HEADER]: JSON.stringify(key) },
  };
  if (encoded === undefined) return fromWire({ topic, attributes: {}, own, body: data }, limits);
  const { data: body, fault } = fromDataMember({ data_base64: encoded });
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  const received = fromWire(
    { topic, attributes: {}, own: { ...own, [DATA_HEADER]: "bytes" }, body: bytes },
    limits,
  );
  return fault === undefined ? received : { message: received.message, fault };
}

/**
 * Reads the answer of `XREADGROUP`: entries by stream.
 *
 * @param answer what the client gave
 */
export function streamEntries(
  answer: unknown,
): readonly (readonly [stream: string, entries: readonly StreamEntry[]])[] {
  // The shape that Redis documents: a list of streams, each with its entries; null when the time is over.
  return (answer ?? []) as [string, StreamEntry[]][];
}

/** Keys below one name; the braces keep them in one slot of a cluster. */
export class RedisNames {
  readonly #prefix: string;

  /** @param name name of the channel */
  constructor(name: string) {
    this.#prefix = `{${name}}`;
  }

  /** Stream of the messages without key. */
  get plain(): string {
    return `${this.#prefix}:t`;
  }

  /** Stream of the messages with a key. */
  get keyed(): string {
    return `${this.#prefix}:k`;
  }

  /** Stream of the dead letters of a group. */
  dead(group: string): string {
    return `${this.#prefix}:dead:${group}`;
  }

  /** Tells which instance of a group handles the messages with a key. */
  lease(group: string): string {
    return `${this.#prefix}:lease:${group}`;
  }

  /** Tells that a message is stored. */
  stored(id: string): string {
    return `${this.#prefix}:id:${id}`;
  }
}

const CHUNK = 64;
/** Name under which messages stand whose consumer has taken leave. */
const NOBODY = "-";
/** So long they count as idle: anybody may take them. */
const LONG_MS = 7 * 24 * 60 * 60 * 1000;

/** Removes a consumer unless it has messages, which would go with it. */
const REMOVE = `if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1`;

/** Which messages are taken over. */
export interface Claim {
  readonly stream: string;
  readonly group: string;
  readonly consumer: string;
  /** Time since their last delivery or renewal. */
  readonly idleMs: number;
}

/**
 * Creates a group that begins with the oldest message; one that exists stays as it is.
 *
 * @param redis the connection
 * @param streams the streams, created where they are missing
 * @param group the group
 */
export async function createGroups(redis: Redis, streams: readonly string[], group: string): Promise<void> {
  for (const stream of streams) {
    try {
      await redis.xgroup("CREATE", stream, group, "0", "MKSTREAM");
    } catch (error) {
      if (!/BUSYGROUP/.test((error as Error).message)) throw error;
    }
  }
}

/**
 * Takes over messages, oldest first.
 *
 * @param redis the connection
 * @param claim which
 * @returns the messages and how often they were delivered, this time included
 */
export async function claimPending(
  redis: Redis,
  { stream, group, consumer, idleMs }: Claim,
): Promise<readonly { readonly entry: StreamEntry; readonly deliveries: number }[]> {
  const claimed = [];
  for (let from = "0-0";;) {
    // The shape that Redis documents: where to go on, the entries, and ids of entries that were removed.
    const answer = await redis.xautoclaim(stream, group, consumer, idleMs, from, "COUNT", CHUNK);
    const [next, entries] = answer as [string, StreamEntry[]];
    for (const entry of entries) {
      const pending = await redis.xpending(stream, group, entry[0], entry[0], 1) as [
        string,
        string,
        number,
        number,
      ][];
      claimed.push({ entry, deliveries: pending[0]?.[3] ?? 1 });
    }
    if (next === "0-0") return claimed;
    from = next;
  }
}

/**
 * Removes a consumer; what it has not acknowledged can be taken over by anybody at once.
 *
 * @param redis the connection
 * @param leaving streams, group and name of the consumer
 */
export async function removeConsumer(
  redis: Redis,
  { streams, group, consumer }: {
    readonly streams: readonly string[];
    readonly group: string;
    readonly consumer: string;
  },
): Promise<void> {
  for (const stream of streams) {
    while (await redis.eval(REMOVE, 1, stream, group, consumer) !== 1) {
      const pending = await redis.xpending(stream, group, "-", "+", CHUNK, consumer) as [string][];
      const ids = pending.map(([id]) => id);
      if (ids.length > 0) await redis.xclaim(stream, group, NOBODY, 0, ...ids, "IDLE", LONG_MS, "JUSTID");
    }
  }
}
