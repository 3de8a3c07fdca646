/**
 * HCQL as protocol of a service: queries as JSON (CQN) or text (CQL), on the stages of OData.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { parseCqlQuery } from "../cqn/parse_cql.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Query, Row } from "../cqn/cqn.ts";
import { fromReadable } from "../errors/normalize_error.ts";
import { sanitizeError } from "../errors/sanitize_error.ts";
import { ServiceError, unsupported } from "../errors/service_error.ts";
import { draftsOf } from "../model/drafts/draft_names.ts";
import type { LinkedEntity, LinkedOperation } from "../model/linked.ts";
import {
  type Answer,
  createExchange,
  dispatch,
  type Exchange,
  finishAnswer,
  inTransaction,
  rawPathOf,
} from "../odata/exchange.ts";
import { hasErrorBody, readFailure } from "../odata/error_answer.ts";
import { answerLive, asksForEvents } from "../odata/live/live_answer.ts";
import { createScopes } from "../odata/odata_adapter.ts";
import { type JsonValue, parseJson } from "../odata/payload/parse_json.ts";
import { readEntity, readParameters } from "../odata/payload/read_row.ts";
import { isJsonObject } from "../odata/payload/reading.ts";
import { checked } from "../odata/payload/body_input.ts";
import { assertFewRows, qualifiedName } from "../odata/payload/request_body.ts";
import { stringify } from "../odata/payload/write_value.ts";
import { pageSizes, type QueryLimit } from "../odata/plan/options/query_size.ts";
import { authorizeService } from "../service/authorization/authorize_service.ts";
import type { ProtocolAdapter, ProtocolFactory, ProtocolOptions } from "../service/wire/protocol_adapter.ts";
import { mediaTypeOf, readText, unsupportedMediaType } from "../service/wire/read_body.ts";
import type { WireRequest } from "../service/wire/wire_request.ts";
import { type ClientScope, clientSelect, clientTarget, clientWhere, entityNamed } from "./client_query.ts";
import { stepName } from "../cqn/steps.ts";
import { jsonOr } from "../util/json_text.ts";
import { keyNames } from "../model/keys.ts";

/** Serves a service by HCQL. */
export const createHcqlAdapter: ProtocolFactory = (options: ProtocolOptions): ProtocolAdapter => {
  const scopeOf = createScopes(options);
  return {
    kind: "hcql",
    async handle(request: WireRequest, context: EventContext, path: string): Promise<Answer> {
      const scope = scopeOf(context);
      authorizeService(scope, context, { path });
      const exchange = createExchange(scope, { request, context, rawUrl: path });
      try {
        return await answer(exchange);
      } catch (error) {
        return fromReadable(error, (readable) => failure(exchange, readable));
      }
    },
  };
};

/** What is answered. */
interface Outcome {
  readonly status: number;
  readonly body: object;
}

async function answer(exchange: Exchange): Promise<Answer> {
  if (exchange.headerError !== undefined) throw exchange.headerError;
  if (asksForEvents(exchange)) {
    const live = await answerLive(exchange, { followsChanges: false });
    live.headers.delete("OData-Version");
    return live;
  }
  const { method } = exchange;
  const isRead = method === "GET" || method === "HEAD";
  if (!isRead && method !== "POST") {
    throw new ServiceError({ status: 405, message: "HCQL takes GET and POST" });
  }
  const path = decoded(rawPathOf(exchange)).trim();
  const operation = operationNamed(exchange, path);
  const { status, body } = operation
    ? await call(exchange, operation)
    : isRead
    ? await read(exchange, path)
    : await run(exchange, path);
  return finish(exchange, status, stringify(body));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw new ServiceError({ status: 400, message: "The path is not properly encoded", cause });
  }
}

function finish(exchange: Exchange, status: number, body: string): Answer {
  const done = finishAnswer(exchange, { status, contentType: "application/json", body });
  done.headers.delete("OData-Version");
  return done;
}

function failure(exchange: Exchange, error: unknown): Answer {
  const { error: normalized, headers } = readFailure(exchange, error, "hcql");
  headers.delete("OData-Version");
  const { status } = normalized;
  if (!hasErrorBody(status)) return { status, headers, body: null };
  const { details, ...own } = sanitizeError(normalized, "rest") as HcqlError & {
    details?: readonly HcqlError[];
  };
  headers.set("Content-Type", "application/json");
  return {
    status,
    headers,
    body: stringify({ errors: (details?.length ? details : [own]).map(withoutStatus) }),
  };
}

interface HcqlError {
  readonly code?: string;
}

/** A code that is nothing but a status says nothing. */
function withoutStatus({ code, ...others }: HcqlError): object {
  return code === undefined || /^\d{3}$/.test(code) ? others : { code, ...others };
}

