/**
 * Services: handlers, phases, emit, send, run (`design` 8).
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { currentContext, runBriefly, runInRequest, runWithContext } from "../context/store.ts";
import type { Query, QueryParams } from "../cqn/cqn.ts";
import type { EventName } from "../cqn/checked_names.ts";
import type { Logger } from "../log/logger.ts";
import type { LinkedDefinition, LinkedModel, LinkedOperation, LinkedService } from "../model/linked.ts";
import { withCallerFrames } from "../util/caller_frames.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { definitionIn, type EntityMap, entityMap } from "./definition_in.ts";
import { HandlerRegistration, type UntypedName } from "./handlers/handler_registration.ts";
import { Handlers } from "./handlers/handlers.ts";
import { defineOperationMethods } from "./operation_methods.ts";
import { runPhases } from "./handlers/phases.ts";
import { warnOfUnknownEvent } from "./handlers/unmatched_handlers.ts";
import {
  type EmitProperties,
  eventName,
  sendArguments,
  type SendProperties,
  sendProperties,
} from "./requests/send_properties.ts";
import { requestFromQuery, withEntries } from "./requests/request_from_query.ts";
import { ScheduledTask } from "./queue/scheduled_task.ts";
import { currentHost, type ServedAt, type ServiceEnvironment } from "./service_environment.ts";
import { ServiceEvent } from "./requests/service_event.ts";
import { ServiceRequest, type ServiceRequestProperties } from "./requests/service_request.ts";
import { queueOf } from "./queue/work_queue.ts";
import {
  type RootTransaction,
  type RootTransactionOptions,
  runInTransaction,
  transactionOf,
} from "./transactions/transaction.ts";
import {
  beginTransaction,
  type ContextArgument,
  type TransactionBody,
  type TransactionService,
} from "./transactions/tx.ts";

/** What a service is made from. */
export interface ServiceOptions {
  /** Name of the service. */
  readonly name: string;
  /** The runtime. */
  readonly host: ServiceEnvironment;
  /** The definition in the model, if there is one. */
  readonly definition?: LinkedService;
  /** Configuration of a required service. */
  readonly options?: Readonly<Record<string, unknown>>;
}

function madeByHand(
  name: string,
  model: LinkedModel | undefined,
  options: ServiceOptions["options"],
): ServiceOptions {
  const host = currentHost(model);
  return { name, host, definition: host.model.service(name), options };
}

/** A service: handlers register on it, and events, requests and queries are sent to it. */
export class Service extends HandlerRegistration {
  /** Name of the service. */
  readonly name: string;
  /** The definition in the model without feature toggles, if there is one. */
  readonly baseDefinition: LinkedService | undefined;
  /** The runtime. */
  readonly host: ServiceEnvironment;
  /** Configuration of a required service. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The registered handlers. */
  override readonly handlers: Handlers = new Handlers();
  /** The logger. */
  readonly log: Logger;
  /** Whether it is a database. */
  readonly isDatabaseService: boolean = false;
  /** Whether it is a service of the application. */
  readonly isAppService: boolean = false;
  /** Of an object made by `tx`: its transaction. */
  declare readonly rootTransaction?: RootTransaction;

  /**
   * Creates a service.
   *
   * @param given name, runtime and definition; of services made by hand the name, in the current runtime
   * @param model of a service made by hand: its own model
   * @param settings of a service made by hand: its configuration
   */
  constructor(given?: ServiceOptions | string, model?: LinkedModel, settings?: ServiceOptions["options"]) {
    super();
    const options = typeof given === "object" && given !== null
      ? given
      : madeByHand(given ?? new.target.name, model, settings);
    this.name = options.name;
    this.host = options.host;
    this.baseDefinition = options.definition;
    this.options = options.options ?? {};
    this.log = options.host.log("service");
    if (options.definition) defineOperationMethods(this, options.definition);
  }

  /** Registers handlers; subclasses override it and call `super.init()` at the end. */
  init(): void | Promise<void> {}

  /** What root transactions that begin with this service are made from. */
  get rootOptions(): RootTransactionOptions {
    return { log: this.log, adopt: this.host.adopt };
  }

  /** The linked model, with the feature toggles of the current context. */
  override get model(): LinkedModel {
    const { host } = this;
    return host.modelOf?.(this.context) ?? host.model;
  }

  /** The kind of a required service as it is configured; else `app-service`. */
  get kind(): string {
    return typeof this.options.kind === "string" ? this.options.kind : "app-service";
  }

  /** Protocols and paths that this service is served at. */
  get endpoints(): readonly Omit<ServedAt, "service">[] {
    const served = this.host.endpoints?.filter(({ service }) => service === this) ?? [];
    return served.map(({ protocol, path }) => ({ protocol, kind: protocol, path }));
  }

  /** The first path that this service is served at. */
  get path(): string | undefined {
    return this.endpoints[0]?.path;
  }

