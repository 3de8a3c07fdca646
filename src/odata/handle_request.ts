import { ServiceError } from "../errors/service_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { draftOf } from "../context/http_context.ts";
import { runInRequest } from "../context/store.ts";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import { type Answer, type Exchange, finishAnswer, inTransaction, rawPathOf } from "./exchange.ts";
import { allowedMethods, isAllowed, methodNotAllowed, notAllowed } from "./methods.ts";
import type { Plan, PropertyPlan } from "./plan/plan.ts";
import { mediaTypeOf, readText, unsupportedMediaType } from "../service/wire/read_body.ts";
import { changeEntities } from "./resources/change_entities.ts";
import { postEntity } from "./resources/create.ts";
import { writeEach } from "./resources/each.ts";
import { readMetadata, readOpenApi, readServiceDocument } from "./resources/metadata.ts";
import { answerBehindFunction, readPart } from "./resources/behind_function.ts";
import { callOperation } from "./resources/operation.ts";
import {
  readProperty,
  readRawValue,
  readRow,
  writeProperty,
  writeRawValueOf,
  writtenAnswer,
} from "./resources/property.ts";
import { readAll, readCrossjoin } from "./resources/read_service.ts";
import { readCount, readEntity, readEntitySet } from "./resources/read_entities.ts";
import { writeReference } from "./resources/reference.ts";
import { readStream, writeStream } from "./resources/stream.ts";
import { deltaToken, readDelta } from "./resources/track_changes.ts";
import { deleteEntity, putEntity, updateRow } from "./resources/update.ts";
import { requestValidity } from "../context/request_validity.ts";
import { checkLength, parseUrl } from "./url/parse_url.ts";
import { formatFor } from "./headers/accept.ts";
import { relativeUrl } from "./payload/body_input.ts";
import { readMemberBody } from "./payload/request_body.ts";
import { keyPredicate } from "./payload/key_predicate.ts";
import { counted } from "../util/counted.ts";

/**
 * Answers a request to a resource of a service, everything but a batch. It may run briefly in the context of the request:
 * what may wait enters it.
 *
 * @param exchange the request
 * @throws whatever goes wrong
 */
export function handleRequest(exchange: Exchange): MaybePromise<Answer> {
  return andThen(makeAnswer(exchange), (made) => sentOr(exchange, made));
}

/**
 * Makes the answer to a request, for those who look themselves whether a handler has answered it: `sentOr`.
 *
 * @param sent the request
 * @throws whatever goes wrong
 */
export function makeAnswer(sent: Exchange): MaybePromise<Answer> {
  if (sent.headerError !== undefined) throw sent.headerError;
  if (!isQueryRequest(sent)) return handlePlanned(sent);
  return sent.method === "OPTIONS"
    ? finishAnswer(sent, { status: 204, headers: { allow: QUERY_METHODS.join(", ") } })
    : runInRequest(sent.context, () => withQueryBody(sent).then(handlePlanned));
}

function handlePlanned(exchange: Exchange): MaybePromise<Answer> {
  const token = deltaToken(exchange);
  if (token !== undefined) return readChanges(exchange, token);
  const plan = exchange.scope.plan(urlWithoutId(exchange), exchange.method, exchange.preferences.maxPageSize);
  assertSchemaVersion(exchange, plan);
  const { method } = exchange;
  if (method === "OPTIONS") {
    return finishAnswer(exchange, { status: 204, headers: { allow: allowedMethods(plan).join(", ") } });
  }
  assertMethod(exchange, plan);
  return exchange.scope.drafts?.(exchange, plan, answerPlanned) ?? answerPlanned(exchange, plan);
}

function answerPlanned(exchange: Exchange, plan: Plan): MaybePromise<Answer> {
  const { method } = exchange;
  if (plan.target && plan.source !== undefined) return answerBehindFunction(exchange, plan, read);
  return method === "GET" || method === "HEAD" ? read(exchange, plan) : write(exchange, plan);
}

function readChanges(exchange: Exchange, token: string): MaybePromise<Answer> {
  return runInRequest(exchange.context, () => readDelta(exchange, token));
}

/**
 * What a handler answered by itself, or else the answer that was made.
 *
 * @param exchange the request
 * @param made the answer
 */
export function sentOr(exchange: Exchange, made: Answer): Answer {
  const sent = sentByHandler(exchange);
  if (sent) made.stream?.cancel();
  return sent ?? made;
}

/** `$schemaversion` must be that of the service, if it has one (Protocol 11.2.12). */
function assertSchemaVersion({ scope }: Exchange, { options: { schemaversion } }: Plan): void {
  if (schemaversion === undefined || schemaversion === "*") return;
  const version = scope.definition["@Core.SchemaVersion"];
  if (typeof version !== "string") return;
  if (schemaversion !== version) throw new ServiceError({ status: 404 });
}

