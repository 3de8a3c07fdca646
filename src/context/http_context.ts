/**
 * The HTTP side of a context: the request with `get(name)` and the draft of the response.
 *
 * @module
 */

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
 * Adds `get(name)` to a web request.
 *
 * @param request the request, which is changed
 * @returns the same object
 */
function toHttpRequest(request: Request): HttpRequest {
  if (!("get" in request)) {
    Object.defineProperty(request, "get", {
      value: (name: string) => request.headers.get(name) ?? undefined,
    });
  }
  return request as HttpRequest;
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

  /** Sets a header. */
  set(name: string, value: string): HttpResponse {
    this.headers.set(name, value);
    return this;
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
