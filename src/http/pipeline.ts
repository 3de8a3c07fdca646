/**
 * The way of a request: limits, correlation id, context, authentication, routing, answer (design 1).
 *
 * @module
 */

import type { EndpointPolicy } from "../auth/endpoint_policy.ts";
import type { AuthenticationStrategy } from "../auth/strategy.ts";
import { contextFromRequest } from "../context/context_from_request.ts";
import type { EventContext } from "../context/event_context.ts";
import { runWithContext } from "../context/store.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { ServiceHost } from "../service/host.ts";
import type { ProtocolAdapter } from "../service/protocol_adapter.ts";
import { errorResponse } from "./error_response.ts";
import { corsHeaders, isPreflight, preflightResponse } from "./cors.ts";
import { assertSameSite } from "./csrf.ts";
import { finishResponse } from "./finish_response.ts";
import { findMount, type Mount } from "./mounts.ts";

/** Routes of the application beside its services. */
export interface AppRoutes {
  fetch(request: Request): Response | Promise<Response>;
  /** Whether a route exists for the request. */
  has(request: Request): boolean;
}

/** What the pipeline is made from. */
export interface PipelineOptions {
  readonly host: ServiceHost;
  readonly strategy: AuthenticationStrategy;
  readonly policy: EndpointPolicy;
  readonly mounts: ReadonlyMap<string, ProtocolAdapter>;
  readonly app: AppRoutes;
  /** Sees the context of each request before anything runs in it. */
  readonly onContext?: (context: EventContext) => void;
}

/**
 * Creates the web handler of a runtime.
 *
 * @returns a function that answers every request, never rejects, and leaves one log line per request
 */
export function createPipeline(options: PipelineOptions): (request: Request) => Promise<Response> {
  const server = (options.host.env.server ?? {}) as { cors?: { origins?: readonly string[] } };
  const origins = server.cors?.origins ?? [];
  const i18n = (options.host.env.i18n ?? {}) as {
    default_language?: string;
    preserved_locales?: readonly string[];
  };
  const locales = { defaultLanguage: i18n.default_language, preserved: i18n.preserved_locales };
  return async (request) => {
    const start = performance.now();
    let url: URL;
    try {
      url = new URL(request.url);
    } catch {
      return errorResponse(new ServiceError({ status: 400, message: "The URL is malformed" }), options.host);
    }
    const context = contextFromRequest(request, locales);
    options.onContext?.(context);
    const mount = findMount(options.mounts, url.pathname);
    const response = isPreflight(request, origins)
      ? preflightResponse(request)
      : await runWithContext(context, () => answer(request, { ...options, url, context, mount }));
    finishResponse(response, { request, context, secure: url.protocol === "https:" });
    for (const [name, value] of corsHeaders(request, origins)) response.headers.set(name, value);
    logRequest(options.host, { request, url, response, start, kind: mount?.adapter.kind });
    return response;
  };
}

interface Visit extends PipelineOptions {
  readonly url: URL;
  readonly context: EventContext;
  readonly mount: Mount | undefined;
}

async function answer(request: Request, visit: Visit): Promise<Response> {
  const { host, url, context, mount } = visit;
  try {
    if (url.pathname.length + url.search.length > host.limits.urlLength) {
      throw new ServiceError({
        status: 414,
        message: `The URL is longer than ${host.limits.urlLength} characters`,
      });
    }
    if (url.pathname === "/health") return health(request);
    const custom = await authenticate(request, visit);
    if (custom) return custom;
    if (!visit.policy.isPublic(url.pathname)) assertSameSite(request, url, host.env);
    if (mount) return toWritable(await mount.adapter.handle(request, context, mount.rest + url.search));
    return toWritable(await answerRoute(request, visit));
  } catch (error) {
    return errorResponse(error, host, { context, challenge: visit.strategy.challenge });
  }
}

/** Sets user and tenant of the context; a custom strategy may answer by itself. */
async function authenticate(request: Request, visit: Visit): Promise<Response | undefined> {
  const { context, strategy, policy } = visit;
  const result = await strategy.authenticate(request, context);
  if ("response" in result) return result.response;
  if ("refused" in result) {
    visit.host.log("auth").debug(`refused: ${result.reason}`);
    if (!policy.neverRefuses) throw new ServiceError({ status: 401, challenge: result.challenge });
  } else if ("user" in result) {
    context.user = result.user;
    if (result.tenant !== undefined) context.tenant = result.tenant;
  }
  return undefined;
}

/** Own routes of the application are authenticated unless they are opened (spec 5.2.1, 5.5.3). */
async function answerRoute(request: Request, visit: Visit): Promise<Response> {
  if (!visit.app.has(request)) throw new ServiceError({ status: 404 });
  if (!visit.policy.isPublic(visit.url.pathname) && !visit.context.user.is("authenticated-user")) {
    if (!visit.policy.neverRefuses) throw new ServiceError({ status: 401 });
  }
  return await visit.app.fetch(request);
}

function health(request: Request): Response {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
  }
  return Response.json({ status: "UP" });
}

/** A response whose headers can be changed. */
function toWritable(response: Response): Response {
  try {
    response.headers.delete("server");
    return response;
  } catch {
    return new Response(response.body, response);
  }
}

interface LogLine {
  readonly request: Request;
  readonly url: URL;
  readonly response: Response;
  readonly start: number;
  readonly kind: string | undefined;
}

function logRequest(host: ServiceHost, line: LogLine): void {
  const log = host.log(line.kind ?? "http");
  if (!log._info) return;
  const { request, url, response } = line;
  const took = (performance.now() - line.start).toFixed(1);
  log.info(`${request.method} ${url.pathname}${readable(url.search)} ${response.status} ${took} ms`);
}

function readable(search: string): string {
  try {
    return decodeURIComponent(search).replace(/\p{Cc}/gu, " ");
  } catch {
    return search;
  }
}