  /** The definition in the model in effect, if there is one. */
  get definition(): LinkedService | undefined {
    return definitionIn(this.model, this);
  }

  /** The context of the running request or event; of a transaction object, its own. */
  get context(): EventContext | undefined {
    return currentContext();
  }

  /** Entities of the service by local name; `entities("ns")` gives those of a namespace. */
  get entities(): EntityMap {
    return entityMap(this.definition, this.model);
  }

  /** Events of the service by local name. */
  get events(): Readonly<Record<string, LinkedDefinition>> & Iterable<LinkedDefinition> {
    return this.definition?.events ?? NOTHING;
  }

  /** Types of the service by local name. */
  get types(): Readonly<Record<string, LinkedDefinition>> & Iterable<LinkedDefinition> {
    return this.definition?.types ?? NOTHING;
  }

  /** Unbound actions and functions of the service by local name. */
  get operations(): Readonly<Record<string, LinkedOperation>> & Iterable<LinkedOperation> {
    return this.definition?.operations ?? NOTHING;
  }

  /**
   * Emits an event: handlers in this process run within the transaction of the emitter, and are awaited; what goes to a
   * channel leaves after the commit.
   *
   * @param event name of the event, or all in one object
   * @param data payload
   * @param headers headers of the message
   */
  emit<D>(event: EventName<D>, data: D, headers?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Emits an event. */
  emit(
    event: string | UntypedName | EmitProperties,
    data?: unknown,
    headers?: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  async emit(
    event: string | { readonly name: string } | EmitProperties,
    data?: unknown,
    headers?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const isWhole = typeof event === "object" && event !== null && "event" in event;
    const given = isWhole ? event : { event, data, headers };
    const name = this.localEvent(eventName(given.event));
    warnOfUnknownEvent(this, name);
    await this.dispatch(new ServiceEvent({ ...given, event: name, context: this.context }));
  }

  /**
   * Sends a synchronous request.
   *
   * @param request name of an event or operation, or all in one object
   * @param data its data; for `READ`, `GET` and the like maybe a path: `send("READ", "Books/201")`
   * @param headers its headers; behind a path its data
   * @returns the result
   */
  override async send<D, R = unknown>(
    request: string | EventName<D, R> | SendProperties,
    data?: D,
    headers?: Readonly<Record<string, unknown>>,
  ): Promise<R> {
    const given = sendArguments(request, data, headers);
    const statement = given.query && await withEntries(this, { query: given.query });
    const properties = sendProperties(this, statement ? { ...given, query: statement.query } : given);
    const req = new ServiceRequest({ ...properties, context: this.context });
    return await this.dispatch(req) as R; // handlers of typed operations are typed by the same name
  }

  /**
   * Schedules an event or operation: `await srv.schedule("cleanUp").after("10 s").every("1h")`. Awaiting the task stores it in
   * the outbox with the current transaction; one process does it, and there is one of a name.
   *
   * @param event name of the event or operation; `data` and `headers` are its own
   * @throws ConfigurationError without an outbox
   */
  schedule<D, R = unknown>(
    event: string | EventName<D, R>,
    data?: D,
    headers?: Readonly<Record<string, unknown>>,
  ): ScheduledTask {
    const name = this.localEvent(eventName(event));
    const kind = Object.hasOwn(this.operations, name) ? "send" : "emit";
    return new ScheduledTask(queueOf(this), { service: this.name, kind, event: name, data, headers });
  }

  /**
   * Runs queries on this service.
   *
   * @param query a query, or several
   * @param params values of its parameters
   * @returns the result, or results in order
   */
  override async run(query: Query | readonly Query[], params?: QueryParams): Promise<unknown> {
    if (Array.isArray(query)) {
      const results: unknown[] = [];
      for (const one of query) results.push(await this.run(one, params));
      return results;
    }
    try {
      const given = await withEntries(this, { query: query as Query, params });
      const properties = requestFromQuery(this, given.query, given.params);
      return await this.dispatch(new ServiceRequest({ ...properties, context: this.context }));
    } catch (error) {
      throw withCallerFrames(error);
    }
  }

  /**
   * Takes an event or request to its handlers, inside the root transaction of its context; without one it gets its own.
   *
   * @param given an event or request, or what a request is made from
   * @returns the result
   */
  async dispatch(given: ServiceEvent | ServiceRequestProperties): Promise<unknown> {
    const req = given instanceof ServiceEvent ? given : new ServiceRequest(given);
    if (req instanceof ServiceRequest && isByHand(req)) {
      const { query } = await withEntries(this, req.statement!);
      req.address(requestFromQuery(this, query));
    }
    return await dispatchOnce(this, req);
  }

  /**
   * Runs the phases of an event or request.
   *
   * @param req the event or request
   * @returns the result
   */
  async handle(req: ServiceEvent): Promise<unknown> {
    return await this.runPhases(req);
  }

  /** What `handle` does, without a promise where nothing is to be waited for. */
  runPhases(req: ServiceEvent): MaybePromise<unknown> {
    return runPhases(this, req);
  }

  /** Whether anything that happens to a request may ask for the current context later; without it always. */
  needsContext?(req: ServiceEvent): boolean;

  /** What happens before the first handler: authorization and input validation. */
  prepare?(req: ServiceEvent): MaybePromise<void>;

  /** What happens between the `before` and the `on` handlers: checks of what `before` handlers may still supply. */
  complete?(req: ServiceEvent): void;

  /** Handles a request when every `on` handler called `next()`; without it such a request is answered 501. */
  handleGeneric?(req: ServiceRequest): unknown;

  /**
   * Runs the `error` handlers; recorded errors that another one overtook go to the log.
   *
   * @param req what failed
   * @param error what was thrown
   * @returns what is to be thrown
   */
  failed(req: ServiceEvent, error: unknown): unknown {
    if (req.errors && (error as { details?: unknown } | undefined)?.details !== req.errors) {
      this.log.error(`Recorded before ${req.event} failed:`, req.errors);
    }
    for (const { handler } of this.handlers.for("error", req)) {
      handler.call(this, error, req as ServiceRequest);
    }
    return error;
  }

  /**
   * Transactions (`api` 6): `tx(fn)` and `tx(context, fn)` run a function in a new root transaction; `tx()` and
   * `tx(context)` start one that is ended by its `commit` or `rollback`; with a request, what is called joins the
   * transaction of the request.
   *
   * @param given the function, a request or transaction, or members of a new context (`tenant`, `user`, …)
   * @param run the function
   * @returns what the function resolves to, or this service bound to the transaction
   */
  tx(): TransactionService<this>;
  /** Runs a function in a transaction, or joins one. */
  tx<T>(run: (tx: TransactionService<this>) => T | Promise<T>): Promise<T>;
  /** Runs a function in a transaction, or joins one. */
  tx(given: ContextArgument): TransactionService<this>;
  /** Runs a function in a transaction, or joins one. */
  tx<T>(
    given: ContextArgument | undefined,
    run: (tx: TransactionService<this>) => T | Promise<T>,
  ): Promise<T>;
  tx(given?: unknown, run?: unknown): unknown {
    return typeof given === "function"
      ? beginTransaction(this, undefined, given as TransactionBody<this, unknown>)
      : beginTransaction(this, given as ContextArgument | undefined, run as TransactionBody<this, unknown>);
  }

  /** The older name of `tx`, which existing projects use. */
  get transaction(): this["tx"] {
    return this.tx;
  }

  /** The full name of an entity that is named in the terms of this service. */
  override qualify(name: string): string {
    const entities = this.definition?.entities;
    if (entities && Object.hasOwn(entities, name)) return entities[name].name;
    if (name in this.model.definitions || !this.definition) return name;
    if (name.startsWith(`${this.definition.name}.`)) return name;
    return `${this.definition.name}.${name}`;
  }

  /** The local name of an event or operation. */
  override localEvent(name: string): string {
    const prefix = `${this.definition?.name}.`;
    return this.definition && name.startsWith(prefix) ? name.slice(prefix.length) : name;
  }
}

/**
 * What `dispatch` of a service does, without a promise where nothing is to be waited for.
 *
 * @param service the service, whose own `dispatch` is called if it has one
 * @param req the event or request
 * @returns the result
 */
export function dispatchTo(service: Service, req: ServiceEvent): MaybePromise<unknown> {
  if (service.dispatch === Service.prototype.dispatch) return dispatchOnce(service, req);
  const context = currentContext(); // which the caller may have entered briefly only
  return context ? runWithContext(context, () => service.dispatch(req)) : service.dispatch(req);
}

/** Whether a request was made of a query alone; those of protocols and of `run` have their target. */
function isByHand({ target, statement }: ServiceRequest): boolean {
  return target === undefined && statement !== undefined && statement.params === undefined;
}

/**
 * What `dispatch` of all services does, without a promise where nothing is to be waited for.
 *
 * @param service the service
 * @param req the event or request
 * @returns the result
 */
export function dispatchOnce(service: Service, req: ServiceEvent): MaybePromise<unknown> {
  if (service.rootTransaction && !service.rootTransaction.isOpen) {
    throw new Error(`The transaction was ${service.rootTransaction.state} already`);
  }
  const transaction = transactionOf(req);
  if (!transaction) return runInTransaction(req, () => service.dispatch(req), service.rootOptions);
  transaction.join(service, req);
  req.tx = service;
  if (service.handle !== Service.prototype.handle) return runInRequest(req, () => service.handle(req));
  const run = service.needsContext?.(req) === false ? runBriefly : runInRequest;
  return run(req, () => service.runPhases(req));
}

const NOTHING = Object.freeze(Object.assign(Object.create(null), { [Symbol.iterator]: () => [].values() }));
