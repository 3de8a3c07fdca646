/**
 * The way of a request: limits, correlation id, context, authentication, routing, answer (design 1).
 *
 * @module
 */

import type { EndpointPolicy } from "../auth/endpoint_policy.ts";
import type { AuthenticationResult, AuthenticationStrategy } from "../auth/strategy.ts";
import { contextFromRequest } from "../context/context_from_request.ts";
import type { EventContext } from "../context/event_context.ts";
import { runMiddleware } from "../context/run_middleware.ts";
import { runBriefly, runWithContext } from "../context/store.ts";
import { User } from "../context/user.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { Logger } from "../log/logger.ts";
import type { ServiceHost } from "../service/host.ts";
import { IncomingRequest } from "../service/incoming_request.ts";
import type { ProtocolAdapter, WireAnswer } from "../service/protocol_adapter.ts";
import { isTenantId } from "../util/is_tenant_id.ts";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import { boundedRequest } from "./bounded_body.ts";
import { addCorsHeaders, isPreflight, preflightResponse } from "./cors.ts";
import { isFromOtherSite } from "./csrf.ts";
import { errorResponse } from "./error_response.ts";
import { finishResponse } from "./finish_response.ts";
import type { Middlewares } from "./middlewares.ts";
import { type Mount, mountFinder } from "./mounts.ts";
import { forwardedUrl, receive, type Received } from "./peer.ts";
import { type RequestUrl, urlReader } from "./request_url.ts";
import { type HttpSettings, httpSettings } from "./settings.ts";
import { TimeLimit } from "./time_limit.ts";

/** Routes of the application beside its services. */
export interface AppRoutes {
  fetch(request: Request): Response | Promise<Response>;
  /** Methods that have a route at a path; empty for an unknown path. */
  methods(pathname: string): readonly string[];
}

/** What the pipeline is made from. */
export interface PipelineOptions {
  readonly host: ServiceHost;
  readonly strategy: AuthenticationStrategy;
  readonly policy: EndpointPolicy;
  readonly mounts: ReadonlyMap<string, ProtocolAdapter>;
  readonly app: AppRoutes;
  /** Middleware of the application around authentication. */
  readonly middlewares?: Middlewares;
  /** Whether a timer outlives the request that starts it. */
  readonly sharedTimers?: boolean;
  /** Sees the context of each request before anything runs in it. */
  readonly onContext?: (context: EventContext) => void;
}

/** Answers a request; `info` is what the server gives beside it, for the address of the peer. */
export type WebHandler = (request: Request, info?: unknown) => Promise<Response>;

/**
 * Creates the web handler of a runtime.
 *
 * @returns a function that answers every request, never rejects, and leaves one log line per request
 * @throws ConfigurationError when the configuration of the server is wrong
 */
export function createPipeline(options: PipelineOptions): WebHandler {
  const { host, sharedTimers = false } = options;
  const settings = httpSettings(host.env);
  const timeLimit = new TimeLimit(host.limits.handlerMs, sharedTimers);
  const pipeline: Pipeline = {
    ...options,
    settings,
    timeLimit,
    readUrl: urlReader(),
    findMount: mountFinder(options.mounts),
  };
  return async (arrived, info) => {
    const received = receive(arrived, info, settings);
    const { request } = received;
    const context = contextFromRequest(request.web, settings.locales, request);
    options.onContext?.(context);
    const visit: Visit = {
      pipeline,
      context,
      // a handler may assign another id, which belongs to its own work
      id: context.id,
      // middleware may replace the current context for all that comes behind it
      isEntered: options.middlewares?.isEmpty === false,
      received,
      log: host.log("http"),
      start: 0,
      baseUrl: undefined,
      hostname: undefined,
    };
    logAs(visit, visit.log);
    let answered: Answered;
    try {
      const pending = begin(request, visit);
      answered = pending instanceof Promise ? await pending : pending;
    } catch (error) {
      // the last resort: whatever goes wrong becomes an answer
      answered = failure(error, visit);
    }
    const response = finish(answered, request, visit);
    if (visit.log._info) logRequest(visit, response);
    return response;
  };
}

/** What all requests share. */
interface Pipeline extends PipelineOptions {
  readonly settings: HttpSettings;
  readonly timeLimit: TimeLimit;
  readonly readUrl: ReturnType<typeof urlReader>;
  readonly findMount: ReturnType<typeof mountFinder>;
}