function assertMethod(exchange: Exchange, plan: Plan): void {
  if (isAllowed(plan, exchange.method)) return;
  const isForm = exchange.method === "PATCH" && (plan.kind === "stream" || plan.kind === "media");
  const type = mediaTypeOf(exchange.request.headers.get("content-type"));
  if (isForm && type !== "" && type !== "application/json") throw unsupportedMediaType();
  throw methodNotAllowed(plan);
}

function read(exchange: Exchange, plan: Plan): MaybePromise<Answer> {
  switch (plan.kind) {
    case "entitySet":
      return readEntitySet(exchange, plan);
    case "entity":
      return readEntity(exchange, plan);
    case "operation":
      return callOperation(exchange, plan);
    default:
      return runInRequest(exchange.context, () => readOther(exchange, plan));
  }
}

function readOther(exchange: Exchange, plan: Plan): MaybePromise<Answer> {
  switch (plan.kind) {
    case "serviceDocument":
      return readServiceDocument(exchange, plan);
    case "metadata":
      return readMetadata(exchange, plan);
    case "openapi":
      return readOpenApi(exchange, "odata");
    case "ref":
      return plan.collection ? readEntitySet(exchange, plan) : readEntity(exchange, plan);
    case "count":
      return readCount(exchange, plan);
    case "property":
      return readProperty(exchange, plan);
    case "value":
      return readRawValue(exchange, plan);
    case "stream":
      return readStream(exchange, plan);
    case "media":
      throw new ServiceError({ status: 400, message: "The entity has no media stream" });
    case "part":
      return readPart(exchange, plan);
    case "all":
      return readAll(exchange, plan);
    case "crossjoin":
      return readCrossjoin(exchange, plan);
    default:
      throw methodNotAllowed(plan);
  }
}

function write(exchange: Exchange, plan: Plan): MaybePromise<Answer> {
  const { method } = exchange;
  if (plan.kind === "entitySet" && method === "POST") return postEntity(exchange, plan);
  if (plan.kind === "entity") {
    return method === "DELETE" ? deleteEntity(exchange, plan) : putEntity(exchange, plan);
  }
  if (plan.kind === "operation") return callOperation(exchange, plan);
  return runInRequest(exchange.context, () => writeOther(exchange, plan));
}

function writeOther(exchange: Exchange, plan: Plan): MaybePromise<Answer> {
  switch (plan.kind) {
    case "entitySet":
      return changeEntities(exchange, plan);
    case "each":
      return writeEach(exchange, plan);
    case "property":
      return exchange.method === "POST" ? insertValue(exchange, plan) : writeProperty(exchange, plan);
    case "value":
      return writeRawValueOf(exchange, plan);
    case "stream":
      return writeStream(exchange, plan);
    case "ref":
      return writeReference(exchange, plan);
    default:
      throw methodNotAllowed(plan);
  }
}

/** What a handler answered by itself (`req.res.send`). */
function sentByHandler(exchange: Exchange): Answer | undefined {
  const draft = exchange.http && draftOf(exchange.http);
  if (!draft?.headersSent) return undefined;
  const { body } = draft;
  const answer = finishAnswer(exchange, { status: draft.statusCode ?? 200 });
  if (body instanceof Uint8Array) return { ...answer, body: new Uint8Array(body) };
  return { ...answer, body: body === undefined || body === null ? null : String(body) };
}

/** Methods of `/$query`. */
const QUERY_METHODS: readonly string[] = ["POST", "OPTIONS"];

const MEDIA_TYPES: ReadonlySet<string> = new Set(["text/plain", "application/x-www-form-urlencoded"]);
const END = /\/(?:\$|%24)query$/;

/**
 * Whether the path of a request ends with `/$query`.
 *
 * @param exchange the request
 */
function isQueryRequest(exchange: Exchange): boolean {
  return exchange.rawUrl.includes("query") && END.test(rawPathOf(exchange));
}

/**
 * The GET request that a request to `/$query` stands for: options of its body come behind those of its URL.
 *
 * @param exchange the request
 * @returns the request to the resource in front of `/$query`
 * @throws {ServiceError} 405 for other methods than POST, 415 for other bodies than text, 413, 414
 */
async function withQueryBody(exchange: Exchange): Promise<Exchange> {
  const { request, scope, rawUrl, method } = exchange;
  if (method !== "POST") throw notAllowed(QUERY_METHODS);
  const type = mediaTypeOf(request.headers.get("content-type"));
  if (!MEDIA_TYPES.has(type)) throw unsupportedMediaType("text/plain", type);
  checkLength(rawUrl.length, scope.host.limits);
  const requestPath = rawPathOf(exchange);
  const options = [
    rawUrl.slice(requestPath.length + 1),
    (await readText(request, scope.settings.body)).trim(),
  ];
  const query = options.filter((option) => option !== "").join("&");
  const url = `${requestPath.replace(END, "")}${query === "" ? "" : `?${query}`}`;
  const validity = requestValidity(url);
  if (validity) exchange.context.validity = validity;
  return {
    ...exchange,
    method: "GET",
    rawUrl: url,
    requestPath,
    scope: { ...scope, plan: scope.planBody ?? scope.plan },
  };
}

