/**
 * The dead letters of a group in Redis: a stream of their own.
 *
 * @module
 */

import type { Redis } from "ioredis";
import type { DeadLetter, DeadLetters } from "../../channel.ts";
import { isReplayable, readDeadLetter } from "../../dead_letter.ts";
import { fieldsOf, type RedisNames, type StreamEntry, toFields } from "./redis_message.ts";

const ID = /^\d{1,20}-\d{1,20}$/;
/** Moves a dead letter back to the stream of the messages, if it is still there. */
const REPLAY = `if redis.call('XDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', unpack(ARGV, 2))
return 1`;

/** What dead letters are read from. */
export interface RedisDeadLettersOptions {
  /** The connection. */
  readonly redis: () => Promise<Redis>;
  /** Keys. */
  readonly names: RedisNames;
  /** The group. */
  readonly group: string;
  /** Bytes of a message at most. */
  readonly maxMessageBytes: number;
}

/** Finds dead letters by their ids in the stream. */
export class RedisDeadLetters implements DeadLetters {
  readonly #options: RedisDeadLettersOptions;

  /** @param options server and names */
  constructor(options: RedisDeadLettersOptions) {
    this.#options = options;
  }

  /** @param limit how many at most */
  async list(limit: number): Promise<readonly DeadLetter[]> {
    return (await this.#range("-", "+", limit)).map(toLetter);
  }

  /** @param id of a dead letter */
  async replay(id: string): Promise<boolean> {
    const { redis, names, group, maxMessageBytes } = this.#options;
    const [found] = ID.test(id) ? await this.#range(id, id, 1) : [];
    const letter = found && toLetter(found);
    if (!letter || !isReplayable(letter)) return false;
    const { message } = letter;
    const stream = message.key === undefined ? names.plain : names.keyed;
    const fields = [...toFields(message, maxMessageBytes), "group", group];
    return await (await redis()).eval(REPLAY, 2, names.dead(group), stream, id, ...fields) === 1;
  }

  /** @param id of a dead letter */
  async discard(id: string): Promise<boolean> {
    const { redis, names, group } = this.#options;
    return ID.test(id) && await (await redis()).xdel(names.dead(group), id) === 1;
  }

  async #range(from: string, to: string, limit: number): Promise<readonly StreamEntry[]> {
    const { redis, names, group } = this.#options;
    return await (await redis()).xrange(names.dead(group), from, to, "COUNT", limit);
  }
}

function toLetter([id, fields]: StreamEntry): DeadLetter {
  return readDeadLetter(id, fieldsOf(fields ?? []).letter ?? "");
}
