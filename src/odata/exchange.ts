/**
 * One request or batch part on its way through the protocol.
 *
 * @module
 */

import type { EventContext, HttpContext } from "../context/event_context.ts";
import { requestValidity } from "../context/request_validity.ts";
import { draftOf } from "../context/http_context.ts";
import { currentContext, runInRequest } from "../context/store.ts";
import { answerTooLarge, ServiceError } from "../errors/service_error.ts";
import { exceedsBytes } from "../util/bytes.ts";
import { messagesHeader } from "../errors/messages_header.ts";
import type { LinkedModel, LinkedService } from "../model/linked.ts";
import type { ServiceHost } from "../service/host.ts";
import { runRequest } from "../service/requests/run_request.ts";
import { dispatchTo, type Service } from "../service/service.ts";
import { ServiceRequest, type ServiceRequestProperties } from "../service/requests/service_request.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { type AnswerHeaders, type HeaderEntry, HeaderList } from "./header_list.ts";
import { type Preconditions, readPreconditions } from "./headers/etag.ts";
import { parsePrefer, preferenceApplied, type Preferences } from "./headers/prefer.ts";
import { assertIsolation, negotiateVersion, type ODataVersion } from "./headers/version.ts";
import type { WireHeaders, WireRequest } from "../service/wire/wire_request.ts";
import type { JsonValue } from "./payload/parse_json.ts";
import type { EntityPlan, Plan } from "./plan/plan.ts";
import type { Snapshots } from "./snapshots/snapshots.ts";
import type { OpenStreams } from "./stream_text.ts";
import type { WireSettings } from "./settings.ts";

/**
 * Answers requests to a service with drafts.
 *
 * @param exchange the request
 * @param plan what its URL means to clients
 * @param answer answers what is no matter of drafts, and reads rows
 */
export type DraftAnswers = (
  exchange: Exchange,
  plan: Plan,
  answer: (exchange: Exchange, plan: Plan) => MaybePromise<Answer>,
) => MaybePromise<Answer>;

/** What all requests to a service share. */
export interface ProtocolScope {
  readonly service: Service;
  readonly definition: LinkedService;
  /** The model in effect: that of callers with the same feature toggles. */
  readonly model: LinkedModel;
  readonly host: ServiceHost;
  /** Path of the service root, without trailing slash. */
  readonly root: string;
  readonly settings: WireSettings;
  /** What clients have read whose changes they follow. */
  readonly snapshots: Snapshots;
  /** Answers that are streamed now. */
  readonly streams: OpenStreams;
  /** How resources with drafts are answered; undefined where the service has none. */
  readonly drafts?: DraftAnswers;
  /** What a URL below the service root means. */
  readonly plan: (rawUrl: string, method: string, pageSize?: number) => Plan;
  /** Whether the plan of a URL that is read is kept. */
  readonly isPlanned: (rawUrl: string) => boolean;
  /** The same where the query came in the body of a request. */
  readonly planBody?: ProtocolScope["plan"];
}

/** What the headers of a request ask for. */
export interface AskedByHeaders {
  readonly version: ODataVersion;
  readonly preferences: Preferences;
  readonly preconditions: Preconditions;
  /** What is wrong with them. */
  readonly headerError?: unknown;
}

/** A request or batch part. */
export interface Exchange extends AskedByHeaders {
  readonly scope: ProtocolScope;
  readonly request: WireRequest;
  readonly context: EventContext;
  /** Request and response draft of this part of a batch (spec 2.3). */
  readonly part?: HttpContext;
  /** Request and response draft: of this part of a batch; outside of batches those of the context. */
  readonly http: HttpContext | undefined;
  /** Method in upper case. */
  readonly method: string;
  /** Path and query below the service root, not decoded. */
  readonly rawUrl: string;
  /** The path that the request was sent to, where it is another one: with `/$query`. */
  readonly requestPath?: string;
  /** Whether the answer may be streamed: neither that of a part of a batch nor one that is kept. */
  readonly streams?: boolean;
  /** Member of a change set: the transaction is that of the group. */
  readonly grouped: boolean;
  /** Entity URLs of earlier parts of the batch by id. */
  readonly references?: EntityUrls;
  /** Requests dispatched so far: they hold the messages. */
  readonly requests: ServiceRequest[];
  /** What is wrong with the headers or the time asked for: thrown once the caller is known to be allowed in. */
  readonly headerError?: unknown;
}

