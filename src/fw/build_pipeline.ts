/**
 * Wiring of protocols, authentication and routes into the web handler.
 *
 * @module
 */

import { createStrategy } from "../auth/create_strategy.ts";
import type { AuthenticationStrategy } from "../auth/strategy.ts";
import { createEndpointPolicy } from "../auth/endpoint_policy.ts";
import { shownUsers } from "../auth/mock_users.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { createPipeline, type WebHandler } from "../http/pipeline.ts";
import { renderWelcomePage, type WelcomeOptions } from "../http/welcome_page.ts";
import { createODataAdapter } from "../odata/odata_adapter.ts";
import { createRestAdapter } from "../rest/rest_adapter.ts";
import type { ProtocolAdapter, ProtocolFactory } from "../service/wire/protocol_adapter.ts";
import { addDeadLetterRoutes } from "./dead_letters_of.ts";
import type { Loader } from "./kinds.ts";
import type { Endpoint, RuntimeParts } from "./runtime_parts.ts";

const PROTOCOLS: Readonly<Record<string, Loader<ProtocolFactory>>> = {
  odata: () => createODataAdapter,
  rest: () => createRestAdapter,
};

/**
 * Creates the authentication strategy of a runtime.
 *
 * @throws ConfigurationError for a wrong authentication configuration
 */
export function buildStrategy(runtime: RuntimeParts): Promise<AuthenticationStrategy> {
  const log = runtime.log("auth");
  return createStrategy({
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
}

/**
 * Builds the web handler of a runtime.
 *
 * @param runtime the runtime
 * @param parts authentication and services
 */
export function buildPipeline(
  runtime: RuntimeParts,
  { strategy, mounts }: PipelineParts,
): WebHandler {
  addWelcomePage(runtime);
  addDeadLetterRoutes(runtime);
  return createPipeline({
    host: runtime,
    strategy,
    policy: createEndpointPolicy(runtime.env, strategy),
    mounts,
    app: runtime.app,
    frontEnds: runtime.kinds.frontEnds,
    middlewares: runtime.middlewares,
    sharedTimers: runtime.kinds.sharedTimers,
    onContext: runtime.adopt,
  });
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

/** The page at `/` and `/index.html`, where it is switched on (design 15, row 4). */
function addWelcomePage(runtime: RuntimeParts): void {
  const server = runtime.env.server as { index?: boolean } | undefined;
  const pages = runtime.kinds.frontEnds?.pages() ?? [];
  if (!server?.index || pages.includes("index.html")) return;
  const page = () =>
    new Response(renderWelcomePage(welcomeOptions(runtime)), {
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy":
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      },
    });
  runtime.app.get("/", page);
  runtime.app.get("/index.html", page);
}

function welcomeOptions(runtime: RuntimeParts): WelcomeOptions {
  const services = [...new Set(runtime.endpoints.map((endpoint) => endpoint.service))].map((service) => ({
    service: service.definition!,
    endpoints: runtime.endpoints.filter((endpoint) => endpoint.service === service),
  }));
  const mocked = runtime.env.requires.auth?.kind === "mocked" && !runtime.production;
  return {
    title: runtime.name,
    version: runtime.version,
    services,
    pages: runtime.kinds.frontEnds?.pages(),
    users: mocked ? shownUsers(runtime.env) : [],
  };
}
