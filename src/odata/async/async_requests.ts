/**
 * Asynchronous requests and their status monitors: `Prefer: respond-async` (OData Protocol 8.2.8.8, 11.6). They live in
 * the process that took the request, as long as it lives.
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import { EventContext } from "../../context/event_context.ts";
import { currentContext, runBriefly, runWithContext } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { mediaTypeOf, readBytes } from "../../service/wire/read_body.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { type Answer, createExchange, type Exchange, finishAnswer, rawPathOf } from "../exchange.ts";
import { isBatchUrl } from "../batch/handle_batch.ts";
import { writeHttpMessage } from "../batch/write_batch.ts";
import { errorAnswer } from "../error_answer.ts";
import { HeaderList } from "../header_list.ts";
import { notAllowed } from "../methods.ts";
import { parentSteps } from "../payload/context_url.ts";
import { createHttpContext } from "../../context/http_context.ts";
import { RootTransaction } from "../../service/transactions/transaction.ts";
import type { WireHeaders } from "../../service/wire/wire_request.ts";

/** Answers an exchange; never throws. */
type ExchangeHandler = (exchange: Exchange) => MaybePromise<Answer>;

/** A request that runs on behind its first answer, with a context of its own. */
class AsyncRequest {
  /** Names it in the URL of its status monitor; nobody can guess it. */
  readonly id: string = crypto.randomUUID();
  /** The answer, once there is one. */
  answer: Answer | undefined;
  /** When there was an answer, in milliseconds of the clock. */
  completedAt = 0;
  /** Settled with the answer. */
  readonly done: Promise<Answer>;
  readonly #exchange: Exchange;
  readonly #ending: AbortController = new AbortController();
  readonly #isOneTransaction: boolean;

  /**
   * Starts the work.
   *
   * @param given the request as it came
   * @param body its body
   * @param options `run`: does the work; `limitMs`: time it may take; `isOneTransaction`: a cancelled request changes
   *   nothing
   */
  constructor(
    given: Exchange,
    body: Uint8Array<ArrayBuffer>,
    options: { readonly run: ExchangeHandler; readonly limitMs: number; readonly isOneTransaction: boolean },
  ) {
    this.#isOneTransaction = options.isOneTransaction;
    this.#exchange = detached(given, body, this.#ending.signal);
    this.done = this.#run(options.run, options.limitMs);
  }

  /** The context that the work runs in. */
  get context(): EventContext {
    return this.#exchange.context;
  }

  /** Whether nothing was changed, or nothing will be once it is cancelled. */
  get isCancellable(): boolean {
    if (this.answer === undefined) return this.#isOneTransaction;
    return this.#exchange.method === "GET" || this.answer.status >= 400;
  }

  /**
   * Ends the work, which changes nothing then.
   *
   * @returns whether it did; false when the work was completed before
   */
  async cancel(): Promise<boolean> {
    if (this.answer === undefined) {
      this.#end(new ServiceError({ status: 503, message: "The request was cancelled", $sanitize: false }));
      await this.done;
    }
    return this.#ending.signal.aborted || this.isCancellable;
  }

