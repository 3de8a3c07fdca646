/**
 * What clients follow.
 *
 * @module
 */

import type { LiveData, LiveStream } from "../../service/live/live_data.ts";

/** What a stream tells. */
export interface Followed {
  /** The texts to send, as they come; it ends when the stream is over. */
  readonly parts: AsyncGenerator<string, void>;
  /** Gives back what it holds. */
  readonly close: () => void;
}

/** What is followed with. */
export interface Following {
  readonly live: LiveData;
  readonly stream: LiveStream;
  /** What the client has already, as it was told before. */
  readonly last: string | undefined;
}

/** How long clients wait before they come again. */
const RETRY_MS = 1_000;

/** What a stream begins with: the client knows from where on it listens, though nothing has happened yet. */
export function beginning(id: string): string {
  return `retry: ${RETRY_MS}\n${silence(id)}`;
}

/** A comment, which keeps the connection, and how far the client has come: nothing before it is to be sent again. */
export function silence(id: string): string {
  return `:\nid: ${id}\n\n`;
}

/**
 * An event.
 *
 * @param id what the client has then
 * @param data JSON without line breaks
 */
export function eventText(id: string, data: string): string {
  return `id: ${id}\ndata: ${data}\n\n`;
}
