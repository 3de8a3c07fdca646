/**
 * Buckets of tokens in Redis, which all processes of an application share.
 *
 * @module
 */

import type { Redis } from "ioredis";
import type { Logger } from "../../../log/logger.ts";
import { contentTag } from "../../../util/content_tag.ts";
import type { BrokerOptions } from "../broker_options.ts";
import { connectRedis } from "./connect_redis.ts";

/** How long a request waits for Redis before it is counted in its own process, where nothing else is said. */
const PATIENCE_MS = 200;
/** Pause before another attempt to connect. */
const RETRY_MS = 5_000;

/**
 * Fills a bucket by the clock of the server, takes a token where there is one, and gives what is left, in thousandths: the
 * numbers of Redis are whole. A bucket that is full again is forgotten.
 */
const TAKE = `
local now = redis.call('TIME')
local at = now[1] * 1000 + now[2] / 1000
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local known = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = limit
if known[1] then tokens = math.min(limit, tonumber(known[1]) + math.max(0, at - tonumber(known[2])) * limit / window) end
local taken = 0
if tokens >= 1 then tokens = tokens - 1; taken = 1 end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.3f', at))
redis.call('PEXPIRE', KEYS[1], math.ceil(window))
return { taken, math.floor(tokens * 1000) }`;

/** Where buckets are, and for whom. */
export interface RedisQuotaOptions {
  /** `url`, and what else connections need. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** Name of the application; others may share the server. */
  readonly application: string;
  readonly log: Logger;
  /** How long a request waits for Redis. */
  readonly patienceMs?: number;
}

/** A bucket. */
export interface BucketKey {
  /** Whose it is, among all applications; hashed, as it may name somebody. */
  readonly key: string;
  /** Tokens that it holds. */
  readonly limit: number;
  /** Milliseconds in which it fills. */
  readonly windowMs: number;
}

/** What is left of a bucket. */
export interface BucketState {
  readonly isTaken: boolean;
  readonly tokens: number;
}

/** Takes tokens out of shared buckets. */
export class RedisQuotas {
  readonly #options: RedisQuotaOptions;
  #redis: Redis | undefined;
  #connecting: Promise<void> | undefined;
  #retryAt = 0;
  #isAway = false;
  #isClosed = false;

  /** @param options where they are; nothing is connected yet */
  constructor(options: RedisQuotaOptions) {
    this.#options = options;
  }

  /**
   * Takes a token.
   *
   * @param bucket which bucket
   * @returns undefined where Redis does not answer in time: the caller counts by itself
   */
  async take({ key, limit, windowMs }: BucketKey): Promise<BucketState | undefined> {
    try {
      await this.#connected();
      const redis = this.#redis;
      if (redis === undefined) return undefined;
      const name = `fw:quota:${this.#options.application}:${contentTag(key)}`;
      const [taken, thousandths] = await redis.eval(TAKE, 1, name, limit, windowMs) as [number, number];
      this.#tell(false);
      return { isTaken: taken === 1, tokens: thousandths / 1000 };
    } catch (error) {
      this.#tell(true, error);
      return undefined;
    }
  }

  /** Closes the connection. */
  close(): void {
    this.#isClosed = true;
    this.#redis?.disconnect();
  }

  #connected(): Promise<void> | undefined {
    if (this.#redis !== undefined || performance.now() < this.#retryAt) return undefined;
    return this.#connecting ??= this.#connect().finally(() => this.#connecting = undefined);
  }

  async #connect(): Promise<void> {
    const { credentials, log, patienceMs = PATIENCE_MS } = this.#options;
    const broker: BrokerOptions = {
      ...{ entry: "fw.server.rate_limits.redis", credentials, stream: "", sync: false },
      ...{ timeoutMs: patienceMs, attemptMs: patienceMs, retentionMs: 0, ackWaitMs: 0, maxMessageBytes: 0 },
    };
    try {
      const redis = await connectRedis(broker, { commandTimeout: patienceMs, log });
      if (this.#isClosed) redis.disconnect();
      else this.#redis = redis;
    } catch (error) {
      this.#retryAt = performance.now() + RETRY_MS;
      throw error;
    }
  }

  /** Says once that it is away, and once that it is back. */
  #tell(isAway: boolean, error?: unknown): void {
    if (isAway === this.#isAway || this.#isClosed) return;
    this.#isAway = isAway;
    const { log } = this.#options;
    if (isAway) log.warn("Requests are counted in each process alone, as Redis does not answer:", error);
    else log.info("Requests are counted in Redis again");
  }
}
