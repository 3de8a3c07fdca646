import type { EntityName, EventName } from "../../cqn/checked_names.ts";
import type {
  AfterHandler,
  BeforeHandler,
  ErrorHandler,
  Handlers,
  HandlerTypes,
  OnHandler,
  Phase,
  Reply,
} from "./handlers.ts";
import { ServiceCalls } from "../service_calls.ts";
import type { ServiceEnvironment } from "../service_environment.ts";

/** Events that write a row. */
export type WritingEvent = "CREATE" | "UPDATE" | "UPSERT";

/** What handlers register on. Names written by `fw compile --to types` give them the types of data and results. */
export abstract class HandlerRegistration extends ServiceCalls {
  /** The registered handlers. */
  abstract readonly handlers: Handlers;
  /** The local name of an event or operation. */
  abstract localEvent(name: string): string;

  /** Registers a handler that runs before the event is handled; those of one event run in parallel. */
  before<D, R>(event: EventName<D, R>, handler: HandlerTypes<D>["before"]): this;
  /** Registers a handler that runs before the event is handled; those of one event run in parallel. */
  before(events: HandlerArgument, handler: BeforeHandler): this;
  /** Registers a handler that runs before the event is handled, for the rows of an entity. */
  before<T extends object, K extends object>(
    events: EventNames,
    entity: EntityName<T, K>,
    handler: HandlerTypes<T, unknown, unknown, K>["before"],
  ): this;
  /** Registers a handler that runs before an operation of an entity. */
  before<D, R, T extends object, K extends object>(
    event: EventName<D, R>,
    entity: EntityName<T, K>,
    handler: HandlerTypes<D, unknown, unknown, K>["before"],
  ): this;
  /** Registers a handler that runs before the event is handled, for some entities. */
  before(events: HandlerArgument, entity: HandlerArgument, handler: BeforeHandler): this;
  before(events: HandlerArgument, ...others: readonly unknown[]): this {
    return register(this, "before", [events, ...others]);
  }

  /**
   * Registers a handler that handles the event: a chain for requests, all for events. `on("error", …)` registers a
   * synchronous hook that sees errors before they are answered.
   */
  on(event: "error", handler: ErrorHandler): this;
  /** Registers a handler that handles an event or operation. */
  on<D, R>(event: EventName<D, R>, handler: HandlerTypes<D, Reply<R>>["on"]): this;
  /** Registers a handler that handles the event. */
  on(events: HandlerArgument, handler: OnHandler): this;
  /** Registers a handler that handles the event, for the rows of an entity. */
  on<T extends object, K extends object>(
    events: EventNames,
    entity: EntityName<T, K>,
    handler: HandlerTypes<T, unknown, unknown, K>["on"],
  ): this;
  /** Registers a handler that handles an operation of an entity. */
  on<D, R, T extends object, K extends object>(
    event: EventName<D, R>,
    entity: EntityName<T, K>,
    handler: HandlerTypes<D, Reply<R>, Reply<R>, K>["on"],
  ): this;
  /** Registers a handler that handles the event. */
  on(events: HandlerArgument, entity: HandlerArgument, handler: OnHandler): this;
  on(events: HandlerArgument, ...others: readonly unknown[]): this {
    return register(this, events === "error" ? "error" : "on", [events, ...others]);
  }

  /** Registers a handler that runs after the event was handled and sees the results. */
  after<D, R>(event: EventName<D, R>, handler: HandlerTypes<D, R>["after"]): this;
  /** Registers a handler that runs after the event was handled and sees the results. */
  after(events: HandlerArgument, handler: AfterHandler): this;
  /** Registers a handler that runs for each row that was read. */
  after<T extends object, K extends object>(
    event: "each",
    entity: EntityName<T, K>,
    handler: HandlerTypes<T, T, T, K>["after"],
  ): this;
  /** Registers a handler that runs after rows were read. */
  after<T extends object, K extends object>(
    event: "READ",
    entity: EntityName<T, K>,
    handler: HandlerTypes<T, T[], T[], K>["after"],
  ): this;
  /** Registers a handler that runs after a row was written; it sees the data of the request, with what was generated. */
  after<T extends object, K extends object>(
    events: WritingEvent | readonly WritingEvent[],
    entity: EntityName<T, K>,
    handler: HandlerTypes<T, T, T, K>["after"],
  ): this;
  /** Registers a handler that runs after the event was handled, for the rows of an entity. */
  after<T extends object, K extends object>(
    events: EventNames,
    entity: EntityName<T, K>,
    handler: HandlerTypes<T, unknown, unknown, K>["after"],
  ): this;
  /** Registers a handler that runs after an operation of an entity and sees its result. */
  after<D, R, T extends object, K extends object>(
    event: EventName<D, R>,
    entity: EntityName<T, K>,
    handler: HandlerTypes<D, R, R, K>["after"],
  ): this;
  /** Registers a handler that runs after the event was handled, for some entities. */
  after(events: HandlerArgument, entity: HandlerArgument, handler: AfterHandler): this;
  after(events: HandlerArgument, ...others: readonly unknown[]): this {
    return register(this, "after", [events, ...others]);
  }

