/**
 * Events as handlers see them (spec 2.2): the base of requests.
 *
 * The events at the end of a request (spec 6.1).
 *
 * @module
 */

import {
  EventContext,
  type EventContextProperties,
  type HttpContext,
  type HttpRequest,
  type HttpResponse,
} from "../../context/event_context.ts";
import { currentContext } from "../../context/store.ts";
import { type ErrorArguments, errorFromArguments, errorProperties } from "../../errors/error_arguments.ts";
import { type RequestMessage, SEVERITIES } from "../../errors/messages_header.ts";
import type { ErrorProperties } from "../../errors/service_error.ts";
import type { LinkedModel } from "../../model/linked.ts";

/** What an event is made from. */
export interface ServiceEventProperties extends EventContextProperties {
  /** Name of the event, request or operation. */
  readonly event: string;
  /** The payload. */
  readonly data?: unknown;
  /** Headers of the message. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The context it inherits from; default: the current one. */
  readonly context?: EventContext;
  /** HTTP request and response of a batch part; default: those of the context. */
  readonly part?: HttpContext;
}

/** Who handles events: a service. */
export interface EventHandler {
  /** Name of the service. */
  readonly name: string;
  /** Whether it is a database. */
  readonly isDatabaseService: boolean;
}

/**
 * An event or request on its way through the handlers of a service.
 *
 * @typeParam D its data
 */
export class ServiceEvent<D = unknown> extends EventContext {
  /** Name of the event, request or operation. */
  event: string;
  /** What handlers returned or gave to `reply`. */
  results: unknown;
  /** Recorded errors; undefined until the first one. */
  errors: ErrorProperties[] | undefined;
  /** The service that handles it. */
  tx: EventHandler | undefined;
  /** Hooks registered on this event; the transaction runs them. */
  hooks: RequestHooks | undefined;
  #data: D;
  #headers: Readonly<Record<string, unknown>> | undefined;
  #httpHeaders: Readonly<Record<string, unknown>> | undefined;
  #messages: RequestMessage[] | undefined;
  readonly #part: HttpContext | undefined;

  /**
   * Creates an event.
   *
   * @param properties the name and what belongs to it
   */
  constructor(properties: ServiceEventProperties) {
    super(properties, properties.context ?? currentContext());
    this.event = properties.event;
    this.#data = properties.data as D;
    this.#headers = properties.headers;
    this.#part = properties.part;
  }

  /** The payload; handlers change it in place or replace it. */
  get data(): D {
    return this.#data;
  }
  set data(value: D) {
    this.#data = value;
  }

  /** Headers of the message, else those of the HTTP request. */
  get headers(): Readonly<Record<string, unknown>> {
    return this.#headers ?? (this.#httpHeaders ??= Object.fromEntries(this.req?.headers ?? []));
  }
  set headers(value: Readonly<Record<string, unknown>>) {
    this.#headers = value;
  }

  /** Headers of the message alone; those of the HTTP request must not travel on. */
  get messageHeaders(): Readonly<Record<string, unknown>> {
    return this.#headers ?? {};
  }

  /** The HTTP request of this part of a batch; outside of batches the one of `http`. */
  get req(): HttpRequest | undefined {
    return this.#part?.req ?? this.#outer?.req ?? this.http?.req;
  }

  /** The response draft of this part of a batch; outside of batches the one of `http`. */
  get res(): HttpResponse | undefined {
    return this.#part?.res ?? this.#outer?.res ?? this.http?.res;
  }

