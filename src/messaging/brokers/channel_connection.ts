/**
 * The connection of a channel.
 *
 * @module
 */

import { closedError } from "./channel_unreachable.ts";

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
