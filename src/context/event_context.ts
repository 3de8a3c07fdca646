/**
 * The invocation context of a request, event message or job (spec 2.1).
 *
 * @module
 */

import { Ending } from "./ending.ts";
import { User, type UserProperties } from "./user.ts";

/** The HTTP side of a context: the web `Request` with `get(name)`, and the draft of the response. */
export interface HttpContext {
  /** The HTTP request. */
  readonly req: HttpRequest;
  /** The response draft. */
  readonly res: HttpResponse;
}

/**
 * The web `Request` with what handlers of existing servers look at. Its headers can be read by name as well:
 * `req.headers.authorization`.
 */
export type HttpRequest = Request & {
  /** Headers, also by lower-case name. */
  readonly headers: Headers & Readonly<Record<string, unknown>>;
  /** Value of a header, `undefined` if absent. */
  get(name: string): string | undefined;
  /** The same as `get`. */
  header(name: string): string | undefined;
  /** Path of the URL. */
  readonly path: string;
  /** Path and query of the URL. */
  readonly originalUrl: string;
  /** Query options by name, the last of each. */
  readonly query: Readonly<Record<string, string>>;
};

/** Attributes of a cookie. */
export interface CookieOptions {
  /** Where it is sent; default: `/`. */
  readonly path?: string;
  /** Whose hosts get it. */
  readonly domain?: string;
  /** How long it lives, in milliseconds. */
  readonly maxAge?: number;
  /** When it ends. */
  readonly expires?: Date;
  /** Whether scripts do not see it. */
  readonly httpOnly?: boolean;
  /** Whether it is sent over TLS only. */
  readonly secure?: boolean;
  /** Whether other sites may cause it to be sent. */
  readonly sameSite?: boolean | "strict" | "lax" | "none";
}

/** The draft of a response: what handlers set on it becomes part of the answer. */
export interface HttpResponse {
  /** HTTP status. */
  statusCode: number | undefined;
  /** Headers set so far. */
  readonly headers: Headers;
  /** Sets the HTTP status. */
  status(code: number): HttpResponse;
  /** Sets a header, or several by name. */
  set(name: string | Readonly<Record<string, string>>, value?: string): HttpResponse;
  /** A header set before. */
  get(name: string): string | undefined;
  /** Sets a header; values of a list are sent in a row. */
  setHeader(name: string, value: string | number | readonly string[]): HttpResponse;
  /** A header set before. */
  getHeader(name: string): string | undefined;
  /** Takes a header away. */
  removeHeader(name: string): void;
  /** Sets a header. */
  header(name: string, value: string): HttpResponse;
  /** Whether a header was set. */
  hasHeader(name: string): boolean;
  /** Adds a value to a header. */
  append(name: string, value: string | readonly string[]): HttpResponse;
  /** Adds a header to `Vary`. */
  vary(name: string): HttpResponse;
  /** Sets a cookie; `maxAge` in milliseconds. */
  cookie(name: string, value: string, options?: CookieOptions): HttpResponse;
  /** Takes a cookie away. */
  clearCookie(name: string, options?: CookieOptions): HttpResponse;
  /** Sets the header `location`. */
  location(url: string): HttpResponse;
  /** Sets status and headers. */
  writeHead(code: number, ...headers: readonly unknown[]): HttpResponse;
  /** Adds to the body, which `end` completes. */
  write(chunk: string | Uint8Array): boolean;
  /** Listens to `finish`, when the response has ended, and to what streams that are piped into it emit. */
  on(event: string, listener: (...values: readonly unknown[]) => unknown): HttpResponse;
  /** Listens once. */
  once(event: string, listener: (...values: readonly unknown[]) => unknown): HttpResponse;
  /** Listens no more. */
  removeListener(event: string, listener: (...values: readonly unknown[]) => unknown): HttpResponse;
  /** Calls the listeners. */
  emit(event: string, ...values: readonly unknown[]): boolean;
  /** What handlers note for those behind them. */
  readonly locals: Record<string, unknown>;
  /** Sets the media type. */
  type(mediaType: string): HttpResponse;
  /** Ends the response with a status and its phrase. */
  sendStatus(code: number): HttpResponse;
  /** Ends the response with another location, maybe behind a status. */
  redirect(...target: readonly [string] | readonly [number, string]): HttpResponse;
  /** Ends the response with a body; a handler that calls it answers the request by itself. */
  send(body?: unknown): HttpResponse;
  /** Ends the response with JSON. */
  json(body: unknown): HttpResponse;
  /** Ends the response. */
  end(body?: unknown): HttpResponse;
  /** True after `send`, `json` or `end`. */
  readonly headersSent: boolean;
  /** What `send`, `json` or `end` was given. */
  readonly body: unknown;
}

