/**
 * Trying again for a time.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isServiceError } from "../../errors/service_error.ts";
import { channelUnreachable } from "./channel_connection.ts";
import { pause } from "../../util/time.ts";

const PAUSE_MS = 100;

/** How long is tried. */
export interface RetryOptions {
  /** What is tried to reach, for messages. */
  readonly broker: string;
  /** Time in which it must succeed. */
  readonly timeoutMs: number;
  /** Ends the attempts. */
  readonly signal?: AbortSignal;
}

/**
 * Repeats an attempt until it succeeds.
 *
 * @param attempt what is tried; a `ConfigurationError` and a `ServiceError` are final: somebody has answered
 * @param options the bounds
 * @throws ServiceError `CHANNEL_UNREACHABLE` when the time is over
 */
export async function retryUntil<T>(
  attempt: () => Promise<T>,
  { broker, timeoutMs, signal }: RetryOptions,
): Promise<T> {
  for (const end = Date.now() + timeoutMs;;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof ConfigurationError || isServiceError(error)) throw error;
      if (Date.now() + PAUSE_MS > end) throw channelUnreachable(broker, error);
    }
    await pause(PAUSE_MS);
  }
}
