/**
 * What the protocol reads of requests.
 *
 * @module
 */

/** What is read of headers; `Headers` has it. */
export interface WireHeaders extends Iterable<[string, string]> {
  /** The value of a header; null if there is none. */
  get(name: string): string | null;
}

/** A web `Request`, or a part of a batch. */
export interface WireRequest {
  readonly method: string;
  readonly headers: WireHeaders;
  /** A stream, or all of the body where it is known. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> | string | null;
  /** Reads all of the body; not every host has it. */
  bytes?(): Promise<Uint8Array<ArrayBuffer>>;
}
