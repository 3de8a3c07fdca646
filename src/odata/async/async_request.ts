/**
 * A request that runs on behind its first answer.
 *
 * @module
 */

import { EventContext } from "../../context/event_context.ts";
import { createHttpContext } from "../../context/http_context.ts";
import { runWithContext } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { WireHeaders } from "../../service/wire/wire_request.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { errorAnswer } from "../error_answer.ts";
import { type Answer, createExchange, type Exchange } from "../exchange.ts";
import { HeaderList } from "../header_list.ts";
import { clientOf } from "../kept_for_clients.ts";

/** Answers an exchange; never throws. */
export type ExchangeHandler = (exchange: Exchange) => MaybePromise<Answer>;

/** How a request is done. */
export interface AsyncOptions {
  /** Names it in the URL of its status monitor; nobody can guess it. */
  readonly id: string;
  /** Does the work. */
  readonly run: ExchangeHandler;
  /** Time it may take, in milliseconds. */
  readonly limitMs: number;
  /** Whether all of it is one transaction: a request that is called off changes nothing then. */
  readonly isOneTransaction: boolean;
}

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A request with a context of its own, that of its client as it was. */
export class AsyncRequest {
  /** Names it in the URL of its status monitor. */
  readonly id: string;
  /** Whether all of it is one transaction. */
  readonly isOneTransaction: boolean;
  /** Asked within its transaction right before the commit; false: somebody has called it off meanwhile. */
  mayCommit: () => MaybePromise<boolean> = () => true;
  readonly #exchange: Exchange;
  readonly #options: AsyncOptions;
  readonly #ending: AbortController = new AbortController();
  #isCommitting = false;
  #isDone = false;
  #done: Promise<Answer> | undefined;

  /**
   * Nothing is done yet.
   *
   * @param given the request as it came
   * @param body its body
   * @param options how it is done
   */
  constructor(given: Exchange, body: Uint8Array<ArrayBuffer>, options: AsyncOptions) {
    this.#options = options;
    this.id = options.id;
    this.isOneTransaction = options.isOneTransaction;
    this.#exchange = detached(given, body, this.#ending.signal);
    if (options.isOneTransaction) this.context.ending!.askBeforeCommit = () => this.#beforeCommit();
  }

  /** The context that the work runs in. */
  get context(): EventContext {
    return this.#exchange.context;
  }

  /** Whose it is. */
  get owner(): string {
    return clientOf(this.context);
  }

  /** The method of the request. */
  get method(): string {
    return this.#exchange.method;
  }

  /** Starts the work; called again it gives the same promise. */
  start(): Promise<Answer> {
    return this.#done ??= this.#run();
  }

  /**
   * Ends the work, which changes nothing then, unless its commit has begun.
   *
   * @param reason becomes the answer
   * @returns whether it was ended, once it has
   */
  async end(reason: ServiceError): Promise<boolean> {
    if (!this.#isCommitting && !this.#isDone) this.#ending.abort(reason);
    const isEnded = this.#ending.signal.aborted;
    if (isEnded) await this.#done;
    return isEnded;
  }

  async #run(): Promise<Answer> {
    const { run, limitMs } = this.#options;
    const { signal } = this.#ending;
    const timeout = () => {
      void this.end(new ServiceError({ status: 504, code: "HANDLER_TIMEOUT", $sanitize: false }));
    };
    const timer = setTimeout(timeout, Math.min(limitMs, MAX_TIMER_MS));
    const aborted = new Promise<Answer>((resolve) => {
      signal.addEventListener("abort", () => resolve(errorAnswer(this.#exchange, signal.reason)));
    });
    const work = runWithContext(this.context, async () => await run(this.#exchange));
    const answer = await Promise.race([work, aborted]);
    clearTimeout(timer);
    this.#isDone = true;
    return answer;
  }

  /** From now on what becomes of the commit is the answer. */
  async #beforeCommit(): Promise<void> {
    this.#isCommitting = true;
    if (!await this.mayCommit()) throw calledOff();
  }
}

/** Why a request was ended that its client has called off: no failure, and nobody sees the answer. */
export function calledOff(): ServiceError {
  return new ServiceError({ status: 409, message: "The request was cancelled" });
}

/** The same request with a context that does not end with the first answer. */
function detached(given: Exchange, body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Exchange {
  const { scope, context, method, rawUrl } = given;
  const headers = headersOfRead(given.request.headers);
  const url = given.http?.req.url ?? `http://localhost${scope.root}/${rawUrl}`;
  const content = body.length === 0 || method === "GET" ? null : body;
  const { user, tenant, locale, id, features, timestamp } = context;
  const own = new EventContext({
    ...{ id, user, features, timestamp, signal },
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
