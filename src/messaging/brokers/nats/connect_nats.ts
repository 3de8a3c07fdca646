/**
 * Connections to NATS.
 *
 * @module
 */

import { connect, type ConnectionOptions, type NatsConnection } from "@nats-io/transport-node";
import { type BrokerOptions, credential } from "../broker_options.ts";
import { retryUntil } from "../retry_until.ts";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";

/** Pause between attempts to reconnect. */
const RECONNECT_MS = 250;

/**
 * Connects; the connection is restored by itself for as long as it is not closed.
 *
 * @param options address, login and time
 * @param signal ends the attempt
 * @throws ConfigurationError if the server refuses the login
 * @throws ServiceError `CHANNEL_UNREACHABLE` if it does not answer in time
 */
export async function connectNats(options: BrokerOptions, signal?: AbortSignal): Promise<NatsConnection> {
  const connection = connectionOptions(options);
  const attempt = async () => {
    try {
      return await connect(connection);
    } catch (error) {
      if (error instanceof Error && error.name !== "AuthorizationError") throw error;
      // Without the cause: nothing that could tell a secret leaves this place.
      throw new ConfigurationError(`NATS refuses the login of ${options.entry}.credentials`);
    }
  };
  return await retryUntil(attempt, { broker: "NATS", timeoutMs: options.timeoutMs, signal });
}

function connectionOptions({ credentials, attemptMs }: BrokerOptions): ConnectionOptions {
  const url = credential(credentials, "url")!;
  return {
    // Several servers of a cluster stand side by side, with commas.
    servers: url.split(",").map((one) => one.trim().replace(/^(nats|tls):\/\/([^@/]*@)?/, "")),
    ...loginOf(url),
    ...defined({
      user: credential(credentials, "user", "username"),
      pass: credential(credentials, "password", "pass"),
      token: credential(credentials, "token"),
    }),
    ...url.startsWith("tls://") || credentials.tls !== undefined
      ? { tls: isPlainObject(credentials.tls) ? credentials.tls : {} }
      : {},
    timeout: attemptMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    // A login that is refused for a moment, while the server starts, is no reason to give up for good.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
  };
}

/** `nats://user:password@host` and `nats://token@host`. */
function loginOf(url: string): { user?: string; pass?: string; token?: string } {
  const login = /^\w+:\/\/([^@/]*)@/.exec(url)?.[1];
  if (!login) return {};
  const [user, pass] = login.split(":", 2).map(decodeURIComponent);
  return pass === undefined ? { token: user } : { user, pass };
}

function defined<T extends object>(value: T): Partial<T> {
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  // Members of T only, some of them left out.
  return Object.fromEntries(entries) as Partial<T>;
}
