import { Ending } from "../context/ending.ts";
import type { EventContext } from "../context/event_context.ts";
import { runWithContext } from "../context/store.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { ServiceError } from "../errors/service_error.ts";
import { Deadlines } from "../util/deadlines.ts";
import { copyRequest } from "../util/http_text.ts";
import { tooLarge } from "../service/wire/read_body.ts";

/** Work that may take some time, and what becomes of it. */
export interface LimitedWork<T, R> {
  /** Does it. */
  run(): MaybePromise<T>;
  /** What becomes of its outcome. */
  end(outcome: T): R;
  /** What becomes of what it throws. */
  fail(error: unknown): R;
}

/** The limit of all requests to a runtime. */
export class TimeLimit {
  readonly #deadlines: Deadlines;

  /**
   * @param limitMs the time a request may take
   * @param shared whether one timer serves all requests: not where hosts end the timers that a request has started
   *   together with it
   */
  constructor(limitMs: number, shared: boolean) {
    this.#deadlines = new Deadlines(limitMs, shared);
  }

  /**
   * Runs the work of a request. Once the time is over, the signal of the context is aborted, which rolls back its
   * transactions, and the work fails with 504 `HANDLER_TIMEOUT`; what it comes to later is ignored.
   *
   * @param context gets the signal
   * @param work the work
   * @returns what became of it
   */
  run<T, R>(context: EventContext, work: LimitedWork<T, R>): MaybePromise<R> {
    const ending = context.ending = new Ending();
    let running: MaybePromise<T>;
    try {
      running = work.run();
    } catch (error) {
      return work.fail(error);
    }
    // what has ended already needs no timer
    if (!(running instanceof Promise)) return work.end(running);
    const answer = Promise.withResolvers<R>();
    const deadline = this.#deadlines.start(() => {
      const error = new ServiceError({ status: 504, code: "HANDLER_TIMEOUT", $sanitize: false });
      // a shared timer runs in the context of another request
      runWithContext(context, () => ending.end(error));
      settle(answer, () => work.fail(error));
    });
    running.then((outcome) => {
      if (deadline.stop()) settle(answer, () => work.end(outcome));
    }, (error) => {
      if (deadline.stop()) settle(answer, () => work.fail(error));
    });
    return answer.promise;
  }
}

function settle<R>({ resolve, reject }: PromiseWithResolvers<R>, become: () => R): void {
  try {
    resolve(become());
  } catch (error) {
    reject(error);
  }
}

/**
 * A request whose body can be read up to a limit: what comes after it makes reading fail.
 *
 * @param request the request
 * @param limitBytes the largest body allowed
 * @param url what the request is to show as its URL
 * @returns the same request, if it needs no change
 * @throws ServiceError 413 when a larger body is announced; reading throws it when one arrives
 */
export function boundedRequest(request: Request, limitBytes: number, url: URL): Request {
  if (Number(request.headers.get("content-length") ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (request.body === null && url.href === request.url) return request;
  const copy = copyWithin(request, limitBytes, url);
  // what middleware of the application has noted
  for (const name of Object.keys(request)) {
    Object.defineProperty(copy, name, Object.getOwnPropertyDescriptor(request, name)!);
  }
  return copy;
}

function copyWithin(request: Request, limitBytes: number, url: URL): Request {
  // middleware of the application may have read it
  if (request.bodyUsed) return new Request(url, { method: request.method, headers: request.headers });
  if (request.body === null) return copyRequest(request, { url });
  let length = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      length += chunk.byteLength;
      if (length > limitBytes) controller.error(tooLarge(limitBytes));
      else controller.enqueue(chunk);
    },
  });
  return copyRequest(request, { url, body: request.body.pipeThrough(counter) });
}
