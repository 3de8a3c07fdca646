/**
 * The way of a request: limits, correlation id, context, authentication, routing, answer (design 1).
 *
 * @module
 */

import type { AuthenticationResult, AuthenticationStrategy, EndpointPolicy } from "../auth/strategy.ts";
import { contextFromRequest } from "../context/context_from_request.ts";
import type { EventContext } from "../context/event_context.ts";
import { runMiddleware } from "../context/http_context.ts";
import { RequestEntries, runBriefly, runInRequest } from "../context/store.ts";
import { User } from "../context/user.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { Logger } from "../log/logger.ts";
import type { ServiceHost } from "../service/host.ts";
import { IncomingRequest } from "../service/wire/wire_request.ts";
import type { ProtocolAdapter, WireAnswer } from "../service/wire/protocol_adapter.ts";
import { isTenantId } from "../util/is_tenant_id.ts";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import { readableTarget } from "../util/http_text.ts";
import { boundedRequest, type LimitedWork, TimeLimit } from "./request_limits.ts";
import { addCorsHeaders, isFromOtherSite, isPreflight, isSafe, preflightResponse } from "./cross_origin.ts";
import { errorResponse } from "./error_response.ts";
import { finishResponse } from "./finish_response.ts";
import type { Middlewares } from "./middlewares.ts";
import type { FrontEnds } from "./front_ends.ts";
import { type Mount, mountFinder } from "./mounts.ts";
import type { Readiness } from "./readiness.ts";
import { assertHost, reachedOrigin, receive, type Received } from "./peer.ts";
import { RateLimits, type SharedBuckets, Usage } from "./rate_limits.ts";
import { type Origin, type RequestUrl, urlReader } from "./request_url.ts";
import { type HttpSettings, httpSettings } from "./settings.ts";

/** Routes of the application beside its services. */
export interface AppRoutes {
  fetch(request: Request, http?: EventContext["http"]): Response | Promise<Response>;
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
  /** Whether requests should come here, for `/ready`. */
  readonly isReady: Readiness["state"];
  /** Files for paths that nothing else has. */
  readonly frontEnds?: FrontEnds;
  /** Middleware of the application around authentication. */
  readonly middlewares?: Middlewares;
  /** Where requests are counted together with other processes. */
  readonly buckets?: SharedBuckets;
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
    readUrl: urlReader(),
    findMount: mountFinder(options.mounts),
    rateLimits: settings.rateLimits && new RateLimits(settings.rateLimits, options.buckets, host.log("http")),
  };
  return (arrived, info) => {
    let visit: Visit;
    try {
      visit = new Visit(pipeline, receive(arrived, info, settings));
      options.onContext?.(visit.context);
    } catch (error) {
      return Promise.resolve(unreadable(error, host));
    }
    return Promise.resolve(timeLimit.run(visit.context, visit));
  };
}

/** The answer to a request of which nothing can be read, for example as its connection is gone. */
function unreadable(error: unknown, host: ServiceHost): Response {
  const options = { method: "GET", id: crypto.randomUUID(), user: User.anonymous, secure: false };
  return finishResponse(errorResponse(error, host), options);
}

/** What all requests share. */
interface Pipeline extends PipelineOptions {
  readonly settings: HttpSettings;
  readonly readUrl: ReturnType<typeof urlReader>;
  readonly findMount: ReturnType<typeof mountFinder>;
  readonly rateLimits: RateLimits | undefined;
}

/** What comes out of the steps. */
type Answered = Response | WireAnswer;

/** A request on its way. */
class Visit implements LimitedWork<Answered, Response> {
  readonly pipeline: Pipeline;
  readonly received: Received;
  readonly context: EventContext;
  /** Correlation id: a handler may give the context another one, which belongs to its own work. */
  readonly id: string;
  /**
   * Whether all that happens sees the context as the current one: middleware may replace it for all that comes behind. If
   * not, what needs it enters it.
   */
  readonly isEntered: boolean;
  /** The request as middleware leaves it. */
  request: IncomingRequest;
  /** The logger of the protocol, once it is known. */
  log: Logger;
  /** When the request came; 0 as long as nobody wants to know. */
  start = 0;
  /** Its URL, once it is read. */
  url: RequestUrl | undefined;
  /** Host at which the client reached the application, once it is known. */
  hostname = "";
  /** Our own origin as the client sees it, once it is known. */
  origin: Origin | undefined;
  /** What it uses of the limits, where there are some. */
  readonly usage: Usage | undefined;
  /** The service that the URL belongs to; undefined for own routes of the application. */
  mount: Mount | undefined;
  readonly #entries: RequestEntries = new RequestEntries();

  constructor(pipeline: Pipeline, received: Received) {
    const { request } = received;
    this.pipeline = pipeline;
    this.received = received;
    this.request = request;
    this.context = contextFromRequest(request.web, pipeline.settings.locales, request);
    this.context.entries = this.#entries;
    this.id = this.context.id;
    this.isEntered = pipeline.middlewares?.isEmpty === false;
    this.usage = pipeline.rateLimits && new Usage(pipeline.rateLimits);
    this.log = pipeline.host.log("http");
    logAs(this, this.log);
  }