  async #run(run: ExchangeHandler, limitMs: number): Promise<Answer> {
    const { signal } = this.#ending;
    const timeout = () =>
      this.#end(new ServiceError({ status: 504, code: "HANDLER_TIMEOUT", $sanitize: false }));
    const timer = setTimeout(timeout, Math.min(limitMs, 2 ** 31 - 1));
    const work = runWithContext(this.#exchange.context, async () => await run(this.#exchange));
    const aborted = new Promise<Answer>((resolve) => {
      signal.addEventListener("abort", () => resolve(errorAnswer(this.#exchange, signal.reason)));
    });
    const answer = await Promise.race([work, aborted]);
    clearTimeout(timer);
    this.completedAt = Date.now();
    return this.answer = answer;
  }

  /** Aborts the work unless its commit has begun: what becomes of that is the answer then. */
  #end(reason: ServiceError): void {
    const { transaction } = this.#exchange.context;
    const isEnding = transaction instanceof RootTransaction && !transaction.isOpen &&
      transaction.state !== "rolled back";
    if (!isEnding || !this.#isOneTransaction) this.#ending.abort(reason);
  }
}

/** Whether two requests are of one user: monitors show nothing to others. */
function isSameUser(one: EventContext, other: EventContext): boolean {
  return one.user.id === other.user.id && one.tenant === other.tenant;
}

/** Whether somebody still has the roles that a request was made with: its answer may hold what others may not see. */
function hasRolesOf(owner: EventContext, { user }: EventContext): boolean {
  return owner.user.roles.every((role) => user.is(role));
}

/** The same request with a context that does not end with the first answer. */
function detached(given: Exchange, body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Exchange {
  const { scope, context, method, rawUrl } = given;
  const headers = headersOfRead(given.request.headers);
  const url = given.http?.req.url ?? `http://localhost${scope.root}/${rawUrl}`;
  const content = body.length === 0 || method === "GET" ? null : body;
  const { user, tenant, locale, id, features, timestamp } = context;
  const own = new EventContext({
    id,
    user,
    features,
    timestamp,
    signal,
    ...(tenant === undefined ? {} : { tenant }),
    ...(locale === undefined ? {} : { locale }),
    http: createHttpContext(() => new Request(url, { method, headers, body: content })),
  });
  scope.host.adopt?.(own);
  return createExchange(scope, { request: { method, headers, body: content }, context: own, rawUrl });
}

/** The headers of a request whose body was read: what was compressed is no more. */
function headersOfRead(headers: WireHeaders): WireHeaders {
  if (headers.get("content-encoding") === null) return headers;
  const names = new Set(["content-encoding", "content-length"]);
  return new HeaderList([...headers].filter(([name]) => !names.has(name)));
}

/** First segment of the URL of a monitor; the grammar has no such resource. */
const MONITOR = /^(?:\$|%24)async\/([^/?#]*)$/;
/** Seconds that a client is asked to wait. */
const RETRY_AFTER = "1";
const MAX_WAIT_SECONDS = 30;

/** The asynchronous requests of a service. */
export class AsyncRequests {
  readonly #requests: Map<string, AsyncRequest> = new Map();
  /** The contexts of requests whose bodies arrive: they have their place already. */
  readonly #arriving: Set<EventContext> = new Set();
  readonly #limits: Limits;

  /** @param limits how many, and how long */
  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Answers a request: at once, or by a reference to its status monitor where the client prefers that.
   *
   * @param exchange the request
   * @param run does its work
   */
  answer(exchange: Exchange, run: ExchangeHandler): MaybePromise<Answer> {
    const id = exchange.rawUrl.includes("async/") ? MONITOR.exec(rawPathOf(exchange))?.[1] : undefined;
    if (id === undefined && !this.#isDeferred(exchange)) return run(exchange);
    const answer = id === undefined ? this.#defer(exchange, run) : this.#monitor(exchange, id);
    return answer.catch((error) => runBriefly(exchange.context, () => errorAnswer(exchange, error)));
  }

  /** Forgets all requests, and ends those that run; the one that asks for it goes on. */
  async clear(): Promise<void> {
    const others = [...this.#requests.values()].filter(({ context }) => !isWithin(currentContext(), context));
    for (const { id } of others) this.#requests.delete(id);
    await Promise.all(others.filter(({ answer }) => answer === undefined).map((one) => one.cancel()));
  }

  /** Media streams are not kept; beyond the limits the preference is not applied. */
  #isDeferred(exchange: Exchange): boolean {
    const { preferences, method, scope, context, request } = exchange;
    if (!preferences.respondAsync || !scope.settings.respondAsync) return false;
    if (exchange.headerError !== undefined || method === "OPTIONS" || method === "HEAD") return false;
    const type = mediaTypeOf(request.headers.get("content-type"));
    if (type !== "" && type !== "application/json" && type !== "multipart/mixed") return false;
    return this.#hasRoomFor(context);
  }

  #hasRoomFor(context: EventContext): boolean {
    this.#forgetOld();
    const all = [...[...this.#requests.values()].map((request) => request.context), ...this.#arriving];
    const own = all.filter((one) => isSameUser(one, context)).length;
    return all.length < this.#limits.asyncRequests && own < this.#limits.asyncRequestsOfUser;
  }

  async #defer(exchange: Exchange, run: ExchangeHandler): Promise<Answer> {
    const { preferences } = exchange;
    const body = await this.#bodyOf(exchange);
    const isOneTransaction = !isBatchUrl(exchange.rawUrl) && preferences.continueOnError !== true;
    const limitMs = this.#limits.asyncMs;
    const started = new AsyncRequest(exchange, body, { run, limitMs, isOneTransaction });
    this.#requests.set(started.id, started);
    const answer = preferences.wait === undefined ? undefined : await within(started.done, preferences.wait);
    if (answer) {
      this.#requests.delete(started.id);
      return answer;
    }
    void started.done.then(() => this.#forgetLarge(started));
    return accepted(exchange, `${parentSteps(rawPathOf(exchange))}$async/${started.id}`, ["respond-async"]);
  }

  async #bodyOf({ request, scope, context }: Exchange): Promise<Uint8Array<ArrayBuffer>> {
    this.#arriving.add(context);
    try {
      return await readBytes(request, scope.settings.body);
    } finally {
      this.#arriving.delete(context);
    }
  }

  async #monitor(exchange: Exchange, id: string): Promise<Answer> {
    if (exchange.headerError !== undefined) throw exchange.headerError;
    this.#forgetOld();
    const request = this.#requests.get(id);
    const { context } = exchange;
    if (!request || !isSameUser(request.context, context) || !hasRolesOf(request.context, context)) {
      throw new ServiceError({ status: 404 });
    }
    switch (exchange.method) {
      case "GET":
      case "HEAD":
        return request.answer ? resultAnswer(exchange, request.answer) : accepted(exchange, id);
      case "DELETE":
        return await this.#cancel(exchange, request);
      case "OPTIONS":
        return finishAnswer(exchange, { status: 204, headers: { allow: METHODS.join(", ") } });
      default:
        throw notAllowed(METHODS);
    }
  }

  async #cancel(exchange: Exchange, request: AsyncRequest): Promise<Answer> {
    if (request.answer === undefined && !request.isCancellable) {
      // parts of a batch may be committed already
      throw notAllowed(METHODS.filter((method) => method !== "DELETE"));
    }
    if (!await request.cancel()) {
      throw new ServiceError({ status: 409, message: "The request is completed already" });
    }
    this.#requests.delete(request.id);
    return finishAnswer(exchange, { status: 204 });
  }

  /** Makes room for a result that fits: others of its user go first, then those of others. */
  #forgetLarge(completed: AsyncRequest): void {
    const most = this.#limits.asyncResultLength;
    if (lengthOf(completed) > most) this.#requests.delete(completed.id);
    const kept = [...this.#requests.values()].filter(({ answer }) => answer !== undefined);
    const rank = (one: AsyncRequest) =>
      one === completed ? 2 : isSameUser(one.context, completed.context) ? 0 : 1;
    let length = kept.reduce((sum, one) => sum + lengthOf(one), 0);
    for (const one of kept.toSorted((one, other) => rank(one) - rank(other))) {
      if (length <= most) return;
      this.#requests.delete(one.id);
      length -= lengthOf(one);
    }
  }

  #forgetOld(): void {
    const oldest = Date.now() - this.#limits.asyncResultMs;
    for (const [id, { answer, completedAt }] of this.#requests) {
      if (answer !== undefined && completedAt <= oldest) this.#requests.delete(id);
    }
  }
}

function isWithin(context: EventContext | undefined, root: EventContext): boolean {
  for (let one = context; one; one = one.parent) if (one === root) return true;
  return false;
}

function lengthOf({ answer }: AsyncRequest): number {
  return answer?.body?.length ?? 0;
}

const METHODS = ["GET", "HEAD", "DELETE", "OPTIONS"];

function accepted(exchange: Exchange, location: string, applied?: readonly string[]): Answer {
  const headers = { "Location": location, "Retry-After": RETRY_AFTER };
  return finishAnswer(exchange, { status: 202, headers, applied });
}

/** The result, or undefined when the time is over before. */
async function within<T>(work: Promise<T>, seconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(seconds, MAX_WAIT_SECONDS) * 1000);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result: as HTTP message for clients of 4.0, else with its status in a header (Protocol 11.6). */
function resultAnswer(exchange: Exchange, result: Answer): Answer {
  const accept = exchange.request.headers.get("accept");
  const isMessage = accept === null ? exchange.version === "4.0" : accept.includes("application/http");
  if (isMessage) {
    const headers = { "Content-Transfer-Encoding": "binary" };
    const body = writeHttpMessage(result);
    return finishAnswer(exchange, { status: 200, contentType: "application/http", body, headers });
  }
  const headers = new HeaderList();
  for (const [name, value] of result.headers) headers.append(name, value);
  headers.set("AsyncResult", String(result.status));
  return { ...result, status: 200, headers };
}