  /**
   * Registers handlers in front of those registered already.
   *
   * @param register adds handlers, synchronously
   */
  prepend(register: (service: this) => void): this {
    this.handlers.prepend(() => register.call(this, this));
    return this;
  }
}

/** Adds the handler of a call of `before`, `on` or `after`: events, maybe an entity, and the function. */
function register<S extends HandlerRegistration>(service: S, phase: Phase, given: readonly unknown[]): S {
  const events = given[0] as HandlerArgument;
  const handler = given.at(-1);
  if (typeof handler !== "function") {
    throw new TypeError(`A function is expected as handler of ${String(events)}`);
  }
  const entity = given.length > 2 ? given[1] as HandlerArgument : undefined;
  if (given.length > 2 && entity === undefined) {
    const problem = `An entity is expected for the handler ${phase} ${String(events)}, but found undefined`;
    const { host } = service as { readonly host?: ServiceEnvironment };
    if (host?.env.isLenient !== true) throw new TypeError(problem);
    host.log("service").warn(`${problem}: it never runs`);
    return service;
  }
  const selection = selectHandler(phase === "error" ? "*" : events, entity, service);
  const each = selection.each || (phase === "after" && takesEach(handler as never));
  service.handlers.add(phase, { ...selection, each, handler: handler as HandlerTypes[typeof phase] });
  return service;
}

/** Something with a name that says nothing of the data of an event: what does has overloads of its own. */
export interface UntypedName {
  /** The name. */
  readonly name: string;
  /** Only names of events written by `fw compile --to types` stand for data. */
  readonly $data?: never;
}

/** An entity as handlers name it: local or full name, path `Entity/navigation`, definition, class, or several. */
export type HandlerArgument = string | UntypedName | readonly (string | { readonly name: string })[];

/** Names of events that concern rows: `"READ"`, `["CREATE", "UPDATE"]`. */
export type EventNames = string | readonly string[];

/** What a handler is for. */
export interface Selection {
  /** Names of events, or all. */
  readonly events: ReadonlySet<string> | "*";
  /** Canonical paths, or all. */
  readonly paths: ReadonlySet<string> | "*";
  /** Call the handler once per row. */
  readonly each: boolean;
}

/** Where names of entities and operations are resolved. */
export interface SelectionScope {
  /** The full name of an entity that is named locally. */
  qualify(name: string): string;
  /** The local name of an event or operation that is given by its full name. */
  localEvent(name: string): string;
}

/** Names that stand for other events. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  SAVE: ["CREATE", "UPDATE"],
  SELECT: ["READ"],
  INSERT: ["CREATE"],
  GET: ["READ"],
  POST: ["CREATE"],
  PUT: ["UPDATE"],
  PATCH: ["UPDATE"],
  each: ["READ"],
  DISCARD: ["CANCEL"],
};

/**
 * The events and entities that the arguments of a registration select.
 *
 * @param events a name, `"*"`, a definition, or several
 * @param entity the entity argument, if there is one
 * @param scope where names are resolved
 */
export function selectHandler(
  events: HandlerArgument,
  entity: HandlerArgument | undefined,
  scope: SelectionScope,
): Selection {
  const names = listOf(events).map((event) => scope.localEvent(nameOf(event)));
  const given = entity === undefined ? ["*"] : listOf(entity).map(nameOf);
  const paths = given.map((path) => pathOf(path, names));
  return {
    events: names.includes("*") ? "*" : new Set(names.flatMap((name) => ALIASES[name] ?? [name])),
    paths: paths.includes("*") ? "*" : new Set(paths.map((path) => qualifyPath(path, scope))),
    each: names.includes("each"),
  };
}

/** What saves a draft is the write of its active instance; what is activated is the draft. */
function pathOf(path: string, events: readonly string[]): string {
  const isDraft = path.endsWith(".drafts");
  if (isDraft && events.includes("SAVE")) return path.slice(0, -".drafts".length);
  return isDraft || path === "*" || !events.includes("ACTIVATE") ? path : `${path}.drafts`;
}

/** Whether the first parameter of a function is literally named `each` (`api` 11.2). */
export function takesEach(handler: (...args: never[]) => unknown): boolean {
  return /^(async\s+)?(function\s*\w*\s*)?\(?\s*(each)\s*[,)=]/.test(
    Function.prototype.toString.call(handler),
  );
}

function listOf<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}

function nameOf(value: string | { readonly name: string }): string {
  if (typeof value === "string") return value;
  if (typeof value?.name === "string") return value.name;
  throw new TypeError(`A name or definition is expected, not ${String(value)}`);
}

function qualifyPath(path: string, scope: SelectionScope): string {
  const [entity, ...steps] = path.split("/");
  return [scope.qualify(entity), ...steps].join("/");
}