/** A request on its way. */
interface Visit {
  readonly pipeline: Pipeline;
  readonly context: EventContext;
  /** Correlation id. */
  readonly id: string;
  /** Whether all that happens sees the context as the current one; if not, what needs it enters it. */
  readonly isEntered: boolean;
  readonly received: Received;
  /** The logger of the protocol, once it is known. */
  log: Logger;
  /** When the request came; 0 as long as nobody wants to know. */
  start: number;
  /** Own URL as the client sees it, once it is known. */
  baseUrl: URL | undefined;
  /** Host at which the client reached the application, once it is known. */
  hostname: string | undefined;
}

/** What comes out of the steps. */
type Answered = Response | WireAnswer;

function begin(request: IncomingRequest, visit: Visit): MaybePromise<Answered> {
  const { pipeline: { settings, timeLimit }, context, isEntered } = visit;
  if (isPreflight(request, settings.origins)) return preflightResponse(request);
  const enter = isEntered ? runWithContext : runBriefly;
  return enter(context, () => timeLimit.run(context, () => route(request, visit)));
}

function failure(error: unknown, { pipeline: { host, strategy }, context }: Visit): Response {
  return runBriefly(context, () => errorResponse(error, host, { context, challenge: strategy.challenge }));
}

/** What cannot be sent as it is, for example a header with a line break, becomes an error. */
function finish(answered: Answered, request: IncomingRequest, visit: Visit): Response {
  const { context, id, pipeline: { settings } } = visit;
  const options = { method: request.method, id, user: context.user, secure: isSecure(request, visit) };
  let response: Response;
  try {
    response = finishResponse(answered, options);
  } catch (error) {
    if (!(answered instanceof Response)) answered.stream?.cancel();
    response = finishResponse(failure(error, visit), options);
  }
  if (settings.origins.length > 0) addCorsHeaders(response.headers, request, settings);
  return response;
}

function route(request: IncomingRequest, visit: Visit): MaybePromise<Answered> {
  const { pipeline, context } = visit;
  const { settings, middlewares } = pipeline;
  const limit = pipeline.host.limits.urlLength;
  if (request.url.length - pathStart(request.url) > limit) {
    throw new ServiceError({ status: 414, message: `The URL is longer than ${limit} characters` });
  }
  const url = pipeline.readUrl(request.url);
  const reached = forwardedUrl(visit.received, url.origin) ?? url.origin;
  visit.hostname = reached.hostname;
  visit.baseUrl = settings.baseUrl ?? reached;
  const { pathname } = url;
  if (pathname === "/health") return health(request);
  const mount = pipeline.findMount(pathname);
  if (mount) logAs(visit, pipeline.host.log(mount.adapter.kind));
  if (!visit.isEntered || !middlewares) {
    return firstAnswer(authenticate(request, visit), () => serve(request, visit, { url, mount }));
  }
  // middleware may change headers
  const last = () => serve(new IncomingRequest(request.web), visit, { url, mount });
  const { outer, inner } = middlewares.split();
  return firstAnswer(
    runAll(outer, context),
    () => firstAnswer(authenticate(request, visit), () => firstAnswer(runAll(inner, context), last)),
  );
}

/** What a step answers, or else what comes behind it. */
function firstAnswer(
  answered: MaybePromise<Response | undefined>,
  next: () => MaybePromise<Answered>,
): MaybePromise<Answered> {
  return andThen<Response | undefined, Answered>(answered, (response) => response ?? next());
}

/** Where a request goes. */
interface Destination {
  readonly url: RequestUrl;
  /** Undefined for own routes of the application. */
  readonly mount: Mount | undefined;
}

function serve(request: IncomingRequest, visit: Visit, { url, mount }: Destination): MaybePromise<Answered> {
  const { pipeline, context } = visit;
  const isForeign = isFromOtherSite(request, {
    baseUrl: visit.baseUrl!,
    origins: pipeline.settings.origins,
    hasCertificate: visit.received.certificate !== undefined,
  });
  if (isForeign && !pipeline.policy.isPublic(url.pathname)) throw new ServiceError({ status: 403 });
  if (!mount) return within(visit, () => answerRoute(request, visit, url));
  const { adapter, rest } = mount;
  return within(visit, () => adapter.handle(request, context, rest + url.search), adapter.entersContext);
}

/** Runs a step in the context, unless it enters the context by itself. */
function within<T>({ context, isEntered }: Visit, run: () => T, entersContext = false): T {
  return isEntered || entersContext ? run() : runWithContext(context, run);
}