/** The time that temporal data is read at: slices valid from before `to` until after `from`. */
export interface Validity {
  /** `$at.from`. */
  readonly from: Date;
  /** `$at.to`. */
  readonly to: Date;
}

/** What root contexts belong to: a runtime. */
export interface ContextOwner {
  /** The linked model. */
  readonly model: unknown;
  /** The linked model for the feature toggles of a context; without it there is one for all. */
  readonly modelOf?: (context: EventContext | undefined) => unknown;
}

/** Tells whoever asks for the current context which one it is. */
export interface ContextHolder {
  /** The current context. */
  context: EventContext | undefined;
}

/** What the work of a request has entered the current context for. */
export interface ContextEntries {
  /** Work has ended; what it has started may go on. */
  leave(holder: ContextHolder): void;
  /** The request has ended. */
  end(): void;
}

/** What a context is made from; all members are optional, missing ones are inherited from `parent`. */
export interface EventContextProperties {
  /** Correlation id. */
  readonly id?: string;
  /** Tenant, undefined outside multitenant operation. */
  readonly tenant?: string;
  /** The user, its members or its id. */
  readonly user?: User | UserProperties | string;
  /** Normalized locale of the caller. */
  readonly locale?: string;
  /** The value of `$now`. */
  readonly timestamp?: Date;
  /** HTTP request and response. */
  readonly http?: HttpContext;
  /** Feature toggles; default: those of the context it was derived from, in a root context those of the user. */
  readonly features?: ReadonlySet<string>;
  /** Aborted when the work of the context is to end, for example because it takes too long. */
  readonly signal?: AbortSignal;
  /** The time that temporal data is read at; default: `timestamp`. */
  readonly validity?: Validity;
  /** Whether what is read may be what was there a moment ago, as replicas of a database have it; default: no. */
  readonly mayLag?: boolean;
}

/**
 * Tenant, user, locale, timestamp, correlation id and HTTP objects of an inbound request or event. Requests and
 * events inherit from it. What costs something is computed on first access.
 */
export class EventContext {
  /** The context this one was derived from. */
  readonly parent: EventContext | undefined;
  /** How many contexts this one was derived from, one from another. */
  readonly depth: number;
  /** The root transaction of this context, or of the nearest parent that has one; set by the `service` room. */
  transaction: unknown;
  /** The runtime that a root context belongs to; set by it. */
  owner: ContextOwner | undefined;
  /** Of the context of a request: set by what begins and ends it. */
  entries: ContextEntries | undefined;
  #id: string | undefined;
  #tenant: string | undefined;
  #user: User | undefined;
  #locale: string | undefined;
  #timestamp: Date | undefined;
  #http: HttpContext | undefined;
  #validity: Validity | undefined;
  #features: ReadonlySet<string> | undefined;
  #ending: Ending | undefined;
  #mayLag: boolean | undefined;

  /**
   * Creates a context.
   *
   * @param properties own members
   * @param parent context whose members are used where an own one is missing
   */
  constructor(properties: EventContextProperties = {}, parent?: EventContext) {
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.#id = properties.id;
    this.#tenant = properties.tenant;
    this.#user = properties.user === undefined ? undefined : toUser(properties.user);
    this.#locale = properties.locale;
    this.#timestamp = properties.timestamp;
    this.#http = properties.http;
    this.#validity = properties.validity;
    this.#features = properties.features;
    this.#mayLag = properties.mayLag;
    if (properties.signal !== undefined) this.signal = properties.signal;
  }

  /** Correlation id (spec 2.1): the one given, else that of the parent, else a new UUID. */
  get id(): string {
    return this.#id ??= this.parent?.id ?? crypto.randomUUID();
  }
  set id(value: string) {
    this.#id = value;
  }

