/**
 * The response to a request, with the headers that every answer gets (auth 11).
 *
 * @module
 */

import type { HttpContext } from "../context/event_context.ts";
import { draftOf } from "../context/http_context.ts";
import type { User } from "../context/user.ts";
import type { WireAnswer } from "../service/wire/protocol_adapter.ts";

/** What the response depends on beside the answer. */
export interface FinishOptions {
  /** Method of the request: the answer to HEAD has no body. */
  readonly method: string;
  /** Correlation id. */
  readonly id: string;
  readonly user: User;
  /** True behind https. */
  readonly secure: boolean;
  /** Has the headers that middleware set, for answers other than those of protocols. */
  readonly http?: HttpContext | undefined;
}

const ALWAYS: readonly (readonly [string, string])[] = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-resource-policy", "same-origin"],
  ["x-frame-options", "DENY"],
];

const ID = "x-correlation-id";
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** Answers without their own policy: the welcome page brings one. */
const POLICY = "content-security-policy";
/** Headers that nobody but the pipeline sets. */
const RESERVED: ReadonlySet<string> = new Set([ID, "server", ...ALWAYS.map(([name]) => name)]);
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * The response with the correlation id and the headers that protect browsers; others are kept.
 *
 * @param answer what a protocol or a route answers
 * @param options what the headers depend on
 */
export function finishResponse(answer: Response | WireAnswer, options: FinishOptions): Response {
  return answer instanceof Response ? completed(answer, options) : created(answer, options);
}

/** Headers are appended to a new response: no other way of giving them to it is as cheap. */
function created({ status, headers, body, stream }: WireAnswer, options: FinishOptions): Response {
  const isEmpty = WITHOUT_BODY.has(status);
  const hasBody = !isEmpty && options.method !== "HEAD";
  if (!hasBody) stream?.cancel();
  const content = hasBody ? stream ?? body : isEmpty ? null : nothing();
  const response = status === 200 ? new Response(content) : new Response(content, { status });
  const list = response.headers;
  let isCacheable = false;
  let hasPolicy = false;
  for (const [name, value] of headers) {
    if (RESERVED.has(name) || (isEmpty && name === "content-type")) continue;
    // a text brings a type of its own
    if (name === "content-type") list.set(name, value);
    else list.append(name, value);
    isCacheable ||= name === "etag" || name === "cache-control";
    hasPolicy ||= name === POLICY;
  }
  if (!hasBody && !isEmpty && !stream) list.set("content-length", String(byteLength(body)));
  list.append(ID, options.id);
  for (const [name, value] of ALWAYS) list.append(name, value);
  if (!hasPolicy) list.append(POLICY, API_POLICY);
  addRest(list, isCacheable, options);
  return response;
}

function completed(given: Response, options: FinishOptions): Response {
  const response = toWritable(given, options.method);
  const { headers } = response;
  addDraftHeaders(headers, options.http);
  headers.set(ID, options.id);
  for (const [name, value] of ALWAYS) headers.set(name, value);
  if (!headers.has(POLICY)) headers.set(POLICY, API_POLICY);
  addRest(headers, headers.has("etag") || headers.has("cache-control"), options);
  return response;
}

/** What middleware has set stands at every answer; what says something about a body stays with it. */
function addDraftHeaders(headers: Headers, http: HttpContext | undefined): void {
  const draft = http && draftOf(http);
  if (!draft || draft.headersSent) return;
  for (const [name, value] of draft.headers) {
    if (name === "set-cookie") headers.append(name, value);
    else if (!headers.has(name) && !RESERVED.has(name) && !OF_BODIES.test(name)) headers.set(name, value);
  }
}

const OF_BODIES = /^content-(?:type|length|encoding|language|range)$/;

/** A response whose headers can be changed, without body for HEAD. */
function toWritable(response: Response, method: string): Response {
  if (method === "HEAD" && response.body !== null) {
    response.body.cancel().catch(() => {});
    return new Response(nothing(), response);
  }
  try {
    response.headers.delete("server");
    return response;
  } catch {
    return new Response(response.body, response);
  }
}

/** The body of answers to HEAD: without one, servers would say that GET answers 0 bytes (RFC 9110 8.6). */
function nothing(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

function byteLength(body: string | Uint8Array | null): number {
  return typeof body === "string" ? new TextEncoder().encode(body).byteLength : body?.byteLength ?? 0;
}

function addRest(headers: Headers, isCacheable: boolean, { secure, user }: FinishOptions): void {
  if (secure) headers.set("strict-transport-security", "max-age=31536000; includeSubDomains");
  if (!isCacheable && user.is("authenticated-user")) headers.set("cache-control", "no-store");
}