/** Runs middleware in order until one answers. */
function runAll(
  [middleware, ...others]: ReturnType<Middlewares["split"]>["outer"],
  context: EventContext,
): MaybePromise<Response | undefined> {
  if (!middleware) return undefined;
  return runMiddleware(middleware, context.http!).then((answered) => answered ?? runAll(others, context));
}

/** Sets user and tenant of the context; a custom strategy may answer by itself. */
function authenticate(request: IncomingRequest, visit: Visit): MaybePromise<Response | undefined> {
  const { pipeline: { strategy }, context, received } = visit;
  const client = { certificate: received.certificate, host: visit.hostname! };
  const found = within(
    visit,
    () => strategy.authenticate(request.web, context, client),
    strategy.entersContext,
  );
  return andThen(found, (result) => identify(result, visit));
}

function identify(result: AuthenticationResult, visit: Visit): Response | undefined {
  const { pipeline: { host, policy }, context } = visit;
  if ("response" in result) return result.response;
  if ("refused" in result) {
    host.log("auth").debug(`refused: ${result.reason}`);
    if (!policy.neverRefuses) throw new ServiceError({ status: 401, challenge: result.challenge });
  } else if ("user" in result) {
    context.user = result.user;
    if (result.tenant !== undefined) context.tenant = result.tenant;
  }
  checkTenant(visit);
  return undefined;
}

/**
 * A tenant must have the shape of one. In multitenant operation whoever has none is nobody: 401 wherever a login is
 * needed (auth 11).
 */
function checkTenant({ pipeline: { host, policy, settings }, context }: Visit): void {
  if (context.tenant !== undefined && !isTenantId(context.tenant)) {
    host.log("auth").debug("refused: the tenant is malformed");
    throw new ServiceError({ status: 401 });
  }
  const isMissing = settings.multitenancy && context.tenant === undefined && !policy.neverRefuses;
  if (!isMissing || !context.user.is("authenticated-user")) return;
  host.log("auth").debug("without tenant: taken as anonymous");
  context.user = User.anonymous;
}

/** Own routes of the application are authenticated unless they are opened (spec 5.2.1, 5.5.3). */
async function answerRoute(
  request: IncomingRequest,
  { pipeline, context }: Visit,
  { origin, pathname, search }: RequestUrl,
): Promise<Response> {
  const { app, host, policy } = pipeline;
  const methods = app.methods(pathname);
  if (methods.length === 0) throw new ServiceError({ status: 404 });
  const isOpen = policy.neverRefuses || policy.isPublic(pathname);
  if (!isOpen && !context.user.is("authenticated-user")) throw new ServiceError({ status: 401 });
  if (!methods.includes(request.method)) return otherMethod(request.method, methods);
  // the router must see the path that was checked, not what the client wrote for it
  const url = new URL(origin.origin + pathname + search);
  return await app.fetch(boundedRequest(request.web, host.limits.streamBytes, url));
}

function health(request: IncomingRequest): Response {
  if (request.method === "GET" || request.method === "HEAD") return Response.json({ status: "UP" });
  return otherMethod(request.method, ["GET", "HEAD"]);
}

/** OPTIONS is answered with the methods there are (design 15, row 12), any other with 405. */
function otherMethod(method: string, methods: readonly string[]): Response {
  const allow = [...methods, ...(methods.includes("OPTIONS") ? [] : ["OPTIONS"])].join(", ");
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  throw new ServiceError({ status: 405, allow });
}

function isSecure(request: IncomingRequest, { baseUrl }: Visit): boolean {
  return (baseUrl?.href ?? request.url).startsWith("https:");
}

/** Logs the request by a logger; what nobody logs is not timed. */
function logAs(visit: Visit, log: Logger): void {
  visit.log = log;
  if (log._info && visit.start === 0) visit.start = performance.now();
}

function logRequest({ received: { request }, log, start }: Visit, response: Response): void {
  const target = request.url.slice(pathStart(request.url));
  const took = (performance.now() - start).toFixed(1);
  log.info(`${request.method} ${readable(target)} ${response.status} ${took} ms`);
}

/** Where the path begins in a URL that may be malformed. */
function pathStart(url: string): number {
  return Math.max(0, url.indexOf("/", url.indexOf("//") + 2));
}

/** Unescapes the query; the path stays as it was sent. */
function readable(target: string): string {
  const at = target.indexOf("?");
  if (at < 0) return target;
  try {
    return target.slice(0, at) + decodeURIComponent(target.slice(at)).replace(/\p{Cc}/gu, " ");
  } catch {
    return target;
  }
}
