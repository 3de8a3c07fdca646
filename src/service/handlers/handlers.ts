/**
 * The handlers registered on a service.
 *
 * @module
 */

import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Row } from "../../cqn/cqn.ts";
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
 * @typeParam K keys of the entity
 */
export interface HandlerTypes<D = unknown, R = unknown, S = R, K extends object = Row> {
  /** Runs before the event is handled. */
  before(this: unknown, req: ServiceRequest<D, K>): unknown;
  /** Handles the event. */
  on(this: unknown, req: ServiceRequest<D, K>, next: Next): R;
  /** Runs after the event was handled. */
  after(this: unknown, results: S, req: ServiceRequest<D, K>): unknown;
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
  /** What it runs in, as far as somebody watches. */
  readonly host: { readonly telemetry?: Telemetry };
}

/** The handlers that take part in requests for one event of one entity, by phase and in order. */
export type HandlersByPhase = {
  readonly [P in Phase]: readonly HandlerEntry<HandlerTypes[P]>[];
};

/** Combinations of event, entity and path that are remembered; a safety net, there are few in practice. */
const CACHE_LIMIT = 1000;
/** Events that `*` does not include: those of the transaction, and the one around the write that activates a draft. */
const OWN_EVENTS = new Set(["BEGIN", "COMMIT", "ROLLBACK", "ACTIVATE"]);

/** Handlers of one service, in order of registration. */
export class Handlers {
  readonly #entries: { [P in Phase]: HandlerEntry<HandlerTypes[P]>[] } = {
    before: [],
    on: [],
    after: [],
    error: [],
  };
  /** By event, then by entity or path. */
  readonly #found: Map<string, Map<string | undefined, HandlersByPhase>> = new Map();
  #foundCount = 0;
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
    this.#forget();
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
  for<P extends Phase>(phase: P, subject: Subject): HandlersByPhase[P] {
    return this.#entries[phase].length === 0 ? NO_HANDLERS : this.byPhase(subject)[phase];
  }

  /**
   * The handlers of all phases for an event or request: found once for all that are alike.
   *
   * @param subject event name, entity and path
   */
  byPhase({ event, entity, path }: Subject): HandlersByPhase {
    const place = path !== undefined && this.#navigations.has(path) ? path : entity;
    return this.#found.get(event)?.get(place) ?? this.#find(event, entity, place);
  }

  #find(event: string, entity: string | undefined, place: string | undefined): HandlersByPhase {
    if (this.#foundCount++ >= CACHE_LIMIT) this.#forget();
    let ofEvent = this.#found.get(event);
    if (!ofEvent) this.#found.set(event, ofEvent = new Map());
    const takesPart = (entry: HandlerEntry<unknown>) =>
      matchesEvent(entry, event) && matchesPath(entry, entity, place);
    const { before, on, after, error } = this.#entries;
    const found: HandlersByPhase = {
      before: before.filter(takesPart),
      on: on.filter(takesPart),
      after: after.filter(takesPart),
      error: error.filter(takesPart),
    };
    ofEvent.set(place, found);
    return found;
  }

  #forget(): void {
    this.#found.clear();
    this.#foundCount = 0;
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

const NO_HANDLERS: readonly never[] = [];

function matchesEvent(entry: HandlerEntry<unknown>, event: string): boolean {
  return entry.events === "*" ? !OWN_EVENTS.has(event) : entry.events.has(event);
}

function matchesPath(
  entry: HandlerEntry<unknown>,
  entity: string | undefined,
  path: string | undefined,
): boolean {
  if (entry.paths === "*") return true;
  return (entity !== undefined && entry.paths.has(entity)) || (path !== undefined && entry.paths.has(path));
}
