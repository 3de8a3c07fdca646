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
  /** Whether a page of another site makes a browser send it with the credentials of the user. */
  isFromOtherSite: boolean = false;

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
    // not every host has `bytes`; what looks like a request but is none, as with `@hono/node-server`, inherits one that fails
    if (Object.getPrototypeOf(web) === Request.prototype && "bytes" in web) return web.bytes();
    return web.arrayBuffer().then((buffer) => new Uint8Array(buffer));
  }
}

/** Headers that were read before: `Headers` checks and converts names and itself at each look. */
class ReadHeaders implements WireHeaders {
  /** Name and value by turns. There are few: comparing them costs less than making a map. */
  readonly #entries: readonly string[];

  /** @param headers the headers to read */
  constructor(headers: Headers) {
    const entries: string[] = [];
    // iterating costs several times as much
    headers.forEach((value, name) => entries.push(name, value));
    this.#entries = entries;
  }

  /** The value of a header; null if there is none. */
  get(name: string): string | null {
    const entries = this.#entries;
    for (let at = 0; at < entries.length; at += 2) if (entries[at] === name) return entries[at + 1]!;
    return null;
  }

  /** Names and values. */
  *[Symbol.iterator](): Iterator<[string, string]> {
    const entries = this.#entries;
    for (let at = 0; at < entries.length; at += 2) yield [entries[at]!, entries[at + 1]!];
  }
}
