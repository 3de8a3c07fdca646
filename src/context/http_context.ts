/**
 * The HTTP side of a context: the request with `get(name)` and the draft of the response.
 *
 * @module
 */

import { statusText } from "../util/status_text.ts";
import { assertHeaderValue } from "../util/header_value.ts";
import type { HttpContext, HttpRequest, HttpResponse } from "./event_context.ts";

/**
 * The objects behind `req.http` for a request, made when somebody looks at them.
 *
 * @param request the web request, or what makes it; it gets a method `get(name)`
 */
export function createHttpContext(request: Request | (() => Request)): HttpContext {
  return new LazyHttpContext(request);
}

/**
 * The draft of the response, if somebody has looked at it.
 *
 * @param http the objects behind `req.http`
 */
export function draftOf(http: HttpContext): HttpResponse | undefined {
  return http instanceof LazyHttpContext ? http.draft : http.res;
}

class LazyHttpContext implements HttpContext {
  readonly #request: Request | (() => Request);
  #req: HttpRequest | undefined;
  #res: ResponseDraft | undefined;

  constructor(request: Request | (() => Request)) {
    this.#request = request;
  }

  get req(): HttpRequest {
    return this.#req ??= toHttpRequest(typeof this.#request === "function" ? this.#request() : this.#request);
  }

  get draft(): ResponseDraft | undefined {
    return this.#res;
  }

  get res(): ResponseDraft {
    return this.#res ??= new ResponseDraft();
  }
}

/**
 * Adds to a web request what handlers of existing servers look at.
 *
 * @param request the request, which is changed
 * @returns the same object
 */
function toHttpRequest(request: Request): HttpRequest {
  if ("get" in request) return request as HttpRequest;
  const get = (name: string) => request.headers.get(name) ?? undefined;
  const url = new URL(request.url);
  const { headers } = request;
  for (const [name, value] of headers) {
    if (!(name in headers)) Object.defineProperty(headers, name, { value, configurable: true });
  }
  return Object.defineProperties(request, {
    get: { value: get },
    header: { value: get },
    path: { value: url.pathname },
    originalUrl: { value: url.pathname + url.search },
    query: { get: () => Object.fromEntries(url.searchParams) },
  }) as HttpRequest; // with the members just defined
}

/** Headers that refuse what would fail the answer only when the work is done and committed. */
class DraftHeaders extends Headers {
  override set(name: string, value: string): void {
    assertHeaderValue(name, String(value));
    super.set(name, value);
  }

  override append(name: string, value: string): void {
    assertHeaderValue(name, String(value));
    super.append(name, value);
  }
}

/** Statuses whose responses have no body (RFC 9110, 6.4.1). */
const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Short names of media types. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  json: "application/json",
  text: "text/plain; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  xml: "application/xml",
};

/** The draft of a response. */
export class ResponseDraft implements HttpResponse {
  /** HTTP status. */
  statusCode: number | undefined;
  #headers: Headers | undefined;
  #sent = false;
  #body: unknown;

  /** Headers set so far. */
  get headers(): Headers {
    return this.#headers ??= new DraftHeaders();
  }

  /** True after `send`, `json` or `end`. */
  get headersSent(): boolean {
    return this.#sent;
  }

  /** What `send`, `json` or `end` was given. */
  get body(): unknown {
    return this.#body;
  }

  /** Whether a header was set, without creating the headers. */
  get hasHeaders(): boolean {
    return this.#headers !== undefined;
  }

  /** Sets the HTTP status. */
  status(code: number): HttpResponse {
    this.statusCode = code;
    return this;
  }

  /** Sets a header, or several by name. */
  set(name: string | Readonly<Record<string, string>>, value?: string): HttpResponse {
    const given = typeof name === "string" ? { [name]: String(value) } : name;
    for (const [one, text] of Object.entries(given)) this.headers.set(one, String(text));
    return this;
  }

  /** Sets a header; values of a list are sent in a row. */
  setHeader(name: string, value: string | number | readonly string[]): HttpResponse {
    const [first = "", ...more] = [value].flat();
    this.headers.set(name, String(first));
    for (const one of more) this.headers.append(name, String(one));
    return this;
  }

  /** A header set before. */
  getHeader(name: string): string | undefined {
    return this.get(name);
  }

  /** Takes a header away. */
  removeHeader(name: string): void {
    this.#headers?.delete(name);
  }

  /** Sets a header. */
  header(name: string, value: string): HttpResponse {
    return this.set(name, value);
  }

  /** Sets the media type. */
  type(mediaType: string): HttpResponse {
    return this.set("content-type", MEDIA_TYPES[mediaType] ?? mediaType);
  }

  /** Ends the response with a status and its phrase. */
  sendStatus(code: number): HttpResponse {
    return HAS_NO_BODY.has(code)
      ? this.status(code).end()
      : this.status(code).type("text").end(statusText(code));
  }

  /** Ends the response with another location, maybe behind a status. */
  redirect(...target: readonly [string] | readonly [number, string]): HttpResponse {
    const [code, location] = target.length === 2 ? target : [302, target[0]];
    return this.status(code).set("location", location).end();
  }

  /** A header set before. */
  get(name: string): string | undefined {
    return this.#headers?.get(name) ?? undefined;
  }

  /** Ends the response: text and bytes as they are, anything else as JSON. */
  send(body?: unknown): HttpResponse {
    const isJson = body !== undefined && body !== null && typeof body !== "string" &&
      !(body instanceof Uint8Array) && !(body instanceof ReadableStream);
    return isJson ? this.json(body) : this.end(body);
  }

  /** Ends the response with JSON. */
  json(body: unknown): HttpResponse {
    if (!this.headers.has("content-type")) this.headers.set("content-type", "application/json");
    return this.end(JSON.stringify(body));
  }

  /** Ends the response. */
  end(body?: unknown): HttpResponse {
    this.#sent = true;
    this.#body = body;
    return this;
  }
}
