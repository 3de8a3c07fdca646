/**
 * Connecting to Redis with the credentials of the configuration.
 *
 * @module
 */

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
    ...addressOf(broker),
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

function addressOf(broker: BrokerOptions): RedisOptions {
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
