/**
 * The handlers registered on a service.
 *
 * @module
 */

import type { Logger } from "../../log/logger.ts";
import type { ServiceError } from "../../errors/service_error.ts";
import type { ServiceEvent } from "../requests/service_event.ts";
import type { ServiceRequest } from "../requests/service_request.ts";

/** Calls the next `on` handler. */
export type Next = () => Promise<unknown>;

/**
 * Handlers by phase. They are written as methods so that a handler may declare the type of the data and rows it
 * expects: `(books: Book[]) => …`.
 *
 * @typeParam D data of the request
 * @typeParam R what `on` handlers give
 * @typeParam S results that `after` handlers see
 */
export interface HandlerTypes<D = unknown, R = unknown, S = R> {
  /** Runs before the event is handled. */
  before(this: unknown, req: ServiceRequest<D>): unknown;
  /** Handles the event. */
  on(this: unknown, req: ServiceRequest<D>, next: Next): R;
  /** Runs after the event was handled. */
  after(this: unknown, results: S, req: ServiceRequest<D>): unknown;
  /** Sees errors before they are answered. */
  error(this: unknown, error: unknown, req: ServiceRequest): unknown;
}

/** What handlers of an operation with a result may give: the result, nothing after `req.reply`, or recorded errors. */
export type Reply<R> = R | ServiceError | void | PromiseLike<R | ServiceError | void>;

/** A `before` handler; it may be asynchronous. */
export type BeforeHandler = HandlerTypes["before"];
/** An `on` handler; what it returns is the result. */
export type OnHandler = HandlerTypes["on"];
/** An `after` handler; it changes the results in place. */
export type AfterHandler = HandlerTypes["after"];
/** A synchronous `on("error")` handler; it may change the error. */
export type ErrorHandler = HandlerTypes["error"];

/** Names of the phases handlers register for. */
export type Phase = keyof HandlerTypes;

/** A registered handler. */
export interface HandlerEntry<H> {
  /** Names of events, or all. */
  readonly events: ReadonlySet<string> | "*";
  /** Canonical paths (`CatalogService.Books/author`, mostly names of entities), or all. */
  readonly paths: ReadonlySet<string> | "*";
  /** Call an `after` handler once per row. */
  readonly each: boolean;
  /** The function to call. */
  readonly handler: H;
}

/** What a registered handler is looked up by. */
export type Subject = Pick<ServiceEvent, "event"> & Partial<Pick<ServiceRequest, "entity" | "path">>;

/** What has handlers: a service, as phases and transactions see it. */
export interface HandlerOwner {
  /** Name of the service. */
  readonly name: string;
  /** The registered handlers. */
  readonly handlers: Handlers;
  /** The logger. */
  readonly log: Logger;
}

/** Combinations of event, entity and path that are remembered; a safety net, there are few in practice. */
const CACHE_LIMIT = 1000;
/** Events of the transaction, which `*` does not include. */
const TRANSACTION_EVENTS = new Set(["BEGIN", "COMMIT", "ROLLBACK"]);

/** Handlers of one service, in order of registration. */
export class Handlers {
  readonly #entries: { [P in Phase]: HandlerEntry<HandlerTypes[P]>[] } = {
    before: [],
    on: [],
    after: [],
    error: [],
  };
  readonly #found: Map<string, readonly HandlerEntry<unknown>[]> = new Map();
  readonly #navigations: Set<string> = new Set();
  #prepending: { [P in Phase]: number } | undefined;
  #added = 0;
  /** Learns about each handler before it is added, and may refuse it by throwing; messaging subscribes here. */
  adding: ((phase: Phase, entry: Pick<HandlerEntry<unknown>, "events">) => void) | undefined;

  /**
   * Adds a handler.
   *
   * @param phase when it runs
   * @param entry what it is for
   */
  add<P extends Phase>(phase: P, entry: HandlerEntry<HandlerTypes[P]>): void {
    this.adding?.(phase, entry);
    const entries = this.#entries[phase];
    if (this.#prepending) entries.splice(this.#prepending[phase]++, 0, entry);
    else entries.push(entry);
    if (entry.paths !== "*") {
      for (const path of entry.paths) if (path.includes("/")) this.#navigations.add(path);
    }
    this.#found.clear();
    this.#added++;
  }

  /** How many handlers were added: what was concluded from the handlers there are holds as long as it is the same. */
  get added(): number {
    return this.#added;
  }

  /**
   * Registers handlers in front of those registered already.
   *
   * @param register adds them, synchronously
   */
  prepend(register: () => void): void {
    this.#prepending = { before: 0, on: 0, after: 0, error: 0 };
    try {
      register();
    } finally {
      this.#prepending = undefined;
    }
  }

  /**
   * The handlers of a phase for an event or request, in order.
   *
   * @param phase the phase
   * @param subject event name, entity and path
   */
  for<P extends Phase>(phase: P, subject: Subject): readonly HandlerEntry<HandlerTypes[P]>[] {
    const entries = this.#entries[phase];
    if (entries.length === 0) return entries;
    const { event, entity } = subject;
    const path = subject.path !== undefined && this.#navigations.has(subject.path) ? subject.path : entity;
    const key = `${phase} ${event} ${entity} ${path}`;
    let found = this.#found.get(key) as HandlerEntry<HandlerTypes[P]>[] | undefined;
    if (found === undefined) {
      found = entries.filter((entry) => matchesEvent(entry, event) && matchesPath(entry, entity, path));
      if (this.#found.size >= CACHE_LIMIT) this.#found.clear();
      this.#found.set(key, found);
    }
    return found;
  }

  /** All handlers with their phases. */
  *all(): Iterable<{ readonly phase: Phase; readonly entry: HandlerEntry<unknown> }> {
    for (const [phase, entries] of Object.entries(this.#entries) as [Phase, HandlerEntry<unknown>[]][]) {
      for (const entry of entries) yield { phase, entry };
    }
  }

  /** Whether there are handlers of a phase at all. */
  has(phase: Phase): boolean {
    return this.#entries[phase].length > 0;
  }
}

function matchesEvent(entry: HandlerEntry<unknown>, event: string): boolean {
  return entry.events === "*" ? !TRANSACTION_EVENTS.has(event) : entry.events.has(event);
}

function matchesPath(
  entry: HandlerEntry<unknown>,
  entity: string | undefined,
  path: string | undefined,
): boolean {
  if (entry.paths === "*") return true;
  return (entity !== undefined && entry.paths.has(entity)) || (path !== undefined && entry.paths.has(path));
}
