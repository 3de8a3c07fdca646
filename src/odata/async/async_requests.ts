/**
 * Asynchronous requests and their status monitors: `Prefer: respond-async` (OData Protocol 8.2.8.8, 11.6). They live in
 * the process that took the request, as long as it lives.
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import type { EventContext } from "../../context/event_context.ts";
import { currentContext, runBriefly } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { mediaTypeOf, readBytes } from "../../service/wire/read_body.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Answer } from "../answer.ts";
import { isBatchUrl } from "../batch/handle_batch.ts";
import { writeHttpMessage } from "../batch/write_batch.ts";
import { errorAnswer } from "../error_answer.ts";
import { type Exchange, finishAnswer, rawPathOf } from "../exchange.ts";
import { HeaderList } from "../header_list.ts";
import { notAllowed } from "../methods.ts";
import { parentSteps } from "../payload/context_url.ts";
import { AsyncRequest, type ExchangeHandler, isSameUser } from "./async_request.ts";

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
    if (!request || !isSameUser(request.context, exchange.context)) throw new ServiceError({ status: 404 });
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