/** What `GET /Books { ID, title } where …` reads; the body may hold its end. `GET /Books/201 { title }` reads a row. */
async function read(exchange: Exchange, path: string): Promise<Outcome> {
  if (path === "") {
    throw new ServiceError({ status: 400, message: "A query is expected: /<entity> { columns }" });
  }
  const end = await textOf(exchange);
  const [, name, key, tail] = /^([\w.]+)\/((?:'(?:[^']|'')*'|[^\s{/'])+)\s*([^]*)$/.exec(path) ?? [];
  if (key === undefined) return await select(exchange, parsed(`SELECT from ${path} ${end}`));
  const ofRow = keyCondition(entityNamed(clientScope(exchange), name), key);
  const { SELECT } = parsed(`SELECT from ${name} ${tail} ${end}`) as { readonly SELECT: RowSelect };
  const where = SELECT.where ? [...ofRow, "and", { xpr: SELECT.where }] : ofRow;
  const outcome = await select(exchange, { SELECT: { ...SELECT, one: true, where } });
  if ((outcome.body as { readonly data: unknown }).data !== null) return outcome;
  throw new ServiceError({ status: 404, message: `There is no row "${key}"` });
}

interface RowSelect {
  readonly where?: JsonValue;
  readonly [clause: string]: JsonValue | undefined;
}

/** The condition that a key in a path means: `201`, `'a text'`, or `name=value,…`. */
function keyCondition({ $flatKeys: keys, $localName }: LinkedEntity, text: string): JsonValue[] {
  const parts = text.match(/(?:'(?:[^']|'')*'|[^,'])+/g) ?? [];
  const given = keys.length === 1 && !/^\w+=/.test(text)
    ? [[keys[0].name, text]]
    : parts.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]);
  const values = new Map(given.map(([name, value]) => [name, value] as const));
  if (values.size !== keys.length) {
    const names = keys.map(({ name }) => name).join(", ");
    throw new ServiceError({ status: 400, message: `A row of ${$localName} has the keys ${names}` });
  }
  return keys.flatMap(({ name, type }, at): JsonValue[] => {
    const value = keyValue(values.get(name), type.builtin);
    if (value !== undefined) return [...(at > 0 ? ["and"] : []), { ref: [name] }, "=", { val: value }];
    throw new ServiceError({ status: 400, message: `"${text}" is no key of ${$localName}` });
  });
}