  /** Tenant, undefined outside multitenant operation. */
  get tenant(): string | undefined {
    return this.#tenant ?? this.parent?.tenant;
  }
  set tenant(value: string | undefined) {
    this.#tenant = value;
  }

  /** The authenticated user, else `User.default` (anonymous). */
  get user(): User {
    return this.#user ?? this.parent?.user ?? User.default;
  }
  set user(value: User | UserProperties | string) {
    this.#user = toUser(value);
  }

  /** Normalized locale of the caller (`de`, `en_GB`); undefined without preference. */
  get locale(): string | undefined {
    return this.#locale ?? this.parent?.locale;
  }
  set locale(value: string | undefined) {
    this.#locale = value;
  }

  /** The same for the whole request; the value of `$now`. */
  get timestamp(): Date {
    return this.#timestamp ??= this.parent?.timestamp ?? new Date();
  }
  set timestamp(value: Date) {
    this.#timestamp = value;
  }

  /** HTTP request and response, if the process came from HTTP. */
  get http(): HttpContext | undefined {
    return this.#http ?? this.parent?.http;
  }
  set http(value: HttpContext | undefined) {
    this.#http = value;
  }

  /** The time that temporal data is read at: what the caller asked for, else the millisecond of `timestamp`. */
  get validity(): Validity {
    return this.#requested() ?? { from: this.timestamp, to: new Date(this.timestamp.getTime() + 1) };
  }
  set validity(value: Validity) {
    this.#validity = value;
  }

  #requested(): Validity | undefined {
    if (this.#validity !== undefined || this.parent === undefined) return this.#validity;
    return this.parent.#requested();
  }

  /**
   * Aborted when the time of a request is over: handlers hand it to what they wait for. Transactions that have not
   * begun to commit are rolled back then.
   */
  get signal(): AbortSignal | undefined {
    return this.ending?.signal;
  }
  set signal(value: AbortSignal | undefined) {
    this.#ending = value && Ending.by(value);
  }

  /** When the work of the context is to end: what `signal` tells, for steps of the framework. */
  get ending(): Ending | undefined {
    return this.#ending ?? this.parent?.ending;
  }
  set ending(value: Ending | undefined) {
    this.#ending = value;
  }

  /** Whether what is read may be what was there a moment ago, as replicas of a database have it. */
  get mayLag(): boolean {
    return this.#mayLag ?? this.parent?.mayLag ?? false;
  }
  set mayLag(value: boolean) {
    this.#mayLag = value;
  }

  /**
   * Feature toggles in effect: those given, else those of the context it was derived from, in a root context those of
   * the user. So they stay the same for a whole request, whoever it does internal work as.
   */
  get features(): ReadonlySet<string> {
    return this.#features ?? this.parent?.features ?? this.user.features;
  }

  /** The linked model in effect: that of the runtime, with the feature toggles of this context. */
  get model(): unknown {
    const owner = ownerOf(this);
    return owner?.modelOf?.(this) ?? owner?.model;
  }

  /**
   * A context from a context, from anything that has a `context` (a transaction), or from plain members
   * (spec 2.1: assignment to `fw.context`).
   */
  static for(
    value: EventContext | { readonly context: EventContext } | EventContextProperties,
  ): EventContext {
    if (value instanceof EventContext) return value;
    if (typeof value !== "object" || value === null) {
      throw new TypeError("A context, a transaction, or an object with tenant, user, locale, … is expected");
    }
    return "context" in value && value.context instanceof EventContext
      ? value.context
      : new EventContext(value as EventContextProperties);
  }
}

/** What a context, or the nearest one it was derived from that has an owner, belongs to. */
export function ownerOf(context: EventContext | undefined): ContextOwner | undefined {
  for (let at = context; at; at = at.parent) if (at.owner) return at.owner;
  return undefined;
}

/** The value of `$user`, or of a name behind it. */
export function userValue(name: string | undefined, context: EventContext): unknown {
  if (name === undefined || name === "id") return context.user.id;
  if (name === "locale") return context.locale;
  if (name === "tenant") return context.tenant;
  return context.user.attr[name];
}

/** A user from a user, its members, or its id. */
export function toUser(value: User | UserProperties | string): User {
  return value instanceof User ? value : new User(value);
}
