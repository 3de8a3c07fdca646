/**
 * Answers that are made as the client takes them.
 *
 * @module
 */

import type { Limits } from "../config/limits.ts";

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How many answers are streamed at the same time. */
export class OpenStreams {
  readonly #most: number;
  #open = 0;

  /** @param most at the same time */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether there may be another one. */
  get hasRoom(): boolean {
    return this.#open < this.#most;
  }

  /** Another one begins. */
  add(): void {
    this.#open++;
  }

  /** A stream has ended. */
  remove(): void {
    this.#open--;
  }
}

/** What a stream needs beside its text. */
export interface StreamOptions {
  readonly limits: Pick<Limits, "stalledStreamMs" | "streamMs">;
  /** Ends the stream where the time of the request is over before it begins. */
  readonly signal: AbortSignal | undefined;
  /** Gives back what the text is made from; called once, whatever the end. */
  readonly close: () => unknown;
  /** Learns why a stream was broken off. */
  readonly failed: (error: unknown) => void;
}

/**
 * A body whose parts are made when the client has taken the ones before. Where one cannot be made, and where the client
 * takes too long, it is broken off, so that nobody takes what has arrived for the whole.
 *
 * @param parts the text
 * @param options limits, and what happens in the end
 */
export function streamText(
  parts: AsyncIterator<string, void>,
  options: StreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(new TextSource(parts, options), { highWaterMark: 0 });
}

class TextSource implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #parts: AsyncIterator<string, void>;
  readonly #options: StreamOptions;
  readonly #encoder: TextEncoder = new TextEncoder();
  readonly #deadline: number;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  #stalling: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;

  constructor(parts: AsyncIterator<string, void>, options: StreamOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#deadline = performance.now() + options.limits.streamMs;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.#controller = controller;
    const { signal } = this.#options;
    if (signal?.aborted) return this.#breakOff(signal.reason);
    signal?.addEventListener("abort", this.#onAbort);
    this.#wait();
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    clearTimeout(this.#stalling);
    if (performance.now() > this.#deadline) return this.#fail(new Error("The client takes too long"));
    try {
      const { done, value } = await this.#parts.next();
      if (this.#hasEnded) return;
      if (done) {
        this.#end();
        return controller.close();
      }
      controller.enqueue(this.#encoder.encode(value));
      this.#wait();
    } catch (error) {
      this.#fail(error);
    }
  }

  async cancel(): Promise<void> {
    await this.#end();
  }

  readonly #onAbort = (): void => this.#breakOff(this.#options.signal?.reason);

  /** Gives the client its time for the next part. */
  #wait(): void {
    const error = new Error("The client does not take the next part");
    const limitMs = Math.min(this.#options.limits.stalledStreamMs, MAX_TIMER_MS);
    this.#stalling = setTimeout(() => this.#fail(error), limitMs);
  }

  #fail(error: unknown): void {
    if (this.#hasEnded) return;
    this.#options.failed(error);
    this.#breakOff(error);
  }

  #breakOff(reason: unknown): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#controller!.error(reason);
  }

  #end(): unknown {
    if (this.#hasEnded) return undefined;
    this.#hasEnded = true;
    clearTimeout(this.#stalling);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    return this.#options.close();
  }
}
