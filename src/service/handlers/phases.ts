/**
 * The phases of an event or request: before, on, after (spec 6.1, `design` 8).
 *
 * @module
 */

import { readableError } from "../../errors/readable_error.ts";
import { runWithContext } from "../../context/store.ts";
import { aggregateErrors } from "../../errors/aggregate_error.ts";
import { andThen, type MaybePromise, maybePromise } from "../../util/maybe_promise.ts";
import { collected } from "./collected.ts";
import type { HandlerEntry, HandlerOwner, OnHandler } from "./handlers.ts";
import { RecordedError, type ServiceEvent } from "../requests/service_event.ts";
import { ServiceRequest } from "../requests/service_request.ts";
import { unhandled } from "./unhandled.ts";

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
  const fail = (thrown: unknown): never => {
    const error = readableError(thrown);
    throw runWithContext(req, () => service.failed(req, error));
  };
  let pending: MaybePromise<void>;
  try {
    pending = runSteps(service, req, 0);
  } catch (error) {
    return fail(error);
  }
  return pending instanceof Promise ? pending.then(() => req.results, fail) : req.results;
}

/** What an event passes, in this order. */
const STEPS: readonly ((service: PhaseOwner, req: ServiceEvent) => MaybePromise<void>)[] = [
  (service, req) => service.prepare?.(req),
  (_, req) => req instanceof ServiceRequest ? req.precondition?.() : undefined,
  (service, req) => runBefore(service, req),
  (service, req) => service.complete?.(req),
  (service, req) => runOn(service, req, service.handleGeneric?.bind(service)),
  (service, req) => runAfter(service, req),
];

/** Waits only for steps that do. */
function runSteps(service: PhaseOwner, req: ServiceEvent, first: number): MaybePromise<void> {
  for (let index = first; index < STEPS.length; index++) {
    const pending = STEPS[index](service, req);
    if (pending instanceof Promise) return pending.then(() => runSteps(service, req, index + 1));
  }
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
  return settle(
    service,
    req,
    entries.map(({ handler }) => () => handler.call(service, req as ServiceRequest)),
  );
}

/**
 * Runs the `on` handlers: a chain for requests, ended by `last`; all in parallel for events.
 *
 * @param service whose handlers run
 * @param req the event or request
 * @param last what runs when every handler called `next()`
 */
function runOn(
  service: HandlerOwner,
  req: ServiceEvent,
  last?: (req: ServiceRequest) => unknown,
): MaybePromise<void> {
  const entries = service.handlers.for("on", req);
  if (req instanceof ServiceRequest) {
    return andThen(maybePromise(chain({ service, req, entries, last }, 0)), (result) => {
      if (result !== undefined && !(result instanceof RecordedError)) req.results = result;
      return andThen(collected(req.results), (results) => {
        req.results = results;
        rejectRecorded(req);
      });
    });
  }
  if (entries.length === 0) return rejectRecorded(req);
  const next = () => Promise.resolve(undefined);
  const handlers = entries.map(({ handler }) => () => handler.call(service, req as ServiceRequest, next));
  return settle(service, req, handlers);
}

/**
 * Runs the `after` handlers in parallel; those of READ get an array, those registered per row every row.
 *
 * @param service whose handlers run
 * @param req the event or request
 */
export function runAfter(service: HandlerOwner, req: ServiceEvent): MaybePromise<void> {
  const entries = service.handlers.for("after", req);
  if (entries.length === 0) return rejectRecorded(req);
  const rows = asRows(req.results);
  const results = req.event === "READ" ? rows : req.results;
  return settle(
    service,
    req,
    entries.map(({ handler, each }) => () => {
      const request = req as ServiceRequest;
      if (!each) return handler.call(service, results, request);
      return Promise.all(rows.map((row) => handler.call(service, row, request)));
    }),
  );
}

/** The rows of a result: itself, or the one row, or none. */
function asRows(results: unknown): unknown[] {
  if (Array.isArray(results)) return results;
  return results === undefined || results === null ? [] : [results];
}

interface Chain {
  readonly service: HandlerOwner;
  readonly req: ServiceRequest;
  readonly entries: readonly HandlerEntry<OnHandler>[];
  readonly last: ((req: ServiceRequest) => unknown) | undefined;
}

function chain(links: Chain, index: number): unknown {
  const { service, req, entries, last } = links;
  if (index < entries.length) {
    return entries[index].handler.call(service, req, async () => await chain(links, index + 1));
  }
  if (last) return last(req);
  throw unhandled(service, req);
}

/** Runs functions in parallel, waits for all, and throws what the first failing one threw, or what was recorded. */
async function settle(
  service: HandlerOwner,
  req: ServiceEvent,
  runs: readonly (() => unknown)[],
): Promise<void> {
  if (runs.length === 1) await runs[0]();
  else await settleAll(service, req, runs);
  rejectRecorded(req);
}

async function settleAll(
  service: HandlerOwner,
  req: ServiceEvent,
  runs: readonly (() => unknown)[],
): Promise<void> {
  const outcomes = await Promise.allSettled(runs.map(async (run) => await run()));
  const failed = outcomes.filter((outcome) => outcome.status === "rejected");
  if (failed.length === 0) return;
  for (const { reason } of failed.slice(1)) {
    service.log.error(`Another handler of ${req.event} failed, too:`, reason);
  }
  throw failed[0].reason;
}

/** Ends the request when errors were recorded (spec 7.2.6). */
function rejectRecorded(req: ServiceEvent): void {
  const errors = req.errors;
  if (errors !== undefined && errors.length > 0) throw aggregateErrors(errors);
}
