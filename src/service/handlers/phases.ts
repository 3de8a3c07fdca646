/**
 * The phases of an event or request: before, on, after (spec 6.1, `design` 8).
 *
 * @module
 */

import { isServiceError, ServiceError } from "../../errors/service_error.ts";
import { aggregateErrors, readableError } from "../../errors/normalize_error.ts";
import { runInRequest } from "../../context/store.ts";
import { andThen, type MaybePromise, maybePromise, orElse } from "../../util/maybe_promise.ts";
import type { LinkedService } from "../../model/linked.ts";
import type { HandlerEntry, HandlerOwner, OnHandler, Phase } from "./handlers.ts";
import { eventHint } from "./unmatched_handlers.ts";
import { RecordedError, type ServiceEvent } from "../requests/service_event.ts";
import { ServiceRequest } from "../requests/service_request.ts";

/** What calls of `async function*` return. */
const AsyncGenerator = Object.getPrototypeOf(async function* () {}).prototype as object;

/**
 * The members of a `Set`, an iterator or a generator as an array: whoever looks at results knows arrays only.
 *
 * @param result what a handler returned
 * @returns anything else as it is
 */
function collected(result: unknown): MaybePromise<unknown> {
  if (result instanceof Set || result instanceof Iterator) return [...result as Iterable<unknown>];
  return Object.prototype.isPrototypeOf.call(AsyncGenerator, result as object)
    ? Array.fromAsync(result as AsyncIterable<unknown>)
    : result;
}

/** What an event or request passes: a service with its own steps between the handlers. */
export interface PhaseOwner extends HandlerOwner {
  prepare?(req: ServiceEvent): MaybePromise<void>;
  complete?(req: ServiceEvent): void;
  handleGeneric?(req: ServiceRequest): unknown;
  failed(req: ServiceEvent, error: unknown): unknown;
}

/**
 * Runs all phases of an event or request.
 *
 * @param service whose handlers run
 * @param req the event or request
 * @returns its result
 */
export function runPhases(service: PhaseOwner, req: ServiceEvent): MaybePromise<unknown> {
  const steps = service.host.telemetry === undefined ? STEPS : WATCHED_STEPS;
  try {
    for (let at = 0; at < steps.length; at++) {
      const step = steps[at]!;
      const given = step.run(service, req);
      if (given instanceof Promise) {
        return goOn(service, req, { begun: step, given, steps: steps.slice(at + 1) });
      }
      const ended = step.end?.(req, given);
      if (ended instanceof Promise) return goOn(service, req, { given: ended, steps: steps.slice(at + 1) });
    }
  } catch (error) {
    return failed(service, req, error);
  }
  return req.results;
}

/** What is left to do for an event. */
interface LeftSteps {
  /** What is waited for. */
  readonly given: Promise<unknown>;
  /** The step that has given it, and has not ended. */
  readonly begun?: Step;
  /** The steps behind it. */
  readonly steps: readonly Step[];
}

/** One promise for all that is left, whichever of the steps are waited for. */
async function goOn(
  service: PhaseOwner,
  req: ServiceEvent,
  { given, begun, steps }: LeftSteps,
): Promise<unknown> {
  try {
    const first = await given;
    await begun?.end?.(req, first);
    for (const step of steps) {
      let next = step.run(service, req);
      if (next instanceof Promise) next = await next;
      const ended = step.end?.(req, next);
      if (ended instanceof Promise) await ended;
    }
  } catch (error) {
    return await failed(service, req, error);
  }
  return req.results;
}

/** Tells those who see errors, first of all whether the request is refused. */
function failed(service: PhaseOwner, req: ServiceEvent, thrown: unknown): MaybePromise<never> {
  const tell = (error: unknown): never => {
    const readable = readableError(error);
    throw runInRequest(req, () => service.failed(req, readable));
  };
  const refusal = req instanceof ServiceRequest ? req.refusal : undefined;
  if (refusal === undefined) return tell(thrown);
  return andThen<unknown, never>(
    orElse<unknown>(
      () => andThen(runInRequest(req, refusal), () => thrown),
      (error) => isRefusal(error) ? error : thrown,
    ),
    tell,
  );
}