  /** The same two, and the query of the request around this one (older handlers ask for `req._.req`). */
  get _(): Partial<HttpContext> & { readonly query?: unknown } {
    const { req, res } = this;
    const { query } = (this.#outer ?? this) as { readonly query?: unknown };
    return { req, res, query };
  }

  /** The context that this event and those around it inherit from (older handlers ask for `req.context`). */
  get context(): EventContext {
    // deno-lint-ignore no-this-alias -- the walk begins here
    let context: EventContext = this;
    while (context instanceof ServiceEvent && context.parent) context = context.parent;
    return context;
  }

  /** The linked model in effect; undefined outside of a runtime. */
  override get model(): LinkedModel | undefined {
    return super.model as LinkedModel | undefined; // the owner of contexts is a runtime
  }

  /** Messages recorded by `notify`, `info` and `warn`. */
  get messages(): RequestMessage[] {
    return this.#messages ??= [];
  }

  /** Whether there are messages, without creating the list. */
  get hasMessages(): boolean {
    return this.#messages !== undefined && this.#messages.length > 0;
  }

  /**
   * Stores the result; a value returned from an `on` handler wins over it.
   *
   * @param results object, array of objects, string, number, boolean or null
   */
  reply(results: unknown): void {
    this.results = results;
  }

  /**
   * Throws an error (spec 2.3).
   *
   * @param given members of the error, or `(status?, message?, target?, args?)`
   */
  reject(...given: ErrorArguments): never {
    throw errorFromArguments(given);
  }

  /**
   * Records an error; the request is rejected when the phase ends.
   *
   * @param given members of the error, or `(status?, message?, target?, args?)`
   * @returns the recorded error, which is never taken as result
   */
  error(...given: ErrorArguments): RecordedError {
    const recorded = new RecordedError(errorProperties(given));
    (this.errors ??= []).push(recorded.properties);
    return recorded;
  }

  /** Records a message of severity 1. */
  notify(...given: ErrorArguments): void {
    this.#record("notify", given);
  }

  /** Records a message of severity 2. */
  info(...given: ErrorArguments): void {
    this.#record("info", given);
  }

  /** Records a message of severity 3. */
  warn(...given: ErrorArguments): void {
    this.#record("warn", given);
  }

  /**
   * Registers a hook for the end of the top-level request (spec 6.1).
   *
   * @param name `succeeded`, `failed` or `done`
   * @param hook the function to call
   */
  on(name: Exclude<LifecycleEvent, "commit">, hook: LifecycleHook): this {
    return this.#hook(name, hook);
  }

  /**
   * Registers a hook that runs immediately before the commit and may veto by throwing (spec 6.1).
   *
   * @param name `commit`
   * @param hook the function to call
   */
  before(name: "commit", hook: LifecycleHook): this {
    return this.#hook(name, hook);
  }

  #hook(name: LifecycleEvent, hook: LifecycleHook): this {
    if (typeof hook !== "function") throw new TypeError(`A function is expected as handler of "${name}"`);
    if (!["commit", "succeeded", "failed", "done"].includes(name)) {
      throw new TypeError(`Requests have no event "${name}", but commit, succeeded, failed and done`);
    }
    this.hooks ??= { commit: [], succeeded: [], failed: [], done: [] };
    this.hooks[name].push(hook);
    if (name === "commit") this.commitHooks?.add(this, hook);
    return this;
  }

  /** Of the transaction it takes part in: learns about commit hooks in the order of their registration. */
  commitHooks: CommitHooks | undefined;

  /** Messages of a request that a handler sent belong to the answer of the outer request, too. */
  #record(kind: keyof typeof SEVERITIES, given: ErrorArguments): void {
    const message = { numericSeverity: SEVERITIES[kind], ...errorProperties(given) } as RequestMessage;
    this.messages.push(message);
    for (let event = this.#outer; event; event = event.#outer) event.messages.push(message);
  }

  get #outer(): ServiceEvent | undefined {
    for (let context = this.parent; context; context = context.parent) {
      if (context instanceof ServiceEvent) return context;
    }
    return undefined;
  }
}

/** What `req.error()` returns: never a result (`api` 11.3). */
export class RecordedError {
  /** The members of the error. */
  readonly properties: ErrorProperties;

  /**
   * Creates the record.
   *
   * @param properties the members of the error
   */
  constructor(properties: ErrorProperties) {
    this.properties = properties;
  }
}

/** Names of the events. */
export type LifecycleEvent = "commit" | "succeeded" | "failed" | "done";

/** A function called at the end of a request; `failed` gets the error, the others the results. */
export type LifecycleHook = (value?: unknown) => unknown;

/** The commit hooks of all requests of a transaction. */
export interface CommitHooks {
  /** Adds a hook of a request, as the one to run first. */
  add(req: object, hook: LifecycleHook): void;
}

/** The hooks of one request by event, in order of registration. */
export type RequestHooks = Record<LifecycleEvent, LifecycleHook[]>;

/** Commit hooks that were not asked yet; the one registered last comes first. */
export class PendingHooks<R extends object> implements CommitHooks {
  #hooks: { readonly req: R; readonly hook: LifecycleHook }[] | undefined;

  /** Whether there are none. */
  get isEmpty(): boolean {
    return this.#hooks === undefined || this.#hooks.length === 0;
  }

  add(req: R, hook: LifecycleHook): void {
    (this.#hooks ??= []).push({ req, hook });
  }

  /** The next one to ask. */
  take(): { readonly req: R; readonly hook: LifecycleHook } | undefined {
    return this.#hooks?.pop();
  }
}