  /** Goes through the steps. */
  run(): MaybePromise<Answered> {
    const { request, pipeline, context, isEntered } = this;
    assertHost(request);
    if (isPreflight(request, pipeline.settings.origins)) return preflightResponse(request);
    return isEntered ? runInRequest(context, () => route(this)) : runBriefly(context, () => route(this));
  }

  /** What cannot be sent as it is, for example a header with a line break, becomes an error. */
  end(answered: Answered): Response {
    const { context, id, log, pipeline: { host, settings }, received: { request } } = this;
    const { user, http } = context;
    const options = { method: request.method, id, user, secure: isSecure(this), http };
    let response: Response;
    try {
      response = finishResponse(answered, options);
    } catch (error) {
      if (!(answered instanceof Response)) answered.stream?.cancel();
      response = finishResponse(failure(error, this), options);
    }
    if (settings.origins.length > 0) addCorsHeaders(response.headers, request, settings);
    this.usage?.end(response.headers);
    this.#entries.end();
    if (!isSafe(request.method)) host.live?.streams.touch();
    if (log._info) logRequest(this, response);
    return response;
  }

  /** The last resort: whatever goes wrong becomes an answer. */
  fail(error: unknown): Response {
    return this.end(failure(error, this));
  }
}

function failure(error: unknown, { pipeline: { host, strategy }, context }: Visit): Response {
  return runBriefly(context, () => errorResponse(error, host, { context, challenge: strategy.challenge }));
}

function route(visit: Visit): MaybePromise<Answered> {
  const { pipeline, received, request } = visit;
  assertLength(request.url, pipeline.host.limits.urlLength);
  const url = visit.url = pipeline.readUrl(request.url);
  const reached = reachedOrigin(received, url.origin);
  visit.hostname = reached.hostname;
  visit.origin = pipeline.settings.origin ?? reached;
  if (url.pathname === "/health") return state(request, { status: "UP" });
  if (url.pathname === "/ready") return pipeline.isReady().then((found) => state(request, found));
  return andThen(visit.usage?.begin(received.address), () => routed(visit));
}

/** Goes on with a request whose address may ask. */
function routed(visit: Visit): MaybePromise<Answered> {
  const { pipeline: { host, middlewares }, context, url } = visit;
  visit.mount = visit.pipeline.findMount(url!.pathname);
  if (visit.mount) logAs(visit, host.log(visit.mount.adapter.kind));
  if (!visit.isEntered || !middlewares) return firstAnswer(authenticate(visit), visit, serve);
  return firstAnswer(runAll(middlewares.split().outer, context), visit, logIn);
}

/** Goes on behind the middleware in front of authentication. */
function logIn(visit: Visit): MaybePromise<Answered> {
  return firstAnswer(authenticate(visit), visit, runInner);
}

function runInner(visit: Visit): MaybePromise<Answered> {
  const { inner } = visit.pipeline.middlewares!.split();
  return firstAnswer(runAll(inner, visit.context), visit, serveChanged);
}

/** Middleware may have changed headers. */
function serveChanged(visit: Visit): MaybePromise<Answered> {
  visit.request = new IncomingRequest(visit.request.web);
  return serve(visit);
}

/** What a step answers, or else what comes behind it. */
function firstAnswer(
  answered: MaybePromise<Response | undefined>,
  visit: Visit,
  next: (visit: Visit) => MaybePromise<Answered>,
): MaybePromise<Answered> {
  return answered instanceof Promise
    ? answered.then((response) => response ?? next(visit))
    : answered ?? next(visit);
}

function assertLength(url: string, limit: number): void {
  if (url.length > limit && url.length - pathStart(url) > limit) {
    throw new ServiceError({ status: 414, message: `The URL is longer than ${limit} characters` });
  }
}

function serve(visit: Visit): MaybePromise<Answered> {
  const { pipeline: { policy, settings }, request, received, mount, origin } = visit;
  const isForeign = isFromOtherSite(request, {
    baseUrl: origin!.url,
    origins: settings.origins,
    hasCertificate: received.certificate !== undefined,
  });
  if (isForeign && !policy.isPublic(visit.url!.pathname)) {
    if (!isSafe(request.method)) throw otherSite(visit);
    request.isFromOtherSite = true;
  }
  return mount ? within(visit, callService, mount.adapter.entersContext) : within(visit, answerRoute);
}

function otherSite({ log, request }: Visit): ServiceError {
  const site = request.headers.get("origin") ?? "another site";
  log.warn(`${request.method} of a page of ${site} refused: "fw.server.cors.origins" does not list it`);
  return new ServiceError({ status: 403 });
}

function callService({ request, context, mount, url }: Visit): MaybePromise<Answered> {
  return mount!.adapter.handle(request, context, mount!.rest + url!.search);
}

