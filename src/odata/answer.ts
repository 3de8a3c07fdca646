/**
 * The outcome of one request or batch part before it becomes a `Response`.
 *
 * @module
 */

import type { AnswerHeaders } from "./header_list.ts";

/** Status, headers and body of an answer. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** In place of the body: text that is made as the client takes it. Only where `Exchange.streams` says so. */
  readonly stream?: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Canonical URL of the entity below the service root: what `$<id>` in a batch refers to. */
  readonly entityUrl?: string;
}
