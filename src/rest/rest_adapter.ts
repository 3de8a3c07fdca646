/**
 * REST as protocol of a service, on the stages of OData.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { ServiceError, unsupported } from "../errors/service_error.ts";
import { hasParameters } from "../model/runtime_view.ts";
import { exposedEntities } from "../model/service_document.ts";
import {
  type Answer,
  chosenStatus,
  createExchange,
  type Exchange,
  inTransaction,
} from "../odata/exchange.ts";
import { explainUrl } from "../odata/explain_url.ts";
import { answerLive, asksForEvents } from "../odata/live/live_answer.ts";
import { allowedMethods, notAllowed } from "../odata/methods.ts";
import { createScopes } from "../odata/odata_adapter.ts";
import type { OperationPlan, Plan, PlanKind, RowsPlan } from "../odata/plan/plan.ts";
import { readOpenApi } from "../odata/resources/metadata.ts";
import { readStream, writeStream } from "../odata/resources/stream.ts";
import { deleteEntity } from "../odata/resources/update.ts";
import { authorizeService } from "../service/authorization/authorize_service.ts";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import type { ProtocolAdapter, ProtocolFactory, ProtocolOptions } from "../service/wire/protocol_adapter.ts";
import type { WireRequest } from "../service/wire/wire_request.ts";
import { jsonAnswer, restAnswer, restErrorAnswer } from "./rest_answer.ts";
import { readCollection, readNumber, readPropertyWithKeys, readSingle, REST_ROWS } from "./rest_read.ts";
import { postRows, writePropertyMember, writeRow } from "./rest_write.ts";
import type { LinkedElement } from "../model/linked.ts";
import { resultEntity } from "../odata/payload/context_url.ts";
import { type ActionBody, withParameterBody } from "../odata/payload/request_body.ts";
import { isObject, writeElementValue, writeEntity } from "../odata/payload/write_row.ts";
import { runOperation } from "../odata/resources/operation.ts";

/** Serves a service by REST. */
export const createRestAdapter: ProtocolFactory = (options: ProtocolOptions): ProtocolAdapter => {
  const scopeOf = createScopes(options);
  return {
    kind: "rest",
    explain: (context, path) => explainUrl(scopeOf(context), context, path),
    isPlanned: (context, path) => scopeOf(context).isPlanned(path),
    async handle(request: WireRequest, context: EventContext, path: string): Promise<Answer> {
      const scope = scopeOf(context);
      authorizeService(scope, context, { path });
      const exchange = createExchange(scope, { request, context, rawUrl: path });
      return await answer(exchange);
    },
  };
};

/** The only catch-all of the protocol: any failure becomes an answer. */
async function answer(exchange: Exchange): Promise<Answer> {
  try {
    const result = await handle(exchange);
    result.headers.delete("OData-Version");
    return result;
  } catch (error) {
    return restErrorAnswer(exchange, error);
  }
}

function handle(exchange: Exchange): MaybePromise<Answer> {
  if (exchange.headerError !== undefined) throw exchange.headerError;
  if (asksForEvents(exchange)) return answerLive(exchange, { followsChanges: false });
  const plan = exchange.scope.plan(exchange.rawUrl, exchange.method, exchange.preferences.maxPageSize);
  if (isOfOData(plan)) throw new ServiceError({ status: 404 });
  if (plan.target && (plan.before || plan.applied?.groups)) {
    const message = "Functions in expressions, hierarchies and $expand of groups belong to OData";
    throw unsupported(message);
  }
  const { method } = exchange;
  if (method === "OPTIONS") {
    return restAnswer(exchange, { status: 204, headers: { allow: restMethods(plan).join(", ") } });
  }
  if (plan.kind === "operation") return callRestOperation(exchange, plan);
  if (method === "GET" || method === "HEAD") return read(exchange, plan);
  return exchange.scope.drafts?.(exchange, plan, write) ?? write(exchange, plan);
}

/** Kinds of resources that REST does not have. */
const OF_ODATA: ReadonlySet<PlanKind> = new Set([
  "metadata",
  "batch",
  "media",
  "ref",
  "each",
  "all",
  "crossjoin",
  "part",
]);

/** Whether a resource belongs to OData, as those behind functions do. */
function isOfOData(plan: Plan): boolean {
  return OF_ODATA.has(plan.kind) || (plan.target !== undefined && plan.source !== undefined);
}

