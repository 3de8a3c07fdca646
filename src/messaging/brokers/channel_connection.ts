import { isServiceError, ServiceError } from "../../errors/service_error.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { pause } from "../../util/time.ts";

/** A connection that is opened once, by the first who needs it, and not any more after the channel was closed. */
export class ChannelConnection<T> {
  readonly #open: (signal?: AbortSignal) => Promise<T>;
  #opening: Promise<T> | undefined;
  #isClosed = false;

  /** @param open opens it; called again after a failure, and after the connection was lost */
  constructor(open: (signal?: AbortSignal) => Promise<T>) {
    this.#open = open;
  }

  /** Whether the channel was closed on purpose. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The connection that is open or being opened. */
  get opening(): Promise<T> | undefined {
    return this.#opening;
  }

  /** @throws {ServiceError} if the channel was closed on purpose */
  assertOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  /**
   * The open connection.
   *
   * @param signal ends the attempt
   * @throws {ServiceError} if the channel was closed on purpose
   */
  get(signal?: AbortSignal): Promise<T> {
    if (this.#isClosed) return Promise.reject(closedError());
    if (this.#opening) return this.#opening;
    const opening = this.#open(signal);
    this.#opening = opening;
    opening.catch(() => this.#opening === opening && this.forget());
    return opening;
  }

  /** The connection was lost: the next who needs one opens another. */
  forget(): void {
    this.#opening = undefined;
  }

  /**
   * Refuses everything from now on.
   *
   * @returns the connection that is still to be ended
   */
  async close(): Promise<T | undefined> {
    this.#isClosed = true;
    return await this.#opening?.catch(() => undefined);
  }
}

/**
 * The error of a broker that did not answer in time: the message may have been stored, and is published again later.
 *
 * @param broker what did not answer; without credentials
 * @param cause what the client said
 * @returns an error with code `CHANNEL_UNREACHABLE`
 */
export function channelUnreachable(broker: string, cause?: unknown): ServiceError {
  const message = `${broker} does not answer`;
  return new ServiceError({ status: 503, code: "CHANNEL_UNREACHABLE", message, cause, unreachable: true });
}

/** The error of a channel that was closed on purpose: the message stays in the outbox for the next process. */
function closedError(): ServiceError {
  return new ServiceError({ status: 503, message: "The channel is closed", unreachable: true });
}

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