/** Answers POST to a collection of values: adds one at the end, or where `$index` says. */
async function insertValue(exchange: Exchange, plan: PropertyPlan): Promise<Answer> {
  const { name, element } = plan.property;
  const format = formatFor(exchange, plan);
  const value = await readMemberBody(exchange, element);
  const updated = await inTransaction(exchange, async () => {
    const { SELECT } = plan.query;
    // locked: what others add meanwhile is not lost
    const row = await readRow(exchange, plan, { SELECT: { ...SELECT, forUpdate: true } });
    const values = Array.isArray(row[name]) ? row[name] : [];
    const most = exchange.scope.host.limits.collectionValues;
    if (values.length >= most) {
      throw new ServiceError({ status: 400, message: `A collection holds at most ${most} values` });
    }
    const at = positionIn(values, plan.options.index);
    return await updateRow(exchange, plan, { row: { [name]: values.toSpliced(at, 0, value) } });
  });
  return writtenAnswer(exchange, plan, { row: updated.row, format });
}

/** Negative positions count from the end; -1 adds the last value. */
function positionIn({ length }: readonly unknown[], index = -1): number {
  const at = index < 0 ? length + 1 + index : index;
  if (at >= 0 && at <= length) return at;
  throw new ServiceError({
    status: 400,
    message: `$index is outside of a collection of ${counted(length, "value")}`,
  });
}

/**
 * The URL that a request means.
 *
 * @param exchange the request
 * @returns path and query below the service root, without `$id`
 * @throws {ServiceError} 400 when the id is missing or addresses no entity
 */
function urlWithoutId(exchange: Exchange): string {
  const { rawUrl, method } = exchange;
  if (method !== "DELETE" && !rawUrl.startsWith("$entity")) return rawUrl;
  const [path, ...query] = rawUrl.split("?");
  const isEntity = path === "$entity" || path!.startsWith("$entity/");
  if (!isEntity && !(method === "DELETE" && path!.endsWith("/$ref"))) return rawUrl;
  const options = query.join("?").split("&").filter((option) => option !== "");
  if (isEntity) parseUrl(rawUrl, exchange.scope.host.limits);
  const given = options.find(isId);
  if (given === undefined) return rawUrl;
  const others = options.filter((option) => !isId(option)).join("&");
  const cast = path!.slice("$entity".length);
  return (isEntity ? entityUrl(exchange, given) + cast : memberUrl(exchange, path!, given)) +
    (others === "" ? "" : `?${others}`);
}

function isId(option: string): boolean {
  return /^(?:\$|%24)?id=/i.test(option);
}

function entityUrl(exchange: Exchange, option: string): string {
  if (exchange.method !== "GET" && exchange.method !== "HEAD") throw notAllowed(["GET", "HEAD"]);
  const url = urlOf(exchange, option);
  if (exchange.scope.plan(url, "GET").kind !== "entity") throw badId(`"${url}" does not address an entity`);
  return url;
}

function memberUrl(exchange: Exchange, path: string, option: string): string {
  const plan = exchange.scope.plan(urlOf(exchange, option), "GET");
  const predicate = plan.kind === "entity"
    ? keyPredicate(plan.target, plan.addressed.params.at(-1) ?? {})
    : undefined;
  if (predicate === undefined) throw badId('"$id" does not address an entity');
  return `${path.slice(0, -"/$ref".length)}${predicate}/$ref`;
}

/** The URL in the option, relative to the service root; its own options are left out. */
function urlOf(exchange: Exchange, option: string): string {
  const value = option.slice(option.indexOf("=") + 1);
  // a decoded id keeps the escapes of its own
  const url = /%2[fF]|%28|%3[aA]/.test(value) ? decode(value) : value;
  assertOwnHost(exchange, url);
  return relativeUrl(exchange, url.split(/[?#]/, 1)[0]!);
}

/** An entity of another service may have the same path; what proxies say of our own host need not be trusted here. */
function assertOwnHost({ request: { headers }, http, scope: { host: { env } } }: Exchange, id: string): void {
  const host = hostOf(id);
  if (host === undefined) return;
  const { base_url: base } = isPlainObject(env.server) ? env.server : {};
  const own = [
    ...[String(base ?? ""), http?.req.url ?? ""].map(hostOf),
    headers.get("host"),
    ...headers.get("x-forwarded-host")?.split(",").map((one) => one.trim()) ?? [],
  ].filter((one) => one !== undefined && one !== null);
  if (own.length === 0 || own.includes(host)) return;
  throw badId(`"$id" names the host "${host}", and this service is at "${own[0]}" ("fw.server.base_url")`);
}

function hostOf(url: string): string | undefined {
  return url.includes("://") && URL.canParse(url) ? new URL(url).host : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new ServiceError({ status: 400, message: "Malformed percent-encoding in $id", cause: error });
  }
}

function badId(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}
