/**
 * Sending of CloudEvents to webhooks (CloudEvents HTTP 1.1 Web Hooks 1.0.2, section 2).
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { Logger } from "../../log/logger.ts";
import type { EventContent } from "./event_format.ts";

/** What a sender is made from. */
export interface SenderOptions {
  /** Where every event goes. */
  readonly urls: readonly string[];
  /** Headers of every request: credentials. */
  readonly headers: Headers;
  /** Milliseconds until an answer has come. */
  readonly timeoutMs: number;
  /** Sends a request. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Gets the details of failures. */
  readonly log: Logger;
}

/** Answers that another attempt does not change: the receiver refuses the event itself. */
const FINAL = new Set([400, 410, 413, 415, 422]);

/** Sends events to all receivers. */
export class EventSender {
  readonly #options: SenderOptions;
  readonly #closing = new AbortController();

  /** @param options receivers and credentials */
  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /**
   * Sends what the receivers get; resolves when all of them have answered that they have it.
   *
   * @param content headers and body
   * @throws ServiceError 502, with `unreachable` where a receiver does not answer, with `unrecoverable` where it refuses the
   *   event for good
   */
  async send(content: EventContent): Promise<void> {
    const { urls } = this.#options;
    if (urls.length === 0) {
      throw new ServiceError({
        status: 500,
        message: "There is nobody to send events to: credentials.url is missing",
        unrecoverable: true,
      });
    }
    const sent = await Promise.allSettled(urls.map((url) => this.#post(url, content)));
    const failures = sent.filter((one) => one.status === "rejected").map(({ reason }) => reason);
    // an event that one receiver refuses for good is tried again as long as another one may take it
    if (failures.length > 0) throw failures.find((error) => !error.unrecoverable) ?? failures[0];
  }

  /** Ends requests that wait for an answer. */
  close(): void {
    this.#closing.abort();
  }

  async #post(url: string, { headers, body }: EventContent): Promise<void> {
    const { fetch, timeoutMs, headers: given } = this.#options;
    const all = new Headers(given);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closing.signal]);
    const { origin, pathname } = new URL(url);
    const place = origin + pathname;
    const response = await fetch(
      new Request(url, { method: "POST", headers: all, body, signal, redirect: "manual" }),
    ).catch((cause) => {
      throw new ServiceError({
        status: 502,
        message: `${place} cannot be reached`,
        cause,
        unreachable: true,
      });
    });
    await response.body?.cancel();
    const { status } = response;
    if (status >= 200 && status < 300) return;
    throw new ServiceError({
      status: 502,
      message: `${place} answered ${status}`,
      ...(FINAL.has(status) ? { unrecoverable: true } : {}),
    });
  }
}