/** Methods of a resource. A PATCH of a set is a delta, which belongs to OData, as writing to `/$value` does. */
function restMethods(plan: Plan): readonly string[] {
  const methods = allowedMethods(plan);
  switch (plan.kind) {
    case "entitySet":
      return methods.filter((method) => method !== "PATCH");
    case "value":
      return methods.filter((method) => method !== "PUT" && method !== "DELETE");
    default:
      return methods;
  }
}

function read(exchange: Exchange, plan: Plan): MaybePromise<Answer> {
  switch (plan.kind) {
    case "serviceDocument":
      return jsonAnswer(exchange, JSON.stringify({ entities: entitiesOf(exchange) }));
    case "openapi":
      return readOpenApi(exchange, "rest");
    case "entitySet":
      return readCollection(exchange, plan);
    case "entity":
      return readSingle(exchange, plan);
    case "count":
      return readNumber(exchange, plan);
    case "property":
    case "value":
      return readPropertyWithKeys(exchange, plan);
    case "stream":
      return readStream(exchange, plan);
    default:
      throw new ServiceError({ status: 404 });
  }
}

function entitiesOf(exchange: Exchange): { name: string; url: string }[] {
  return exposedEntities(exchange.scope.definition)
    .filter((entity) => !entity.$localName.endsWith(".texts") && !hasParameters(entity))
    .map(({ $localName }) => ({ name: $localName, url: $localName }));
}

function write(exchange: Exchange, plan: Plan): MaybePromise<Answer> {
  const { method } = exchange;
  switch (plan.kind) {
    case "entitySet":
      return writeSet(exchange, plan);
    case "entity":
      if (method === "POST") throw badMethod("POST is not allowed on an entity");
      return method === "DELETE" ? deleteEntity(exchange, plan) : writeRow(exchange, plan);
    case "property":
      return writePropertyMember(exchange, plan);
    case "stream":
      return writeStream(exchange, plan);
    default:
      throw notAllowed(restMethods(plan));
  }
}

function writeSet(exchange: Exchange, plan: RowsPlan): Promise<Answer> {
  switch (exchange.method) {
    case "POST":
      return postRows(exchange, plan);
    case "PUT":
    case "PATCH":
      throw new ServiceError({
        status: 405,
        code: `INVALID_${exchange.method}`,
        message: `${exchange.method} is allowed on a single entity only`,
      });
    default:
      throw badMethod(`${exchange.method} is not allowed on a collection`);
  }
}

function badMethod(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}

/** Answers the call of an action or function. */
function callRestOperation(exchange: Exchange, plan: OperationPlan): MaybePromise<Answer> {
  const { definition } = plan.operation;
  const isAction = definition.kind === "action";
  if (isAction !== (exchange.method === "POST")) {
    const message = isAction ? "Actions must be called by POST" : "Functions must be called by GET";
    throw new ServiceError({ status: 400, message });
  }
  const call = ({ operation, data }: ActionBody) => {
    const meant: OperationPlan = { ...plan, operation: { ...plan.operation, definition: operation } };
    return andThen(inTransaction(exchange, () => runOperation(exchange, meant, data)), (result) => {
      const { returns } = operation;
      if (!returns || result === undefined || result === null) {
        return restAnswer(exchange, { status: chosenStatus(exchange) ?? 204 });
      }
      return resultAnswer(exchange, result, returns);
    });
  };
  return isAction
    ? withParameterBody(exchange, definition, call)
    : call({ operation: definition, data: plan.operation.args });
}

function resultAnswer(exchange: Exchange, result: unknown, returns: LinkedElement): Answer {
  const entity = resultEntity(returns, exchange.scope.model);
  const isMany = returns.$type.items !== undefined || returns.is2many;
  const single = !isMany && Array.isArray(result) ? result[0] : result;
  if (entity) {
    const rows = (isMany && Array.isArray(single) ? single : [single]).filter(isObject);
    const texts = rows.map((row) => writeEntity(row, entity, { format: REST_ROWS }));
    return jsonAnswer(exchange, isMany ? `[${texts.join(",")}]` : texts[0] ?? "null");
  }
  if (!isMany && typeof single === "string" && isText(returns)) {
    const status = exchange.http?.res.statusCode ?? 200;
    return restAnswer(exchange, { status, contentType: "text/plain;charset=utf-8", body: single });
  }
  return jsonAnswer(exchange, writeElementValue(single, returns, REST_ROWS));
}

/** Whether a result is text: numbers that do not fit a JavaScript number are text in rows only. */
function isText(returns: LinkedElement): boolean {
  const { builtin, elements } = returns.$type;
  return !elements && builtin !== "cds.Decimal" && builtin !== "cds.Int64" && builtin !== "cds.Integer64";
}
