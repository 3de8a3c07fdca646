/**
 * The draft of a response, with what handlers of existing servers call on it.
 *
 * @module
 */

import { assertHeaderValue, statusText } from "../util/http_text.ts";
import type { CookieOptions, HttpResponse } from "./event_context.ts";
import { concatBytes } from "../util/bytes.ts";

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

type Listener = (...values: readonly unknown[]) => unknown;

/** The draft of a response. */
export class ResponseDraft implements HttpResponse {
  /** HTTP status. */
  statusCode: number | undefined;
  /** What handlers note for those behind them. */
  readonly locals: Record<string, unknown> = {};
  readonly #chunks: Uint8Array[] = [];
  readonly #listeners: Map<string, readonly Listener[]> = new Map();
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

  /** Whether a header was set. */
  hasHeader(name: string): boolean {
    return this.#headers?.has(name) === true;
  }

  /** Adds a value to a header. */
  append(name: string, value: string | readonly string[]): HttpResponse {
    for (const one of [value].flat()) this.headers.append(name, one);
    return this;
  }

  /** Adds a header to `Vary`. */
  vary(name: string): HttpResponse {
    return this.append("vary", name);
  }

  /** Sets a cookie. */
  cookie(name: string, value: string, options: CookieOptions = {}): HttpResponse {
    return this.append("set-cookie", cookieText(name, value, options));
  }

  /** Takes a cookie away. */
  clearCookie(name: string, options: CookieOptions = {}): HttpResponse {
    return this.cookie(name, "", { ...options, expires: new Date(0) });
  }

  /** Sets the header `location`. */
  location(url: string): HttpResponse {
    return this.set("location", url);
  }

  /** Sets status and headers, maybe behind a phrase, which HTTP/2 does not have. */
  writeHead(code: number, ...headers: readonly unknown[]): HttpResponse {
    const given = headers.find((one) => typeof one === "object" && one !== null) ?? {};
    for (const [name, value] of Object.entries(given)) this.setHeader(name, value as string);
    return this.status(code);
  }

  /** Adds to the body, which `end` completes. */
  write(chunk: string | Uint8Array): boolean {
    this.#chunks.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
    return true;
  }

  /** Listens to an event. */
  on(event: string, listener: Listener): HttpResponse {
    this.#listeners.set(event, [...this.#listeners.get(event) ?? [], listener]);
    return this;
  }

  /** Listens once. */
  once(event: string, listener: Listener): HttpResponse {
    const once: Listener = (...values) => {
      this.removeListener(event, once);
      return listener(...values);
    };
    return this.on(event, once);
  }

  /** Listens no more. */
  removeListener(event: string, listener: Listener): HttpResponse {
    this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter((one) => one !== listener));
    return this;
  }

  /** Calls the listeners. */
  emit(event: string, ...values: readonly unknown[]): boolean {
    const listeners = this.#listeners.get(event) ?? [];
    for (const listener of listeners) listener(...values);
    return listeners.length > 0;
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
    if (this.#chunks.length > 0 && (typeof body === "string" || body instanceof Uint8Array)) this.write(body);
    this.#sent = true;
    this.#body = this.#chunks.length > 0 ? concatBytes(this.#chunks) : body;
    this.emit("finish");
    return this;
  }
}

function cookieText(name: string, value: string, options: CookieOptions): string {
  const { path = "/", domain, maxAge, expires, httpOnly, secure, sameSite } = options;
  const site = sameSite === true ? "strict" : sameSite;
  return [
    `${name}=${encodeURIComponent(value)}`,
    `Path=${path}`,
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    ...(maxAge === undefined ? [] : [`Max-Age=${Math.floor(maxAge / 1000)}`]),
    ...(expires === undefined ? [] : [`Expires=${expires.toUTCString()}`]),
    ...(httpOnly ? ["HttpOnly"] : []),
    ...(secure ? ["Secure"] : []),
    ...(site ? [`SameSite=${site[0].toUpperCase()}${site.slice(1)}`] : []),
  ].join("; ");
}