/** Whether a row may not be changed, or is not there; anything else says that nobody could be asked. */
function isRefusal(error: unknown): boolean {
  return isServiceError(error) && (error.status === 403 || error.status === 404);
}

/** A step of all events. */
interface Step {
  /** Whose handlers it calls. */
  readonly phase?: Phase;
  /** Does it, and gives what may have to be waited for. */
  run(service: PhaseOwner, req: ServiceEvent): unknown;
  /** What follows from what it gave. */
  end?(req: ServiceEvent, given: unknown): MaybePromise<void>;
}

/** What an event passes, in this order. */
const STEPS: readonly Step[] = [
  { run: (service, req) => service.prepare?.(req) },
  { run: (_, req) => req instanceof ServiceRequest ? req.precondition?.() : undefined },
  { phase: "before", run: callBefore, end: rejectRecorded },
  { run: (service, req) => service.complete?.(req) },
  { phase: "on", run: callOn, end: takeResult },
  { phase: "after", run: callAfter, end: rejectRecorded },
];

/** The same where somebody watches: phases with handlers are spans. */
const WATCHED_STEPS: readonly Step[] = STEPS.map((step) =>
  step.phase === undefined ? step : { run: (service, req) => asSpan(step, service, req) }
);

function asSpan(step: Step, service: PhaseOwner, req: ServiceEvent): MaybePromise<void> {
  const phase = step.phase!; // steps without one are no spans
  const { telemetry } = service.host;
  if (service.handlers.for(phase, req).length === 0) return whole(step, service, req);
  const attributes = { "fw.service": service.name, "fw.event": req.event };
  const options = { attributes, isPart: true };
  return telemetry!.span(`${phase} ${req.event}`, options, () => whole(step, service, req));
}

function whole(step: Step, service: PhaseOwner, req: ServiceEvent): MaybePromise<void> {
  return andThen(step.run(service, req), (given) => step.end?.(req, given));
}

/**
 * Runs the `before` handlers in parallel. All end before the phase does, so that none works in a transaction that was
 * rolled back.
 *
 * @param service whose handlers run
 * @param req the event or request
 */
export function runBefore(service: HandlerOwner, req: ServiceEvent): MaybePromise<void> {
  return andThen(callBefore(service, req), () => rejectRecorded(req));
}

function callBefore(service: HandlerOwner, req: ServiceEvent): unknown {
  const entries = service.handlers.for("before", req);
  return entries.length === 0 ? undefined : callAll(service, req, {
    entries,
    call: ({ handler }) => handler.call(service, req as ServiceRequest),
  });
}

/** Runs the `on` handlers: a chain for requests, ended by the generic handler; all in parallel for events. */
function callOn(service: PhaseOwner, req: ServiceEvent): unknown {
  const entries = service.handlers.for("on", req);
  if (req instanceof ServiceRequest) return maybePromise(chain({ service, req, entries }, 0));
  if (entries.length === 0) return undefined;
  const next = () => Promise.resolve(undefined);
  return callAll(service, req, {
    entries,
    call: ({ handler }) => handler.call(service, req as ServiceRequest, next),
  });
}

/** Takes over what the chain of `on` handlers gave. */
function takeResult(req: ServiceEvent, given: unknown): MaybePromise<void> {
  if (req instanceof ServiceRequest) {
    if (given !== undefined && !(given instanceof RecordedError)) req.results = given;
    const results = collected(req.results);
    if (results instanceof Promise) {
      return results.then((all) => {
        req.results = all;
        rejectRecorded(req);
      });
    }
    req.results = results;
  }
  rejectRecorded(req);
}