/** Entity URLs of earlier parts of a batch by id. */
export interface EntityUrls extends Pick<ReadonlyMap<string, string>, "get"> {
  /** Whether a value of a body is an entity as an earlier part was answered, which `$<id>` stands for. */
  readonly isAnswer?: (value: JsonValue) => boolean;
}

/** What an exchange is made from. */
export interface ExchangeProperties {
  readonly request: WireRequest;
  readonly context: EventContext;
  /** Of a batch part. */
  readonly part?: HttpContext;
  readonly rawUrl: string;
  readonly references?: EntityUrls;
  /** Whether the answer may be streamed. */
  readonly streams?: boolean;
  /** Whether it is in a change set. */
  readonly grouped?: boolean;
  /** What the headers ask for, where it is known already. */
  readonly asked?: AskedByHeaders;
}

/** What headers ask for. Never throws. */
export function askedBy(headers: WireHeaders): AskedByHeaders {
  let version: ODataVersion = "4.0";
  let preconditions: Preconditions = {};
  let headerError: unknown;
  try {
    version = negotiateVersion(headers);
    assertIsolation(headers);
    preconditions = readPreconditions(headers);
  } catch (error) {
    headerError = error;
  }
  return { version, preconditions, preferences: parsePrefer(headers.get("prefer")), headerError };
}

/** An exchange with what its headers ask for. Never throws. */
export function createExchange(scope: ProtocolScope, properties: ExchangeProperties): Exchange {
  const { request, context, part, rawUrl, references, streams, grouped = false } = properties;
  const { version, preconditions, preferences, headerError } = properties.asked ?? askedBy(request.headers);
  return {
    request,
    context,
    part,
    rawUrl,
    references,
    streams,
    http: part ?? context.http,
    scope,
    method: request.method.toUpperCase(),
    version,
    preconditions,
    preferences,
    grouped,
    requests: [],
    headerError: headerError ?? readValidity(context, rawUrl),
  };
}

/** Tells the context the time that a URL asks for; returns what is wrong with it. */
function readValidity(context: EventContext, rawUrl: string): unknown {
  try {
    const validity = requestValidity(rawUrl);
    if (validity) context.validity = validity;
  } catch (error) {
    return error;
  }
}

/** Path of a raw URL, without query. */
export function rawPathOf(exchange: Exchange): string {
  const at = exchange.rawUrl.indexOf("?");
  return at < 0 ? exchange.rawUrl : exchange.rawUrl.slice(0, at);
}

/**
 * The plan of a URL that is made of names and keys of entities.
 *
 * @param exchange the exchange
 * @param url the URL, below the service root
 * @param method what is done there
 */
export function entityPlan({ scope }: Exchange, url: string, method = "GET"): EntityPlan {
  return scope.plan(url, method) as EntityPlan; // such URLs lead to entities
}

/** The path that context URLs are relative to. */
export function requestPathOf(exchange: Exchange): string {
  return exchange.requestPath ?? rawPathOf(exchange);
}

/**
 * Runs the work of an exchange in its transaction: its own, or that of its group.
 *
 * @param exchange the exchange
 * @param run the work
 */
export function inTransaction<T>(exchange: Exchange, run: () => MaybePromise<T>): MaybePromise<T> {
  if (!exchange.grouped) return runRequest(exchange.scope.host, exchange.context, run);
  return exchange.context === currentContext() ? run() : runInRequest(exchange.context, run);
}

/**
 * The status that a handler has set.
 *
 * @param exchange the exchange
 */
export function chosenStatus({ http }: Exchange): number | undefined {
  return http && draftOf(http)?.statusCode;
}

/** What a request to the service is made from; context, headers, request and response are those of the exchange. */
export type DispatchProperties = Omit<ServiceRequestProperties, "context" | "part" | "headers">;

/**
 * A request to the service that belongs to an exchange.
 *
 * @param exchange the exchange
 * @param properties what the request is about
 */
export function createRequest(exchange: Exchange, properties: DispatchProperties): ServiceRequest {
  const { context, part } = exchange;
  return withRequest(exchange, new ServiceRequest({ ...properties, context, part }));
}

/**
 * Makes a request part of an exchange: its messages belong to the answer.
 *
 * @param exchange the exchange
 * @param request made with its context and part
 * @returns the same request
 */
export function withRequest(exchange: Exchange, request: ServiceRequest): ServiceRequest {
  exchange.requests.push(request);
  return request;
}

/**
 * Sends a request to the service.
 *
 * @throws ServiceError 403 for an operation that a page of another site calls: functions may change something, too
 */
