/**
 * Requests as they arrive from the web.
 *
 * @module
 */

import type { WireHeaders, WireRequest } from "./wire_request.ts";

/** A web request, for those who look at it again and again: its headers are read once. */
export class IncomingRequest implements WireRequest {
  /** The web request. */
  readonly web: Request;
  /** Its method. */
  readonly method: string;
  /** Its URL. */
  readonly url: string;
  /** Its headers as they were when it arrived. */
  readonly headers: WireHeaders;

  /** @param web the web request, whose body is not read */
  constructor(web: Request) {
    this.web = web;
    this.method = web.method;
    this.url = web.url;
    this.headers = new ReadHeaders(web.headers);
  }

  /** The body as stream. */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.web.body;
  }

  /** Reads all of the body. */
  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const { web } = this;
    // not every host has it
    return web.bytes ? web.bytes() : web.arrayBuffer().then((buffer) => new Uint8Array(buffer));
  }
}

/** Headers that were read before: `Headers` checks and converts names and itself at each look. */
class ReadHeaders implements WireHeaders {
  readonly #values: Map<string, string> = new Map();

  /** @param headers the headers to read */
  constructor(headers: Headers) {
    // iterating costs several times as much
    headers.forEach((value, name) => this.#values.set(name, value));
  }

  /** The value of a header; null if there is none. */
  get(name: string): string | null {
    return this.#values.get(name) ?? null;
  }

  /** Names and values. */
  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#values.entries();
  }
}