/**
 * Runs the `after` handlers in parallel; those of READ get an array, those registered per row every row.
 *
 * @param service whose handlers run
 * @param req the event or request
 */
export function runAfter(service: HandlerOwner, req: ServiceEvent): MaybePromise<void> {
  return andThen(callAfter(service, req), () => rejectRecorded(req));
}

function callAfter(service: HandlerOwner, req: ServiceEvent): unknown {
  const entries = service.handlers.for("after", req);
  if (entries.length === 0) return undefined;
  const rows = asRows(req.results);
  const results = req.event === "READ" ? rows : req.results;
  const request = req as ServiceRequest;
  return callAll(service, req, {
    entries,
    call: ({ handler, each }) =>
      each
        ? ofAll(rows.map((row) => handler.call(service, row, request)))
        : handler.call(service, results, request),
  });
}

/** What some steps gave, once all of them have ended; they are waited for only if one of them waits. */
function ofAll(given: readonly unknown[]): unknown {
  return given.some((one) => maybePromise(one) instanceof Promise) ? Promise.all(given) : undefined;
}

/** The rows of a result: itself, or the one row, or none. */
function asRows(results: unknown): unknown[] {
  if (Array.isArray(results)) return results;
  return results === undefined || results === null ? [] : [results];
}

interface Chain {
  readonly service: PhaseOwner;
  readonly req: ServiceRequest;
  readonly entries: readonly HandlerEntry<OnHandler>[];
}

function chain(links: Chain, index: number): unknown {
  const { service, req, entries } = links;
  if (index < entries.length) {
    return entries[index].handler.call(service, req, async () => await chain(links, index + 1));
  }
  if (service.handleGeneric) return service.handleGeneric(req);
  throw unhandled(service, req);
}

/** Handlers of a phase that run in parallel, and how one of them is called. */
interface Parallel<H> {
  readonly entries: readonly HandlerEntry<H>[];
  readonly call: (entry: HandlerEntry<H>) => unknown;
}

/**
 * Runs handlers in parallel, and waits for those that do. All end before the phase does; then what the first failing one
 * threw is thrown.
 */
function callAll<H>(service: HandlerOwner, req: ServiceEvent, { entries, call }: Parallel<H>): unknown {
  if (entries.length === 1) return maybePromise(call(entries[0]!));
  const failures: unknown[] = new Array(entries.length).fill(NONE);
  const waiting: Promise<unknown>[] = [];
  entries.forEach((entry, index) => {
    const fail = (error: unknown) => void (failures[index] = error);
    try {
      const pending = maybePromise(call(entry));
      if (pending instanceof Promise) waiting.push(pending.then(undefined, fail));
    } catch (error) {
      fail(error);
    }
  });
  const finish = () => {
    const failed = failures.filter((failure) => failure !== NONE);
    for (const reason of failed.slice(1)) {
      service.log.error(`Another handler of ${req.event} failed, too:`, reason);
    }
    if (failed.length > 0) throw failed[0];
  };
  return waiting.length > 0 ? Promise.all(waiting).then(finish) : finish();
}

/** No failure: what handlers throw may be anything. */
const NONE = Symbol("none");

/** Ends the request when errors were recorded (spec 7.2.6). */
function rejectRecorded(req: ServiceEvent): void {
  const errors = req.errors;
  if (errors !== undefined && errors.length > 0) throw aggregateErrors(errors);
}

/**
 * The error for a request without handler: 501.
 *
 * @param service the service
 * @param req the request
 * @param reason why there is no generic one, for the log
 */
export function unhandled(
  service: { readonly name: string; readonly definition?: LinkedService },
  req: { readonly event: string },
  reason = eventHint(service.definition, req.event),
): ServiceError {
  return new ServiceError({
    status: 501,
    message: `Service "${service.name}" has no handler for "${req.event}"${reason}`,
  });
}
