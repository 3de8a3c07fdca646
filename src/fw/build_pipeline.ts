/**
 * Wiring of protocols, authentication and routes into the web handler.
 *
 * @module
 */

import { createStrategy } from "../auth/create_strategy.ts";
import { type AuthenticationStrategy, createEndpointPolicy } from "../auth/strategy.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { SharedBuckets } from "../http/rate_limits.ts";
import { createPipeline, type WebHandler } from "../http/pipeline.ts";
import { createODataAdapter } from "../odata/odata_adapter.ts";
import type { ProtocolAdapter, ProtocolFactory } from "../service/wire/protocol_adapter.ts";
import { addFirstPage } from "./console_routes.ts";
import { addDeadLetterRoutes, deadLettersOf } from "./dead_letters_of.ts";
import { addExplainRoute, type Explaining, explainingHandler, wantsExplanation } from "./explain_requests.ts";
import { observedHandler, observedStrategy } from "./observed_parts.ts";
import { type RequestTimes, timedHandler, timedStrategy } from "./request_times.ts";
import { addMetricsRoute, observeMessages, type Watchers } from "./telemetry_of.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Loader } from "./kinds.ts";
import { admittingStrategy } from "./tenants/known_tenants.ts";
import type { Tenants } from "./tenants/open_tenants.ts";
import { addTenantRoutes } from "./tenants/tenant_routes.ts";
import type { Endpoint, RuntimeParts } from "./runtime_parts.ts";

const PROTOCOLS: Readonly<Record<string, Loader<ProtocolFactory>>> = {
  odata: () => createODataAdapter,
  rest: async () => (await import("../rest/rest_adapter.ts")).createRestAdapter,
};

/**
 * Creates the authentication strategy of a runtime.
 *
 * @throws ConfigurationError for a wrong authentication configuration
 */
export async function buildStrategy(runtime: RuntimeParts): Promise<AuthenticationStrategy> {
  const { strategy } = runtime.kinds;
  if (strategy) return strategy;
  const log = runtime.log("auth");
  return await createStrategy({
    env: runtime.env,
    production: runtime.production,
    strategies: runtime.kinds.strategies,
    importModule: runtime.kinds.importModule,
    trace: log._trace ? (record) => log.trace("user", record) : undefined,
    warn: (text) => log.warn(text),
    fetch: runtime.kinds.fetch,
    limits: runtime.limits,
  });
}

/** What requests are taken to. */
export interface PipelineParts {
  /** Finds out who is calling. */
  readonly strategy: AuthenticationStrategy;
  /** Adapters by path; services may be added later. */
  readonly mounts: ReadonlyMap<string, ProtocolAdapter>;
  /** Who watches. */
  readonly watchers: Watchers;
  /** Who is admitted; undefined where every tenant is. */
  readonly tenants?: Tenants;
  /** Where requests are counted together with other processes. */
  readonly buckets?: SharedBuckets;
}

/**
 * Builds the web handler of a runtime.
 *
 * @param runtime the runtime
 * @param parts authentication and services
 */
export function buildPipeline(
  runtime: RuntimeParts,
  { strategy: given, mounts, tenants, buckets, watchers: { times, explaining } }: PipelineParts,
): WebHandler {
  const strategy = tenants ? admittingStrategy(given, tenants.known) : given;
  if (tenants) addTenantRoutes(runtime, tenants.operations);
  addFirstPage(runtime);
  addDeadLetterRoutes(runtime);
  const { telemetry, metrics, adopt } = runtime;
  if (metrics) addMetricsRoute(runtime, metrics);
  // a channel that is away is told by /ready, and has no number
  if (telemetry) observeMessages(telemetry, deadLettersOf(runtime, { onFailure: () => {} }));
  if (explaining) addExplainRoute(runtime, explaining);
  const handler = createPipeline({
    host: runtime,
    strategy: watchedStrategy(strategy, telemetry, times),
    isReady: () => runtime.readiness.state(),
    policy: createEndpointPolicy(runtime.env, strategy),
    mounts,
    app: runtime.app,
    frontEnds: runtime.kinds.frontEnds,
    middlewares: runtime.middlewares,
    buckets,
    sharedTimers: runtime.kinds.sharedTimers,
    onContext: onContext(adopt, times, explaining),
  });
  const explained = explaining ? explainingHandler(handler, explaining, mounts) : handler;
  const timed = times ? timedHandler(explained, times) : explained;
  return telemetry ? observedHandler(timed, telemetry, routeFinder(mounts)) : timed;
}

/** Who sees the context of each request first. */
function onContext(
  adopt: RuntimeParts["adopt"],
  times: RequestTimes | undefined,
  explaining: Explaining | undefined,
): RuntimeParts["adopt"] {
  if (!times && !explaining) return adopt;
  return (context) => {
    times?.begin(context);
    const request = context.http?.req;
    if (explaining && request && wantsExplanation(request)) {
      explaining.explanations.begin(context, { queries: [], runs: true });
    }
    adopt?.(context);
  };
}

function watchedStrategy(
  strategy: AuthenticationStrategy,
  telemetry: Telemetry | undefined,
  times: RequestTimes | undefined,
): AuthenticationStrategy {
  const timed = times ? timedStrategy(strategy, times) : strategy;
  return telemetry ? observedStrategy(timed, telemetry) : timed;
}

/** The route of a path: few different ones, whatever clients ask for. */
function routeFinder(mounts: PipelineParts["mounts"]): (pathname: string) => string {
  return (pathname) => {
    if (pathname === "/health" || pathname === "/ready") return pathname;
    let route = "/";
    for (const path of mounts.keys()) {
      if (path.length > route.length && (pathname === path || pathname.startsWith(`${path}/`))) route = path;
    }
    return route;
  };
}

/**
 * Serves a service at its path.
 *
 * @param runtime the runtime
 * @param mounts get the adapter
 * @param endpoint service, protocol and path
 * @throws ConfigurationError for an unknown protocol
 */
export async function mountEndpoint(
  runtime: RuntimeParts,
  mounts: Map<string, ProtocolAdapter>,
  { service, protocol, path }: Endpoint,
): Promise<void> {
  const protocols = { ...PROTOCOLS, ...runtime.kinds.protocols };
  const load = protocols[protocol];
  if (!load) {
    throw new ConfigurationError(`${service.name} asks for protocol "${protocol}", which is unknown`);
  }
  const adapter = (await load())({ service, host: runtime, root: path });
  mounts.set(path, adapter);
  if (adapter.forget) runtime.events.on("reset", () => adapter.forget!());
}