function keyValue(text: string | undefined, type = ""): JsonValue | undefined {
  if (text === undefined) return undefined;
  if (/^'.*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  if (!/^cds\.(?:U?Int|Integer|Double)/.test(type)) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) || type === "cds.Double" && Number.isFinite(number)
    ? number
    : undefined;
}

/** A text as query; what the grammar knows beyond plain queries of clients is refused with these. */
function parsed(text: string): JsonValue {
  try {
    return JSON.parse(JSON.stringify(parseCqlQuery(text)));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ServiceError({ status: 400, message: error.message, cause: error });
  }
}

async function textOf({ request, scope }: Exchange): Promise<string> {
  return request.body === null ? "" : await readText(request, scope.settings.body);
}

function operationNamed({ scope }: Exchange, path: string): LinkedOperation | undefined {
  return [...scope.definition.operations].find((operation) =>
    operation["@cds.api.ignore"] !== true &&
    (operation.name === path || operation.name === `${scope.definition.name}.${path}`)
  );
}

/** Calls an action by POST with its parameters as body, a function by GET with parameters in the query. */
async function call(exchange: Exchange, operation: LinkedOperation): Promise<Outcome> {
  const isAction = operation.kind === "action";
  if (isAction !== (exchange.method === "POST")) {
    const message = isAction ? "Actions are called by POST" : "Functions are called by GET";
    throw new ServiceError({ status: 405, message });
  }
  const given = isAction ? await jsonOf(exchange) : argumentsOf(exchange, operation);
  if (!isJsonObject(given)) {
    throw new ServiceError({ status: 400, message: "Parameters are expected as an object" });
  }
  const { definition } = exchange.scope;
  const owner = qualifiedName(operation, definition.name);
  const data = checked(exchange, (options) => readParameters(given, operation.params, { options, owner }));
  const event = operation.name.slice(definition.name.length + 1);
  const result = await inTransaction(
    exchange,
    () => dispatch(exchange, { event, operation, data, params: [] }),
  );
  return { status: 200, body: { data: result ?? null } };
}

function argumentsOf({ rawUrl }: Exchange, { params }: LinkedOperation): JsonValue {
  const mark = rawUrl.indexOf("?");
  const given = new URLSearchParams(mark < 0 ? "" : rawUrl.slice(mark + 1));
  return Object.fromEntries([...given].map(([name, text]): [string, JsonValue] => {
    const type = Object.hasOwn(params, name) ? params[name]!.$type.builtin : undefined;
    return [name, type === "cds.String" || type === "cds.UUID" ? text : jsonOr(text, text) as JsonValue];
  }));
}

async function jsonOf(exchange: Exchange): Promise<JsonValue> {
  const text = await textOf(exchange);
  return text.trim() === "" ? {} : parseJson(text, exchange.scope.host.limits.jsonDepth);
}

/** A query in the body: JSON, or text. */
async function run(exchange: Exchange, path: string): Promise<Outcome> {
  if (path !== "") {
    throw new ServiceError({ status: 404, message: `There is no operation "${path}"` });
  }
  const type = exchange.request.headers.get("content-type");
  const media = mediaTypeOf(type);
  if (media !== "text/plain" && media !== "application/json") {
    throw unsupportedMediaType("application/json", type ?? "");
  }
  const query = media === "text/plain" ? parsed(await textOf(exchange)) : await jsonOf(exchange);
  if (!isJsonObject(query)) {
    throw new ServiceError({ status: 400, message: "A query is expected as an object" });
  }
  if ("SELECT" in query || "SET" in query) return await select(exchange, query);
  return await write(exchange, query);
}

async function select(exchange: Exchange, given: JsonValue): Promise<Outcome> {
  const query = isJsonObject(given) && "SELECT" in given ? given.SELECT : undefined;
  if (query === undefined) {
    throw unsupported("Unions are not run for clients");
  }
  const read = clientSelect(query, clientScope(exchange));
  const result = await inTransaction(exchange, () => dispatch(exchange, propertiesOf("READ", read)));
  return { status: 200, body: { data: result ?? null } };
}

interface Targeted {
  readonly query: Query;
  readonly target: LinkedEntity;
  readonly data?: unknown;
}

/** The path of a request names entities and associations; subqueries in it are none of clients. */
function propertiesOf(event: string, { query, target, data }: Targeted) {
  const from = "SELECT" in query && "ref" in query.SELECT.from ? query.SELECT.from.ref : [target.name];
  const path = from.map(stepName).join("/");
  return { event, query, target, path, ...(data === undefined ? {} : { data }) };
}

function clientScope({ scope }: Exchange): ClientScope {
  const { definition, model, host } = scope;
  const { limit = {} } = (host.env.query ?? {}) as { readonly limit?: QueryLimit };
  const pageSize = (entity: LinkedEntity, asked: number | undefined) => {
    const { maxRows, defaultRows } = pageSizes(entity, limit, host.limits.pageSize);
    return Math.min(asked ?? defaultRows, maxRows);
  };
  return { definition, model, limits: host.limits, pageSize };
}

const WRITES = ["INSERT", "UPSERT", "UPDATE", "DELETE"] as const;

async function write(exchange: Exchange, query: { readonly [name: string]: JsonValue }): Promise<Outcome> {
  const kind = WRITES.find((one) => isJsonObject(query[one]));
  if (!kind || Object.keys(query).length !== 1) {
    throw new ServiceError({ status: 400, message: `A query is one of SELECT, ${WRITES.join(", ")}` });
  }
  const body = query[kind] as { readonly [name: string]: JsonValue }; // found to be one
  const scope = clientScope(exchange);
  const target = clientTarget(body.into ?? body.entity ?? body.from, scope);
  if (exchange.scope.model.entity(draftsOf(target.name))) {
    const message = `Writes of "${target.$localName}", which has drafts, belong to OData`;
    throw unsupported(message);
  }
  if (kind === "INSERT" || kind === "UPSERT") return await insert(exchange, { kind, body, target });
  if (body.where === undefined) {
    throw new ServiceError({ status: 400, message: `${kind} needs a condition (where)` });
  }
  const where = clientWhere(body.where, target, scope);
  if (kind === "DELETE") {
    const affected = await send(exchange, "DELETE", {
      query: { DELETE: { from: target.name, where } },
      target,
    });
    return { status: 200, body: { data: [], affected: Number(affected) } };
  }
  const data = rowOf(exchange, body.data ?? null, target);
  for (const { name } of target.$flatKeys) delete data[name];
  const update = { UPDATE: { entity: target.name, data, where } };
  const affected = await send(exchange, "UPDATE", { query: update, target, data });
  return { status: 200, body: { data: [], affected: Number(affected) } };
}

interface Insert {
  readonly kind: "INSERT" | "UPSERT";
  readonly body: { readonly [name: string]: JsonValue };
  readonly target: LinkedEntity;
}

async function insert(exchange: Exchange, { kind, body, target }: Insert): Promise<Outcome> {
  if (!Array.isArray(body.entries) || body.entries.length === 0) {
    throw new ServiceError({ status: 400, message: `${kind} needs rows (entries)` });
  }
  assertFewRows(exchange, body.entries.length);
  const entries = body.entries.map((entry) => rowOf(exchange, entry, target));
  const rows = { into: target.name, entries };
  const query: Query = kind === "INSERT" ? { INSERT: rows } : { UPSERT: rows };
  const data = entries.length === 1 ? entries[0] : entries;
  await send(exchange, kind === "INSERT" ? "CREATE" : "UPSERT", { query, target, data });
  if (kind === "UPSERT") return { status: 200, body: { data: [], affected: entries.length } };
  const names = keyNames(target);
  const keys = entries.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  return { status: 201, body: { data: keys, affected: entries.length } };
}

function send(exchange: Exchange, event: string, targeted: Targeted): unknown {
  return inTransaction(exchange, () => dispatch(exchange, propertiesOf(event, targeted)));
}

function rowOf(exchange: Exchange, value: JsonValue, target: LinkedEntity): Row {
  return checked(exchange, (options) => readEntity(value, target, options));
}
