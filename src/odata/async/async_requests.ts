/**
 * Asynchronous requests and their status monitors: `Prefer: respond-async` (OData Protocol 8.2.8.8, 11.6).
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import { currentContext, runBriefly } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { ServiceHost } from "../../service/host.ts";
import { mediaTypeOf, readBytes } from "../../service/wire/read_body.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { isBatchUrl } from "../batch/handle_batch.ts";
import { writeHttpMessage } from "../batch/write_batch.ts";
import { errorAnswer } from "../error_answer.ts";
import { type Answer, type Exchange, finishAnswer, rawPathOf } from "../exchange.ts";
import { HeaderList } from "../header_list.ts";
import { clientOf, keepingDatabase, LaterCleanup } from "../kept_for_clients.ts";
import { notAllowed } from "../methods.ts";
import { parentSteps } from "../payload/context_url.ts";
import { AsyncRequest, calledOff, type ExchangeHandler } from "./async_request.ts";
import {
  type FoundRequest,
  lengthOf,
  type ListedRequest,
  MemoryRequests,
  type RequestStore,
} from "./request_store.ts";
import type { StoredRequests } from "./stored_requests.ts";

/** First segment of the URL of a monitor; the grammar has no such resource. */
const MONITOR = /^(?:\$|%24)async\/([^/?#]*)$/;
/** Seconds that a client is asked to wait. */
const RETRY_AFTER = "1";
const MAX_WAIT_SECONDS = 30;
/** How long what runs may go on when the process is told to end. */
const DRAIN_SECONDS = 2;

/** A request that is about to be kept. */
interface Arriving {
  readonly id: string;
  readonly owner: string;
}

/** The asynchronous requests of a service. */
export class AsyncRequests {
  readonly #host: ServiceHost;
  readonly #service: string;
  readonly #memory: MemoryRequests = new MemoryRequests();
  /** What keeps requests in the databases of tenants. */
  readonly #stores: Map<string | undefined, StoredRequests> = new Map();
  readonly #cleanup: LaterCleanup;
  /** The requests that run in this process, until their answers are kept. */
  readonly #running: Map<AsyncRequest, Promise<void>> = new Map();
  /** Those of them that outlive the rows of their database. */
  readonly #surviving: Set<AsyncRequest> = new Set();
  /** Whose requests have a place, though they are not kept yet: their bodies arrive. */
  readonly #arriving: Set<Arriving> = new Set();

  /**
   * @param host the runtime
   * @param service name of the service
   */
  constructor(host: ServiceHost, service: string) {
    this.#host = host;
    this.#service = service;
    this.#cleanup = new LaterCleanup((id) => host.log(id));
  }

  /**
   * Answers a request: at once, or by a reference to its status monitor where the client prefers that.
   *
   * @param exchange the request
   * @param run does its work
   */
  answer(exchange: Exchange, run: ExchangeHandler): MaybePromise<Answer> {
    const id = exchange.rawUrl.includes("async/") ? MONITOR.exec(rawPathOf(exchange))?.[1] : undefined;
    if (id === undefined && !isDeferred(exchange)) return run(exchange);
    const answer = id === undefined ? this.#deferOrRun(exchange, run) : this.#monitor(exchange, id);
    return answer.catch((error) => runBriefly(exchange.context, () => errorAnswer(exchange, error)));
  }

  /** Forgets all requests, and ends those that run in this process; the one that asks for it goes on. */
  async clear(): Promise<void> {
    const asking = [...this.#running.keys()].filter(({ context }) => isWithin(currentContext(), context));
    const others = [...this.#running].filter(([request]) => !asking.includes(request));
    for (const request of asking) {
      request.mayCommit = () => true;
      this.#surviving.add(request);
    }
    await Promise.all(others.map(([request]) => request.end(calledOff())));
    await Promise.all(others.map(([, kept]) => kept));
    this.#memory.clear(asking);
  }

  /** Whether a request of a tenant runs in this process. */
  isBusy(tenant: string): boolean {
    return [...this.#running.keys()].some(({ context }) => context.tenant === tenant);
  }

  /** The process is about to end: what is not done soon is not done. */
  async close(): Promise<void> {
    await within(Promise.all(this.#running.values()), DRAIN_SECONDS);
    await Promise.all([...this.#running.keys()].map((request) => request.end(lost(request))));
    await Promise.all(this.#running.values());
    await this.#cleanup.close();
    for (const store of this.#stores.values()) await store.close();
  }

  async #store({ tenant }: EventContext): Promise<RequestStore> {
    const db = await keepingDatabase(this.#host, tenant);
    if (db === undefined) return this.#memory;
    const known = this.#stores.get(tenant);
    if (known) return known;
    const { StoredRequests } = await import("./stored_requests.ts");
    const { name: application = "", queue } = this.#host;
    const store = this.#stores.get(tenant) ?? new StoredRequests({
      ...{ db, tenant, application, service: this.#service },
      silenceMs: queue!.leaseMs,
      log: this.#host.log("odata"),
    });
    this.#stores.set(tenant, store);
    return store;
  }

  /** Beyond the limits the preference is not applied. */
  async #deferOrRun(exchange: Exchange, run: ExchangeHandler): Promise<Answer> {
    const store = await this.#store(exchange.context);
    const begun = await this.#begin(exchange, store, run);
    return begun ? await this.#start(exchange, begun, store) : await run(exchange);
  }

  /** Whether the last of some requests that arrive fits in; what is kept too long leaves. */
  async #hasRoomFor(store: RequestStore, arriving: readonly Arriving[]): Promise<boolean> {
    const { asyncRequests, asyncRequestsOfUser } = this.#host.limits;
    const kept = await this.#withoutOld(store);
    const ids = new Set(kept.map(({ id }) => id));
    // what is kept meanwhile counts once
    const owners = [...kept, ...arriving.filter(({ id }) => !ids.has(id))].map(({ owner }) => owner);
    const own = owners.filter((owner) => owner === owners.at(-1));
    return owners.length <= asyncRequests && own.length <= asyncRequestsOfUser;
  }

  /** What is kept, once that has left which is kept too long. */
  async #withoutOld(store: RequestStore): Promise<readonly ListedRequest[]> {
    const { asyncResultMs } = this.#host.limits;
    const listed = await store.list();
    const old = listed.filter(({ isOver, ageMs }) => isOver && ageMs >= asyncResultMs);
    try {
      if (old.length > 0) await store.remove(old.map(({ id }) => id));
    } catch (error) {
      // another process may do the same at that moment; what stays goes the next time
      this.#host.log("odata").info("Cannot remove old asynchronous requests:", error);
    }
    return listed.filter((one) => !old.includes(one));
  }

  async #begin(
    exchange: Exchange,
    store: RequestStore,
    run: ExchangeHandler,
  ): Promise<AsyncRequest | undefined> {
    const { request, context, scope, rawUrl, preferences } = exchange;
    const place: Arriving = { id: crypto.randomUUID(), owner: clientOf(context) };
    this.#arriving.add(place);
    try {
      if (!await this.#hasRoomFor(store, [...this.#arriving])) return undefined;
      const body = await readBytes(request, scope.settings.body);
      const isOneTransaction = !isBatchUrl(rawUrl) && preferences.continueOnError !== true;
      const limitMs = this.#host.limits.asyncMs;
      const begun = new AsyncRequest(exchange, body, { id: place.id, run, isOneTransaction, limitMs });
      begun.mayCommit = () => store.commit(begun.id);
      await store.begin(begun);
      return begun;
    } finally {
      this.#arriving.delete(place);
    }
  }

  /** Starts the work, and answers at once where it is done within the time that the client waits. */
  async #start(exchange: Exchange, begun: AsyncRequest, store: RequestStore): Promise<Answer> {
    const { wait } = exchange.preferences;
    const done = begun.start();
    const waited = wait === undefined ? Promise.resolve(undefined) : within(done, wait);
    const settled = Promise.all([done, waited]).then(([answer, inTime]) =>
      inTime ? store.remove([begun.id]) : this.#keep(store, begun, answer)
    );
    const kept = settled.catch((error) => {
      this.#host.log("odata").error("The answer to an asynchronous request cannot be kept:", error);
    }).finally(() => {
      this.#running.delete(begun);
      this.#surviving.delete(begun);
    });
    this.#running.set(begun, kept);
    const answer = await waited;
    if (answer) {
      await kept;
      return answer;
    }
    return accepted(exchange, `${parentSteps(rawPathOf(exchange))}$async/${begun.id}`, ["respond-async"]);
  }

  /** Keeps an answer, and makes room for it if it fits: others of its user go first, then those of others. */
  async #keep(store: RequestStore, request: AsyncRequest, answer: Answer): Promise<void> {
    const { id, owner, context: { tenant } } = request;
    if (this.#surviving.has(request)) await store.begin(request);
    this.#removeLater(store, tenant);
    await store.end(id, answer);
    const most = this.#host.limits.asyncResultLength;
    if (lengthOf(answer) > most) return await store.remove([id]);
    const others = (await store.list()).filter((one) => one.id !== id && one.length > 0);
    const rank = (one: { readonly owner: string }) => Number(one.owner !== owner);
    let length = others.reduce((sum, one) => sum + one.length, lengthOf(answer));
    const left: string[] = [];
    for (const one of others.toSorted((one, other) => rank(one) - rank(other))) {
      if (length <= most) break;
      left.push(one.id);
      length -= one.length;
    }
    if (left.length > 0) await store.remove(left);
  }

  /** What this process keeps leaves with it at the latest. */
  #removeLater(store: RequestStore, tenant: string | undefined): void {
    const { db, limits } = this.#host;
    if (store === this.#memory || db === undefined) return;
    const run = async () => (await this.#withoutOld(store)).length > 0;
    this.#cleanup.after(tenant, limits.asyncResultMs, { root: db.rootOptions, run });
  }

  async #monitor(exchange: Exchange, id: string): Promise<Answer> {
    if (exchange.headerError !== undefined) throw exchange.headerError;
    const { context, method } = exchange;
    const store = await this.#store(context);
    const found = ID.test(id) ? await store.find(id) : undefined;
    if (!found || !this.#isShown(found, context)) throw new ServiceError({ status: 404 });
    switch (method) {
      case "GET":
      case "HEAD":
        return isUnderWay(found) ? accepted(exchange, id) : resultAnswer(exchange, resultOf(exchange, found));
      case "DELETE":
        return await this.#cancel(exchange, { id, store, found });
      case "OPTIONS":
        return finishAnswer(exchange, { status: 204, headers: { allow: METHODS.join(", ") } });
      default:
        throw notAllowed(METHODS);
    }
  }

  /** Monitors show nothing to others, nor to who has lost a role: the answer may hold what others may not see. */
  #isShown(found: FoundRequest, context: EventContext): boolean {
    const isOld = !isUnderWay(found) && found.ageMs >= this.#host.limits.asyncResultMs;
    return !isOld && found.owner === clientOf(context) && found.roles.every((role) => context.user.is(role));
  }

  async #cancel(
    exchange: Exchange,
    { id, store, found }: {
      readonly id: string;
      readonly store: RequestStore;
      readonly found: FoundRequest;
    },
  ): Promise<Answer> {
    if (isUnderWay(found) && !found.isOneTransaction) {
      // parts of a batch may be committed already
      throw notAllowed(METHODS.filter((method) => method !== "DELETE"));
    }
    if (found.state !== "running" || !await store.cancel(id)) {
      if (!hasChangedNothing(found)) {
        throw new ServiceError({ status: 409, message: "The request is completed already" });
      }
      await store.remove([id]);
    }
    return finishAnswer(exchange, { status: 204 });
  }
}

/** Media streams are not kept. */
function isDeferred({ preferences, method, scope, headerError, request }: Exchange): boolean {
  if (!preferences.respondAsync || !scope.settings.respondAsync) return false;
  if (headerError !== undefined || method === "OPTIONS" || method === "HEAD") return false;
  const type = mediaTypeOf(request.headers.get("content-type"));
  return type === "" || type === "application/json" || type === "multipart/mixed";
}

function isUnderWay({ state }: FoundRequest): boolean {
  return state === "running" || state === "committed";
}

function hasChangedNothing({ state, method, answer, isOneTransaction }: FoundRequest): boolean {
  if (method === "GET") return true;
  return state === "lost" ? isOneTransaction : answer !== undefined && answer.status >= 400;
}

/** Why there is no answer of a request whose process has ended. */
function lost({ isOneTransaction }: Pick<FoundRequest, "isOneTransaction">): ServiceError {
  return isOneTransaction
    ? new ServiceError({ status: 503, code: "ASYNC_REQUEST_LOST", $sanitize: false })
    : new ServiceError({ status: 500, code: "ASYNC_PARTS_LOST", $sanitize: false });
}

function resultOf(exchange: Exchange, found: FoundRequest): Answer {
  if (found.answer) return found.answer;
  const error = found.state === "lost"
    ? lost(found)
    : new ServiceError({ status: 500, code: "ASYNC_ANSWER_LOST", $sanitize: false });
  return errorAnswer(exchange, error);
}

function isWithin(context: EventContext | undefined, root: EventContext): boolean {
  for (let one = context; one; one = one.parent) if (one === root) return true;
  return false;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
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
