/**
 * The phases of an event or request: before, on, after (spec 6.1, `design` 8).
 *
 * @module
 */

import { isServiceError, ServiceError } from "../../errors/service_error.ts";
import { aggregateErrors, readableError } from "../../errors/normalize_error.ts";
import { runInRequest } from "../../context/store.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
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
  const tell = (thrown: unknown): never => {
    const error = readableError(thrown);
    throw runInRequest(req, () => service.failed(req, error));
  };
  const fail = (thrown: unknown): MaybePromise<never> => {
    const refusal = req instanceof ServiceRequest ? req.refusal : undefined;
    if (refusal === undefined) return tell(thrown);
    return andThen<unknown, never>(
      orElse<unknown>(
        () => andThen(runInRequest(req, refusal), () => thrown),
        (error) => isRefusal(error) ? error : thrown,
      ),
      tell,
    );
  };
  let pending: MaybePromise<void>;
  try {
    pending = runSteps(service, req, 0);
  } catch (error) {
    return fail(error);
  }
  return pending instanceof Promise ? pending.then(() => req.results, fail) : req.results;
}

/** Whether a row may not be changed, or is not there; anything else says that nobody could be asked. */
function isRefusal(error: unknown): boolean {
  return isServiceError(error) && (error.status === 403 || error.status === 404);
}

/** A phase with handlers. */
interface PhaseStep {
  readonly phase: Phase;
  readonly run: (service: PhaseOwner, req: ServiceEvent) => MaybePromise<void>;
}

const BEFORE: PhaseStep = { phase: "before", run: runBefore };
const ON: PhaseStep = { phase: "on", run: runOn };
const AFTER: PhaseStep = { phase: "after", run: runAfter };

/** What an event passes, in this order. */
const STEPS: readonly ((service: PhaseOwner, req: ServiceEvent) => MaybePromise<void>)[] = [
  (service, req) => service.prepare?.(req),
  (_, req) => req instanceof ServiceRequest ? req.precondition?.() : undefined,
  (service, req) => seen(BEFORE, service, req),
  (service, req) => service.complete?.(req),
  (service, req) => seen(ON, service, req),
  (service, req) => seen(AFTER, service, req),
];

/** Runs a phase, as a span where somebody watches and it has handlers. */
function seen(step: PhaseStep, service: PhaseOwner, req: ServiceEvent): MaybePromise<void> {
  const { telemetry } = service.host;
  return telemetry === undefined || service.handlers.for(step.phase, req).length === 0
    ? step.run(service, req)
    : runAsSpan(telemetry, step, { service, req });
}

function runAsSpan(
  telemetry: Telemetry,
  step: PhaseStep,
  { service, req }: { readonly service: PhaseOwner; readonly req: ServiceEvent },
): MaybePromise<void> {
  const attributes = { "fw.service": service.name, "fw.event": req.event };
  return telemetry.span(
    `${step.phase} ${req.event}`,
    { attributes, isPart: true },
    () => step.run(service, req),
  );
}

/** Waits only for steps that do. */
function runSteps(service: PhaseOwner, req: ServiceEvent, first: number): MaybePromise<void> {
  for (let index = first; index < STEPS.length; index++) {
    const pending = STEPS[index](service, req);
    if (pending instanceof Promise) return stepsBehind(pending, { service, req, first: index + 1 });
  }
}

function stepsBehind(
  pending: Promise<void>,
  { service, req, first }: {
    readonly service: PhaseOwner;
    readonly req: ServiceEvent;
    readonly first: number;
  },
): Promise<void> {
  return pending.then(() => runSteps(service, req, first));
}

/**
 * Runs the `before` handlers in parallel. All end before the phase does, so that none works in a transaction that was
 * rolled back.
 *
 * @param service whose handlers run
 * @param req the event or request
 */
export function runBefore(service: HandlerOwner, req: ServiceEvent): MaybePromise<void> {
  const entries = service.handlers.for("before", req);
  if (entries.length === 0) return rejectRecorded(req);
  return settle(service, req, {
    entries,
    run: ({ handler }) => handler.call(service, req as ServiceRequest),
  });
}

/**
 * Runs the `on` handlers: a chain for requests, ended by the generic handler; all in parallel for events.
 *
 * @param service whose handlers run
 * @param req the event or request
 */
function runOn(service: PhaseOwner, req: ServiceEvent): MaybePromise<void> {
  const entries = service.handlers.for("on", req);
  if (req instanceof ServiceRequest) {
    return andThen(maybePromise(chain({ service, req, entries }, 0)), (result) => {
      if (result !== undefined && !(result instanceof RecordedError)) req.results = result;
      return andThen(collected(req.results), (results) => {
        req.results = results;
        rejectRecorded(req);
      });
    });
  }
  if (entries.length === 0) return;
  const next = () => Promise.resolve(undefined);
  return settle(service, req, {
    entries,
    run: ({ handler }) => handler.call(service, req as ServiceRequest, next),
  });
}

/**
 * Runs the `after` handlers in parallel; those of READ get an array, those registered per row every row.
 *
 * @param service whose handlers run
 * @param req the event or request
 */
export function runAfter(service: HandlerOwner, req: ServiceEvent): MaybePromise<void> {
  const entries = service.handlers.for("after", req);
  if (entries.length === 0) return;
  const rows = asRows(req.results);
  const results = req.event === "READ" ? rows : req.results;
  const request = req as ServiceRequest;
  return settle(service, req, {
    entries,
    run: ({ handler, each }) =>
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
  readonly run: (entry: HandlerEntry<H>) => unknown;
}

/**
 * Runs handlers in parallel, and waits for those that do. All end before the phase does; then what the first failing one
 * threw is thrown, or what was recorded.
 */
function settle<H>(
  service: HandlerOwner,
  req: ServiceEvent,
  { entries, run }: Parallel<H>,
): MaybePromise<void> {
  if (entries.length > 1) return settleAll(service, req, { entries, run });
  const pending = maybePromise(run(entries[0]!));
  return pending instanceof Promise ? pending.then(() => rejectRecorded(req)) : rejectRecorded(req);
}

function settleAll<H>(
  service: HandlerOwner,
  req: ServiceEvent,
  { entries, run }: Parallel<H>,
): MaybePromise<void> {
  const failures: unknown[] = new Array(entries.length).fill(NONE);
  const waiting: Promise<unknown>[] = [];
  entries.forEach((entry, index) => {
    const fail = (error: unknown) => void (failures[index] = error);
    try {
      const pending = maybePromise(run(entry));
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
    rejectRecorded(req);
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
