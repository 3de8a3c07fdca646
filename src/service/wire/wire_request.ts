/**
 * What the protocol reads of requests.
 *
 * @module
 */

/** What is read of headers; `Headers` has it. */
export interface WireHeaders extends Iterable<[string, string]> {
  /** The value of a header, whose name is given in lower case; null if there is none. */
  get(name: string): string | null;
}

/** A request from the web, or a part of a batch. */
export interface WireRequest {
  /** The method. */
  readonly method: string;
  /** The headers. */
  readonly headers: WireHeaders;
  /** A stream, or all of the body where it is known. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> | string | null;
  /** The body as JSON, where it was read already. */
  readonly parsed?: { readonly value: unknown };
  /** Whether a page of another site makes a browser send it with the credentials of the user: it calls nothing. */
  readonly isFromOtherSite?: boolean;
  /** Reads all of a body that is a stream. */
  bytes?(): Promise<Uint8Array<ArrayBuffer>>;
}
