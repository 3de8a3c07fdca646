/**
 * What the protocol reads of requests.
 *
 * @module
 */

/** A web `Request`, or a part of a batch. */
export interface WireRequest {
  readonly method: string;
  readonly headers: Headers;
  /** A stream, or all of the body where it is known. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> | string | null;
}
