import { Redis, type RedisOptions } from "ioredis";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import type { Logger } from "../../../log/logger.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import { brokerAddress, type BrokerOptions } from "../broker_options.ts";
import { channelUnreachable } from "../channel_connection.ts";

const PORT = 6379;
const RECONNECT_MS = 100;
const MAX_RECONNECT_MS = 1_000;
const SILENCE_MS = 5_000;
const REFUSED = /WRONGPASS|NOAUTH|NOPERM|invalid username-password/;

/** How a connection is used. */
export interface RedisUse {
  /** Time for one command. */
  readonly commandTimeout?: number;
  /** Ends the attempt. */
  readonly signal?: AbortSignal;
  /** Takes what goes wrong later. */
  readonly log: Logger;
}

/**
 * Connects; the connection is restored by itself for as long as it is not closed.
 *
 * @param broker address, login and time
 * @param use how it is used
 * @throws ConfigurationError if the server refuses the login
 * @throws ServiceError `CHANNEL_UNREACHABLE` if it does not answer in time
 */
export async function connectRedis(
  broker: BrokerOptions,
  { commandTimeout, signal, log }: RedisUse,
): Promise<Redis> {
  signal?.throwIfAborted();
  const redis = new Redis({
    ...redisAddress(broker),
    ...commandTimeout === undefined ? {} : { commandTimeout },
    connectTimeout: broker.attemptMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // A connection that is silent for so long while commands wait is replaced.
    socketTimeout: SILENCE_MS,
    // Commands under way fail when the connection is lost; with null they would never end.
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * RECONNECT_MS, MAX_RECONNECT_MS),
  });
  let last: Error | undefined;
  redis.on("error", (error: Error) => {
    last = error;
    log.debug("Redis:", error.message);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  redis.once("ready", resolve);
  redis.on("error", (error: Error) => REFUSED.test(error.message) && reject(refused(broker)));
  const abort = () => reject(signal!.reason);
  signal?.addEventListener("abort", abort);
  const timer = setTimeout(() => reject(channelUnreachable("Redis", last)), broker.timeoutMs);
  try {
    await promise;
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

// Without the cause: nothing that could tell a secret leaves this place.
function refused({ entry }: BrokerOptions): ConfigurationError {
  return new ConfigurationError(`Redis refuses the login of ${entry}.credentials`);
}

/** What the client connects with. */
export function redisAddress(broker: Pick<BrokerOptions, "credentials" | "entry">): RedisOptions {
  const { url, user: username, password } = brokerAddress(broker, "redis");
  const { tls } = broker.credentials;
  return {
    host: url.hostname,
    port: Number(url.port) || PORT,
    db: Number(url.pathname.slice(1)) || 0,
    ...username ? { username } : {},
    ...password ? { password } : {},
    ...url.protocol === "rediss:" || tls !== undefined ? { tls: isPlainObject(tls) ? tls : {} } : {},
  };
}

/** Renews the lease of its holder. */
const RENEW =
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
/** Ends the lease of its holder. */
const RELEASE =
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** A lease that one instance holds at a time; it ends by itself when its holder does not renew it. */
export class KeyLease {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #token: string;
  readonly #leaseMs: number;
  #heldUntil = 0;
  #term = 0;

  /**
   * Creates a lease; it is not held yet.
   *
   * @param redis the connection
   * @param lease key, name of this instance, and time
   */
  constructor(
    redis: Redis,
    lease: { readonly key: string; readonly token: string; readonly leaseMs: number },
  ) {
    this.#redis = redis;
    this.#key = lease.key;
    this.#token = lease.token;
    this.#leaseMs = lease.leaseMs;
  }

  /** Whether this instance holds it, as far as its own clock tells. */
  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /** Number of the time for which it is held without a break; a number that was never given while it is not held. */
  get term(): number {
    return this.isHeld ? this.#term : -1;
  }

  /** Renews the lease, or takes it if nobody holds it. */
  async keep(): Promise<void> {
    // Counted from before the call: it never ends later here than in Redis.
    const until = performance.now() + this.#leaseMs;
    if (this.isHeld) {
      const isRenewed = await this.#redis.eval(RENEW, 1, this.#key, this.#token, this.#leaseMs) === 1;
      // A confirmation that comes after the time was over begins a new term: what came meanwhile was not handled.
      if (isRenewed && !this.isHeld) this.#term++;
      this.#heldUntil = isRenewed ? until : 0;
    } else if (await this.#redis.set(this.#key, this.#token, "PX", this.#leaseMs, "NX") === "OK") {
      this.#term++;
      this.#heldUntil = until;
    }
  }

  /** Gives it to the next one. */
  async release(): Promise<void> {
    if (!this.isHeld) return;
    this.#heldUntil = 0;
    await this.#redis.eval(RELEASE, 1, this.#key, this.#token);
  }
}