/** Runs a step in the context, unless it enters the context by itself. */
function within<T>(visit: Visit, step: (visit: Visit) => T, entersContext = false): T {
  return visit.isEntered || entersContext ? step(visit) : runInRequest(visit.context, () => step(visit));
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
function authenticate(visit: Visit): MaybePromise<Response | undefined> {
  const found = within(visit, askStrategy, visit.pipeline.strategy.entersContext);
  return found instanceof Promise ? found.then((result) => identify(result, visit)) : identify(found, visit);
}

function askStrategy(
  { pipeline: { strategy }, request, context, received, hostname }: Visit,
): MaybePromise<AuthenticationResult> {
  const client = { certificate: received.certificate, host: hostname };
  return strategy.authenticate(request.web, context, client);
}

function identify(result: AuthenticationResult, visit: Visit): MaybePromise<Response | undefined> {
  const { pipeline: { policy }, context } = visit;
  if ("response" in result) return result.response;
  if ("refused" in result) {
    tell(visit, `refused: ${result.reason}`);
    if (!policy.neverRefuses) throw new ServiceError({ status: 401, challenge: result.challenge });
  } else if ("user" in result) {
    context.user = result.user;
    if (result.tenant !== undefined) context.tenant = result.tenant;
  }
  checkTenant(visit);
  return visit.usage && andThen(visit.usage.admitUser(context, visit.received.address), () => undefined);
}

/**
 * A tenant must have the shape of one. In multitenant operation whoever has none is nobody: 401 wherever a login is
 * needed (auth 11).
 */
function checkTenant(visit: Visit): void {
  const { pipeline: { policy, settings }, context } = visit;
  if (context.tenant !== undefined && !isTenantId(context.tenant)) {
    tell(visit, "refused: the tenant is malformed");
    throw new ServiceError({ status: 401 });
  }
  const isMissing = settings.multitenancy && context.tenant === undefined && !policy.neverRefuses;
  if (!isMissing || !context.user.is("authenticated-user")) return;
  tell(visit, "without tenant: taken as anonymous");
  context.user = User.anonymous;
}

/** Says in the log what became of a login; the line carries the correlation id of the request. */
function tell(visit: Visit, text: string): void {
  within(visit, ({ pipeline: { host } }) => host.log("auth").debug(text));
}

/** Own routes of the application are authenticated unless they are opened (spec 5.2.1, 5.5.3). */
async function answerRoute(visit: Visit): Promise<Response> {
  const { pipeline, request, context, url: asked } = visit;
  const { app, host, policy } = pipeline;
  const { origin, pathname, search } = asked!;
  const methods = app.methods(pathname);
  const isOpen = policy.neverRefuses || policy.isPublic(pathname);
  if (methods.length === 0) return await answerFile(visit, isOpen || !host.production);
  if (!isOpen && !context.user.is("authenticated-user")) throw new ServiceError({ status: 401 });
  if (!methods.includes(request.method)) return otherMethod(request.method, methods);
  // the router must see the path that was checked, not what the client wrote for it
  const url = new URL(origin.url.origin + pathname + search);
  return await app.fetch(boundedRequest(request.web, host.limits.streamBytes, url), context.http);
}

/** Files of front ends are for everybody in development: a page asks for a login when it calls a service. */
async function answerFile({ pipeline, request, context, url }: Visit, isOpen: boolean): Promise<Response> {
  const { pathname } = url!;
  const { frontEnds } = pipeline;
  if (!frontEnds || !await frontEnds.has(pathname)) throw new ServiceError({ status: 404 });
  if (!isOpen && !context.user.is("authenticated-user")) throw new ServiceError({ status: 401 });
  if (request.method !== "GET" && request.method !== "HEAD") {
    return otherMethod(request.method, ["GET", "HEAD"]);
  }
  const answer = await frontEnds.answer(request.web, pathname);
  if (answer) return answer;
  throw new ServiceError({ status: 404 });
}

function state(request: IncomingRequest, found: { readonly status: "UP" | "DOWN" }): Response {
  if (request.method === "GET" || request.method === "HEAD") {
    return Response.json(found, { status: found.status === "UP" ? 200 : 503 });
  }
  return otherMethod(request.method, ["GET", "HEAD"]);
}

/** OPTIONS is answered with the methods there are (design 15, row 12), any other with 405. */
function otherMethod(method: string, methods: readonly string[]): Response {
  const allow = [...methods, ...(methods.includes("OPTIONS") ? [] : ["OPTIONS"])].join(", ");
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  throw new ServiceError({ status: 405, allow });
}

function isSecure({ origin, received: { request } }: Visit): boolean {
  return origin?.isSecure ?? request.url.startsWith("https:");
}

/** Logs the request by a logger; what nobody logs is not timed. */
function logAs(visit: Visit, log: Logger): void {
  visit.log = log;
  if (log._info && visit.start === 0) visit.start = performance.now();
}

function logRequest(visit: Visit, response: Response): void {
  const { context, received: { request }, log, start } = visit;
  const target = request.url.slice(pathStart(request.url));
  const took = (performance.now() - start).toFixed(1);
  const text = `${request.method} ${readableTarget(target)} ${response.status} ${took} ms`;
  runBriefly(context, () => log.info(text));
}

/** Where the path begins in a URL that may be malformed. */
function pathStart(url: string): number {
  return Math.max(0, url.indexOf("/", url.indexOf("//") + 2));
}