export function dispatch(exchange: Exchange, properties: DispatchProperties): MaybePromise<unknown> {
  if (properties.operation && exchange.request.isFromOtherSite) {
    throw calledFromOtherSite(exchange, properties);
  }
  return dispatchTo(exchange.scope.service, createRequest(exchange, properties));
}

function calledFromOtherSite(
  { scope: { host }, request }: Exchange,
  { event }: DispatchProperties,
): ServiceError {
  const site = request.headers.get("origin") ?? "another site";
  host.log("http").warn(
    `Call of ${event} by a page of ${site} refused: "fw.server.cors.origins" does not list it`,
  );
  return new ServiceError({ status: 403 });
}

/** Parts of an answer that depend on the resource. */
export interface AnswerParts {
  readonly status: number;
  readonly body?: Answer["body"];
  readonly stream?: Answer["stream"];
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Preferences that were honoured, by name without prefix. */
  readonly applied?: readonly string[];
  readonly entityUrl?: string;
}

/** The preference "return" as applied, where it asks for what an answer holds. */
export function appliedReturn({ preferences }: Exchange, held: Preferences["return"]): readonly string[] {
  return held !== undefined && preferences.return === held ? ["return"] : NONE;
}

/**
 * Completes an answer: version, messages, preferences, and what handlers set on the response.
 *
 * @param exchange the exchange
 * @param parts what the resource says
 * @throws ServiceError 413 for what was read and is too large; what has changed something is told
 */
export function finishAnswer(exchange: Exchange, parts: AnswerParts): Answer {
  const { contentType } = parts;
  assertSize(exchange, parts.body);
  const headers = firstHeaders(exchange.version, contentType);
  const draft = exchange.http && draftOf(exchange.http);
  if (draft && hasHeaders(draft)) {
    for (const [name, value] of draft.headers) {
      const isOwn = name === "odata-version" || (name === "content-type" && contentType !== undefined);
      if (!isOwn) headers.append(name, value);
    }
  }
  for (const name in parts.headers) {
    const value = parts.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  const applied = appliedTo(exchange.preferences, parts);
  if (applied !== undefined) headers.set("Preference-Applied", applied);
  setMessages(exchange, headers);
  const { status, body = null, entityUrl, stream } = parts;
  return { status, headers, body, entityUrl, stream };
}

/** The preferences that were followed: those of the resource, and which annotations its content has. */
function appliedTo(
  preferences: Preferences,
  { applied = NONE, contentType = "" }: AnswerParts,
): string | undefined {
  const isAnnotated = preferences.annotations !== undefined && /^application\/(?:json|xml)/.test(contentType);
  return preferenceApplied(preferences, isAnnotated ? [...applied, "include-annotations"] : applied);
}

const NONE: readonly string[] = [];

/** What models say is as large as they are. */
const OF_MODELS = /^(?:(?:\$|%24)metadata|openapi\.json)/i;

function assertSize({ method, rawUrl, scope: { host } }: Exchange, body: AnswerParts["body"]): void {
  const { answerBytes } = host.limits;
  if (typeof body !== "string" || !exceedsBytes(body, answerBytes)) return;
  if ((method === "GET" || method === "HEAD") && !OF_MODELS.test(rawUrl)) throw answerTooLarge(answerBytes);
}

/** What the headers of most answers are, by version. */
export const JSON_HEADERS: Readonly<Record<ODataVersion, HeaderList>> = {
  "4.0": new HeaderList([["odata-version", "4.0"], ["content-type", "application/json"]]),
  "4.01": new HeaderList([["odata-version", "4.01"], ["content-type", "application/json"]]),
};

/** A list with version and content type. */
function firstHeaders(version: ODataVersion, contentType: string | undefined): HeaderList {
  if (contentType === "application/json") return new HeaderList(JSON_HEADERS[version]);
  const own: HeaderEntry = ["odata-version", version];
  return new HeaderList(contentType === undefined ? [own] : [own, ["content-type", contentType]]);
}

function hasHeaders(draft: object): boolean {
  return !("hasHeaders" in draft) || draft.hasHeaders === true;
}

/** Adds the messages that handlers recorded. */
export function setMessages(exchange: Exchange, headers: AnswerHeaders): void {
  const { host, settings } = exchange.scope;
  const { requests } = exchange;
  if (requests.length === 0 || !requests.some((request) => request.hasMessages)) return;
  const messages = exchange.requests.flatMap((request) => request.hasMessages ? request.messages : []);
  const value = messagesHeader(messages, {
    texts: host.texts,
    locale: exchange.context.locale,
    maxBytes: host.limits.messagesHeaderBytes,
  });
  if (value !== undefined) headers.set(settings.messagesHeader, value);
}

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
