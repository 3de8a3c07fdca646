/**
 * Who watches a runtime: OpenTelemetry where an SDK, or Deno by itself, is there; measurements that are scraped.
 *
 * @module
 */

import { sendByFetch } from "../auth/token_client/token_credentials.ts";
import { currentContext } from "../context/store.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { GivenUpMessages, MessageState } from "../messaging/given_up_messages.ts";
import { type GaugeName, NO_SPAN, type Observation, type Telemetry } from "../telemetry/telemetry.ts";
import type { OpenMetrics } from "../telemetry/open_metrics.ts";
import type { Database, EngineState, StatementWatch } from "../service/database.ts";
import { managementPath, managementRoles, type ManagementSettings } from "./management.ts";
import { observedSender } from "./observed_parts.ts";
import { type Explaining, explainingOf } from "./explain_requests.ts";
import type { Kinds } from "./kinds.ts";
import { type RequestTimes, requestTimes } from "./request_times.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { statementWatch } from "./statement_log.ts";

/** Where an SDK of OpenTelemetry, or Deno with `OTEL_DENO=true`, says that it is there. */
const OPEN_TELEMETRY = Symbol.for("opentelemetry.js.api.1");
const METRICS_PATH = "/metrics";

/** Who watches. */
export interface Watchers {
  /** Gets spans and measurements; undefined where nobody watches. */
  readonly telemetry?: Telemetry;
  /** What is scraped. */
  readonly metrics?: OpenMetrics;
  /** The table of kinds; what it sends is seen. */
  readonly kinds: Kinds;
  /** What is told to callers of the times of their requests. */
  readonly times?: RequestTimes;
  /** Is told of each statement. */
  readonly statements?: StatementWatch;
  /** Explains requests. */
  readonly explaining?: Explaining;
}

/**
 * Finds out who watches.
 *
 * @param runtime its configuration: `fw.telemetry: false` switches OpenTelemetry off, `fw.server.metrics` switches measurements on
 * @throws ConfigurationError for times that everybody would be told
 */
export async function watchersOf(runtime: RuntimeParts): Promise<Watchers> {
  const { env, kinds, name, version } = runtime;
  const times = requestTimes(runtime);
  const statements = statementWatch(runtime, times);
  const local = { times, statements, explaining: explainingOf(runtime) };
  const isOpen = env.telemetry !== false && OPEN_TELEMETRY in globalThis;
  const traces = isOpen ? (await kinds.telemetry?.())?.(name, version) : undefined;
  const metrics = metricsSettings(env) === undefined ? undefined : (await kinds.metrics?.())?.();
  const measured = metrics && (traces ? both(traces, metrics) : { ...UNTRACED, ...metrics });
  const telemetry = measured ?? traces;
  if (telemetry === undefined) return { ...local, kinds };
  return {
    ...local,
    telemetry,
    metrics,
    kinds: { ...kinds, fetch: observedSender(kinds.fetch ?? sendByFetch, telemetry) },
  };
}

const UNTRACED: Pick<Telemetry, "span" | "headers"> = {
  span: (_name, _options, work) => work(NO_SPAN),
  headers: () => ({}),
};

function both(traces: Telemetry, metrics: OpenMetrics): Telemetry {
  return {
    span: (name, options, work) => traces.span(name, options, work),
    headers: () => traces.headers(),
    record(name, seconds, attributes) {
      traces.record(name, seconds, attributes);
      metrics.record(name, seconds, attributes);
    },
    observe(name, read) {
      traces.observe(name, read);
      metrics.observe(name, read);
    },
  };
}

/**
 * From now on the state of messages is told whenever somebody asks: of the outbox, and dead letters of all channels.
 *
 * @param telemetry is told
 * @param messages where they are
 */
