/**
 * OData V4 as protocol of a service.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { ProtocolAdapter, ProtocolFactory, ProtocolOptions } from "../service/wire/protocol_adapter.ts";
import { authorizeService } from "../service/authorization/authorize_service.ts";
import type { ServiceHost } from "../service/host.ts";
import { definitionIn } from "../service/definition_in.ts";
import type { WireRequest } from "../service/wire/wire_request.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { runBriefly } from "../context/store.ts";
import { type Answer, createExchange, type Exchange, type ProtocolScope } from "./exchange.ts";
import { AsyncRequests } from "./async/async_requests.ts";
import { handleBatch, isBatchUrl } from "./batch/handle_batch.ts";
import { createDraftLocks } from "./drafts/draft_locks.ts";
import { createDraftScope } from "./drafts/draft_scope.ts";
import { draftSettings } from "../service/drafts/draft_settings.ts";
import { errorAnswer } from "./error_answer.ts";
import { explainUrl } from "./explain_url.ts";
import { handleRequest, makeAnswer, sentOr } from "./handle_request.ts";
import { answerLive, asksForEvents } from "./live/live_answer.ts";
import { createPlanner } from "./plan/planner.ts";
import { wireSettings } from "./settings.ts";
import { Snapshots } from "./snapshots/snapshots.ts";
import { OpenStreams } from "./stream_text.ts";

/** Serves a service by OData. */
export const createODataAdapter: ProtocolFactory = (options: ProtocolOptions): ProtocolAdapter => {
  const snapshots = new Snapshots(options.host, options.service.name);
  const scopeOf = createScopes(options, { snapshots, servesDrafts: true });
  const requests = new AsyncRequests(options.host, options.service.name);
  return {
    kind: "odata",
    entersContext: true,
    handle(request: WireRequest, context: EventContext, path: string): MaybePromise<Answer> {
      const scope = scopeOf(context);
      // refused callers get the plain answer of the pipeline, whatever the rest of the URL says
      authorizeService(scope, context, { path });
      const exchange = createExchange(scope, { request, context, rawUrl: path, streams: true });
      return requests.answer(exchange, answer);
    },
    explain: (context, path) => explainUrl(scopeOf(context), context, path),
    isPlanned: (context, path) => scopeOf(context).isPlanned(path),
    forget(): Promise<void> {
      snapshots.clear();
      return requests.clear();
    },
    isBusy: (tenant) => requests.isBusy(tenant),
    async close(): Promise<void> {
      await requests.close();
      await snapshots.close();
    },
  };
};

/** What scopes hold beside service and runtime. */
export interface ScopeOptions {
  /** What clients have read whose changes they follow. */
  readonly snapshots?: Snapshots;
  /** Whether the protocol serves drafts; others have active instances only. */
  readonly servesDrafts?: boolean;
}

/**
 * What requests to a service share, of OData and of the protocols on its stages.
 *
 * @param options service and runtime
 * @param scopeOptions what scopes hold beside
 * @returns gives the same for all contexts with the same feature toggles
 */
export function createScopes(
  options: ProtocolOptions,
  { snapshots = new Snapshots(options.host, options.service.name), servesDrafts = false }: ScopeOptions = {},
): (context: EventContext) => ProtocolScope {
  const { host } = options;
  const scopes: WeakMap<LinkedModel, ProtocolScope> = new WeakMap();
  const shared = { snapshots, servesDrafts, streams: new OpenStreams(host.limits.streams) };
  return (context) => {
    const model = host.modelOf?.(context) ?? host.model;
    let scope = scopes.get(model);
    if (!scope) scopes.set(model, scope = createScope(options, model, shared));
    return scope;
  };
}

function createScope(
  { service, host, root }: ProtocolOptions,
  model: LinkedModel,
  { servesDrafts, ...shared }: Pick<ProtocolScope, "snapshots" | "streams"> & {
    readonly servesDrafts: boolean;
  },
): ProtocolScope {
  const drafts = servesDrafts ? createDraftScope(model, service, host) : undefined;
  const answers = servesDrafts ? drafts?.answers : createDraftLocks(model, service, draftSettings(host.env));
  const definition = drafts?.definition ?? definitionIn(model, service)!; // only services with a definition are served
  const planner = createPlanner(definition, { ...host.limits, queryLimit: queryLimit(host.env) });
  return {
    service,
    definition,
    model: drafts?.model ?? model,
    ...(answers && { drafts: answers }),
    host,
    root,
    settings: wireSettings(host, definition),
    ...shared,
    plan: (rawUrl, method, pageSize) => {
      drafts?.assertResource(rawUrl);
      return planner.planUrl(rawUrl, method, { pageSize });
    },
    isPlanned: (rawUrl) => planner.isPlanned(rawUrl),
    planBody: (rawUrl, method, pageSize) => planner.planUrl(rawUrl, method, { pageSize, inBody: true }),
  };
}

function queryLimit(env: ServiceHost["env"]): { default?: number; max?: number } | undefined {
  return (env.query as { limit?: { default?: number; max?: number } } | undefined)?.limit;
}

/** The only catch-all of the protocol: any failure becomes an answer. */
function answer(exchange: Exchange): MaybePromise<Answer> {
  try {
    if (exchange.streams && asksForEvents(exchange)) return orFailed(exchange, answerLive(exchange));
    if (isBatchUrl(exchange.rawUrl)) return orFailed(exchange, handleBatch(exchange, handleRequest));
    const made = makeAnswer(exchange);
    return made instanceof Promise ? sentLater(exchange, made) : sentOr(exchange, made);
  } catch (error) {
    return failed(exchange, error);
  }
}

function orFailed(exchange: Exchange, answered: MaybePromise<Answer>): MaybePromise<Answer> {
  return answered instanceof Promise ? answered.catch((error) => failed(exchange, error)) : answered;
}

/** One `then` for both outcomes: a second one would cost another turn of the event loop. */
function sentLater(exchange: Exchange, made: Promise<Answer>): Promise<Answer> {
  return made.then((answer) => sentOr(exchange, answer), (error) => failed(exchange, error));
}

function failed(exchange: Exchange, error: unknown): MaybePromise<Answer> {
  return runBriefly(exchange.context, () => errorAnswer(exchange, error));
}
