/**
 * One request that is answered later (OData Protocol 11.6).
 *
 * @module
 */

import { EventContext } from "../../context/event_context.ts";
import { createHttpContext } from "../../context/http_context.ts";
import { runWithContext } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { RootTransaction } from "../../service/transactions/transaction.ts";
import type { WireHeaders } from "../../service/wire/wire_request.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Answer } from "../answer.ts";
import { errorAnswer } from "../error_answer.ts";
import { createExchange, type Exchange } from "../exchange.ts";
import { HeaderList } from "../header_list.ts";

/** Answers an exchange; never throws. */
export type ExchangeHandler = (exchange: Exchange) => MaybePromise<Answer>;

/** A request that runs on behind its first answer, with a context of its own. */
export class AsyncRequest {
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
export function isSameUser(one: EventContext, other: EventContext): boolean {
  return one.user.id === other.user.id && one.tenant === other.tenant;
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