export function observeMessages(telemetry: Telemetry, messages: Pick<GivenUpMessages, "states">): void {
  let asked: Promise<readonly MessageState[]> | undefined;
  // the three states are read together
  const states = () => asked ??= messages.states().finally(() => asked = undefined);
  const read = (value: (state: MessageState) => number | undefined) => async (): Promise<Observation[]> => {
    const sums = new Map<string, number>();
    // a service has messages in the outbox and in its channel
    for (const state of await states()) {
      const known = value(state);
      if (known !== undefined) sums.set(state.target, (sums.get(state.target) ?? 0) + known);
    }
    return [...sums].map(([target, value]) => ({ value, attributes: { target } }));
  };
  for (const place of ["outbox", "channel"] as const) {
    telemetry.observe(
      `fw.${place}.messages`,
      read((state) => state.place === place ? state.waiting : undefined),
    );
    telemetry.observe(
      `fw.${place}.oldest_age`,
      read(({ place: at, oldestAgeMs }) =>
        at !== place || oldestAgeMs === undefined ? undefined : oldestAgeMs / 1000
      ),
    );
  }
  telemetry.observe("fw.dead_letters", read(({ dead }) => dead));
}

/**
 * From now on the state of engines is told whenever somebody asks, of those of all tenants together.
 *
 * @param telemetry is told
 * @param engines those that are open
 */
export function observeEngines(telemetry: Telemetry, engines: () => readonly Database[]): void {
  let asked: Promise<readonly EngineState[]> | undefined;
  const states = () => asked ??= statesOf(engines()).finally(() => asked = undefined);
  const counts = async () => (await states()).flatMap(({ connections }) => connections ? [connections] : []);
  const observe = (name: GaugeName, read: () => Promise<readonly Observation[]>) =>
    telemetry.observe(name, read);
  const counted = (name: GaugeName, key: "most" | "waiting") =>
    observe(name, async () => {
      const all = await counts();
      return all.length === 0 ? [] : [{ value: sum(all.map((one) => one[key])) }];
    });
  counted("db.client.connection.max", "most");
  counted("db.client.connection.pending_requests", "waiting");
  observe("db.client.connection.count", async () => {
    const all = await counts();
    if (all.length === 0) return [];
    return (["used", "idle"] as const).map((state) => ({
      value: sum(all.map((one) => one[state])),
      attributes: { "db.client.connection.state": state },
    }));
  });
  observe("fw.cache.entries", async () => [
    { value: sum((await states()).map(({ templates }) => templates)), attributes: { cache: "queries" } },
  ]);
  const replicas = async () => (await states()).flatMap(({ replicas = [] }) => replicas);
  observe("fw.replica.used", async () =>
    (await replicas()).map(({ server, isUsed }) => ({
      value: isUsed ? 1 : 0,
      attributes: { "server.address": server },
    })));
  observe(
    "fw.replica.lag",
    async () =>
      (await replicas()).flatMap(({ server, lagMs }) =>
        lagMs === undefined ? [] : [{ value: lagMs / 1000, attributes: { "server.address": server } }]
      ),
  );
}

async function statesOf(engines: readonly Database[]): Promise<readonly EngineState[]> {
  const states = await Promise.all(engines.map((engine) => engine.state?.()));
  return states.filter((state) => state !== undefined);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** What stands below `fw.server.metrics`. */
export interface MetricsSettings extends ManagementSettings {
  /** Port at which nothing else answers, and where no role is needed. */
  readonly port?: number;
}

/** The settings of measurements, where they are switched on. */
function metricsSettings(env: RuntimeParts["env"]): MetricsSettings | undefined {
  return (env.server as { readonly metrics?: MetricsSettings } | undefined)?.metrics;
}

/**
 * Adds the route of measurements, for those who have one of its roles; with an own port and no role there is none.
 *
 * @param runtime the runtime
 * @param metrics what is scraped
 * @throws ConfigurationError for a path that is none, or roles that everybody has
 */
export function addMetricsRoute(runtime: RuntimeParts, metrics: OpenMetrics): void {
  const settings = metricsSettings(runtime.env)!;
  if (settings.port !== undefined && settings.requires === undefined) return;
  const roles = managementRoles(
    "fw.server.metrics",
    settings,
    "see the measurements of all users and tenants",
  );
  runtime.app.get(managementPath("fw.server.metrics", settings, METRICS_PATH), () => {
    const user = currentContext()?.user;
    if (!roles.some((role) => user?.is(role))) {
      throw new ServiceError({ status: 403, cause: new Error(`Metrics need: ${roles.join(", ")}`) });
    }
    return metricsResponse(metrics);
  });
}

/** The measurements as answer. */
export async function metricsResponse(metrics: OpenMetrics): Promise<Response> {
  const { text, type } = await metrics.render();
  return new Response(text, { headers: { "content-type": type } });
}
