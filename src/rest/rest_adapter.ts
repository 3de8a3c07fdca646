/**
 * REST as protocol of a service, on the stages of OData.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { ServiceError } from "../errors/service_error.ts";
import { hasParameters } from "../model/has_parameters.ts";
import { exposedEntities } from "../model/service_document.ts";
import type { Answer } from "../odata/answer.ts";
import { explainUrl } from "../odata/explain_url.ts";
import { createExchange, type Exchange } from "../odata/exchange.ts";
import { answerLive, asksForEvents } from "../odata/live/live_answer.ts";
import { allowedMethods, methodNotAllowed } from "../odata/methods.ts";
import { createScopes } from "../odata/odata_adapter.ts";
import type { Plan } from "../odata/plan/plan.ts";
import { readOpenApi } from "../odata/resources/metadata.ts";
import { readStream, writeStream } from "../odata/resources/stream.ts";
import { deleteEntity } from "../odata/resources/update.ts";
import { authorizeService } from "../service/authorization/authorize_service.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import type { ProtocolAdapter, ProtocolFactory, ProtocolOptions } from "../service/wire/protocol_adapter.ts";
import type { WireRequest } from "../service/wire/wire_request.ts";
import { jsonAnswer, restAnswer, restErrorAnswer } from "./rest_answer.ts";
import { callRestOperation } from "./rest_operation.ts";
import { readCollection, readNumber, readPropertyWithKeys, readSingle } from "./rest_read.ts";
import { postRows, writePropertyMember, writeRow } from "./rest_write.ts";

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
  if (plan.calls || plan.hierarchies || plan.groups) {
    const message = "Functions in expressions, hierarchies and $expand of groups belong to OData";
    throw new ServiceError({ status: 501, message, $sanitize: false });
  }
  const { method } = exchange;
  if (method === "OPTIONS") {
    return restAnswer(exchange, { status: 204, headers: { allow: allowedMethods(plan).join(", ") } });
  }
  if (plan.kind === "operation") return callRestOperation(exchange, plan);
  if (method === "GET" || method === "HEAD") return read(exchange, plan);
  return exchange.scope.drafts?.(exchange, plan, write) ?? write(exchange, plan);
}

function read(exchange: Exchange, plan: Plan): Answer | Promise<Answer> {
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
      throw methodNotAllowed(plan);
  }
}

function writeSet(exchange: Exchange, plan: Plan): Promise<Answer> {
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
