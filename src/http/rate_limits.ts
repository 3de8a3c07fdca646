/**
 * How often somebody may ask: buckets of tokens by address, user and tenant, and how many requests of a tenant run at once.
 * All of it is off unless the configuration says numbers.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { Logger } from "../log/logger.ts";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import { BoundedCache } from "../util/bounded_cache.ts";
import { BUSY } from "./error_response.ts";
import { LoopDelay } from "../util/loop_delay.ts";

/** What stands below `fw.server.rate_limits`. */
export interface RateLimitSettings {
  /** Requests of an address in a window, before anybody logs in. */
  readonly per_address?: number;
  /** Requests of a user in a window; those without login share the bucket of their address. */
  readonly per_user?: number;
  /** Requests of all users of a tenant in a window. */
  readonly per_tenant?: number;
  /** Requests of a tenant that run at once. */
  readonly concurrent_per_tenant?: number;
  /** Requests that this process answers at once. */
  readonly concurrent?: number;
  /** How late this process may be with what it has to do when it takes on another request. */
  readonly delay_ms?: number;
  /** Length of the window; default: a minute. */
  readonly window_ms?: number;
  /** Where all processes count together; without it each counts for itself. */
  readonly redis?: Readonly<Record<string, unknown>>;
}

/** Buckets that processes share. */
export interface SharedBuckets {
  /**
   * Takes a token out of a bucket.
   *
   * @returns what is left; undefined where nobody knows, so that each process counts for itself
   */
  take(bucket: {
    readonly key: string;
    readonly limit: number;
    readonly windowMs: number;
  }): Promise<{ readonly isTaken: boolean; readonly tokens: number } | undefined>;
}

/** Whose requests are counted together. */
export type RateScope = "address" | "user" | "tenant";

/** What is left of a bucket. */
export interface Quota {
  readonly scope: RateScope;
  /** Requests in a window. */
  readonly limit: number;
  /** Whole requests left; negative: refused. */
  readonly remaining: number;
  /** Seconds until one more request, or, where some are left, until all are. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Buckets that are kept for each scope: a flood of addresses makes those unused for longest full again, and nothing grow. */
const BUCKETS = 50_000;
const DEFAULT_WINDOW_MS = 60_000;

/** How often it is told that requests are refused. */
const TELL_MS = 10_000;

/** Counts requests. */
export class RateLimits {
  readonly #settings: RateLimitSettings;
  readonly #shared: SharedBuckets | undefined;
  readonly #windowMs: number;
  readonly #limits: Readonly<Record<RateScope, number | undefined>>;
  readonly #buckets: Readonly<Record<RateScope, BoundedCache<string, Bucket>>> = {
    address: new BoundedCache(BUCKETS),
    user: new BoundedCache(BUCKETS),
    tenant: new BoundedCache(BUCKETS),
  };
  readonly #running: Map<string, number> = new Map();
  /** All that this process is answering. */
  #answering = 0;
  readonly #delay: LoopDelay | undefined;
  readonly #log: Pick<Logger, "warn"> | undefined;
  #toldAt = -Infinity;

  /**
   * @param settings how often
   * @param shared buckets that processes share
   * @param log learns, now and then, that requests are refused as too many are running
   */
  constructor(settings: RateLimitSettings, shared?: SharedBuckets, log?: Pick<Logger, "warn">) {
    this.#settings = settings;
    this.#log = log;
    this.#shared = shared;
    this.#windowMs = settings.window_ms ?? DEFAULT_WINDOW_MS;
    if (settings.delay_ms !== undefined) this.#delay = new LoopDelay(() => this.#answering > 0);
    const { per_address: address, per_user: user, per_tenant: tenant } = settings;
    this.#limits = { address, user, tenant };
  }

  /**
   * Counts a request.
   *
   * @param scope whose it is
   * @param key the address, user or tenant
   * @returns what is left; undefined where the scope has no limit
   */
  take(scope: RateScope, key: string): MaybePromise<Quota | undefined> {
    const limit = this.#limits[scope];
    if (limit === undefined || this.#shared === undefined) return this.takeHere(scope, key);
    return this.#shared.take({ key: JSON.stringify([scope, key]), limit, windowMs: this.#windowMs }).then((
      left,
    ) => left === undefined ? this.takeHere(scope, key) : this.#quota(scope, limit, left));
  }

  /**
   * Counts a request in this process.
   *
   * @param scope whose it is
   * @param key the address, user or tenant
   * @param now milliseconds of a clock that never goes back
   * @returns what is left; undefined where the scope has no limit
   */
  takeHere(scope: RateScope, key: string, now: number = performance.now()): Quota | undefined {
    const limit = this.#limits[scope];
    if (limit === undefined) return undefined;
    const perMs = limit / this.#windowMs;
    const buckets = this.#buckets[scope];
    const bucket = buckets.get(key) ?? { tokens: limit, at: now };
    bucket.tokens = Math.min(limit, bucket.tokens + (now - bucket.at) * perMs);
    bucket.at = now;
    const isTaken = bucket.tokens >= 1;
    if (isTaken) bucket.tokens--;
    buckets.set(key, bucket);
    return this.#quota(scope, limit, { isTaken, tokens: bucket.tokens });
  }

  #quota(
    scope: RateScope,
    limit: number,
    { isTaken, tokens }: { readonly isTaken: boolean; readonly tokens: number },
  ): Quota {
    const missing = isTaken ? limit - tokens : 1 - tokens;
    return {
      ...{ scope, limit, windowSeconds: Math.ceil(this.#windowMs / 1000) },
      remaining: isTaken ? Math.floor(tokens) : -1,
      resetSeconds: Math.ceil(missing / (limit / this.#windowMs) / 1000),
    };
  }

  /**
   * Begins a request.
   *
   * @returns whether this process takes it; `leave` ends it then
   */
  begin(): boolean {
    const reason = this.#overload();
    if (reason === undefined) {
      this.#answering++;
      this.#delay?.watch();
      return true;
    }
    const now = performance.now();
    if (now - this.#toldAt < TELL_MS) return false;
    this.#toldAt = now;
    this.#log?.warn(reason);
    return false;
  }

  /** Why there is no room for one more; a process that answers none takes it in any case. */
  #overload(): string | undefined {
    const { concurrent = Infinity, delay_ms: mostMs = Infinity } = this.#settings;
    if (this.#answering >= concurrent) {
      return `${concurrent} requests are running, and others are refused ("fw.server.rate_limits.concurrent")`;
    }
    const delayMs = this.#answering === 0 ? 0 : this.#delay?.ms ?? 0;
    if (delayMs <= mostMs) return undefined;
    return `What is due waits for ${Math.round(delayMs)} ms, and requests are refused ` +
      '("fw.server.rate_limits.delay_ms")';
  }

  /** Ends a request that was begun. */
  leave(): void {
    this.#answering--;
  }

  /**
   * Begins a request of a tenant.
   *
   * @returns ends it
   * @throws ServiceError 429 where as many run as may
   */
  enter(tenant: string): () => void {
    const most = this.#settings.concurrent_per_tenant;
    if (most === undefined) return () => {};
    const running = this.#running.get(tenant) ?? 0;
    if (running >= most) throw tooMany(`${most} requests of the tenant are running`);
    this.#running.set(tenant, running + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = this.#running.get(tenant)! - 1;
      if (left === 0) this.#running.delete(tenant);
      else this.#running.set(tenant, left);
    };
  }
}

/** What one request uses of the limits. */
export class Usage {
  readonly #limits: RateLimits;
  #narrowest: Quota | undefined;
  /** Of a request that is refused: when the next one has a chance. */
  #retrySeconds: number | undefined;
  #leave: (() => void) | undefined;
  #hasBegun = false;
  #isOver = false;

  /** @param limits those of the server */
  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  /**
   * Counts the request for its address, unless this process has enough to do: what it takes on is answered soon then.
   *
   * @param address undefined: it is not known
   * @throws ServiceError 503, 429 `TOO_MANY_REQUESTS`
   */
  begin(address: string | undefined): MaybePromise<void> {
    this.#hasBegun = this.#limits.begin();
    if (this.#hasBegun) return this.#admit("address", address);
    throw BUSY;
  }

  /** Nobody is counted who is not known. */
  #admit(scope: RateScope, key: string | undefined): MaybePromise<void> {
    if (key === undefined) return;
    return andThen(this.#limits.take(scope, key), (quota) => this.#note(quota));
  }

  #note(quota: Quota | undefined): void {
    if (quota === undefined) return;
    if (this.#narrowest === undefined || quota.remaining < this.#narrowest.remaining) this.#narrowest = quota;
    if (quota.remaining >= 0) return;
    const { scope, limit, windowSeconds, resetSeconds } = quota;
    this.#retrySeconds = Math.max(1, resetSeconds);
    throw tooMany(
      `${limit} requests in ${windowSeconds} s are allowed for each ${scope}; the next one in ${resetSeconds} s`,
    );
  }

  /**
   * Counts the request for the user and the tenant; those without login are told apart by their addresses.
   *
   * @throws ServiceError 429 `TOO_MANY_REQUESTS`
   */
  admitUser(
    { user, tenant }: Pick<EventContext, "user" | "tenant">,
    address: string | undefined,
  ): MaybePromise<void> {
    const key = user.is("authenticated-user") ? JSON.stringify([tenant, user.id]) : address;
    const admitted = andThen(this.#admit("user", key), () => this.#admit("tenant", tenant));
    return andThen(admitted, () => {
      // a request may have run out of time meanwhile
      if (tenant !== undefined && !this.#isOver) this.#enter(tenant);
    });
  }

  /** When one of those that run ends is not known: the shortest time is told. */
  #enter(tenant: string): void {
    this.#retrySeconds = 1;
    this.#leave = this.#limits.enter(tenant);
    this.#retrySeconds = undefined;
  }

  /**
   * Ends the request, and tells what is left: the headers of the IETF draft "RateLimit header fields for HTTP", and
   * `Retry-After` (RFC 9110, 10.2.3).
   */
  end(headers: Headers): void {
    this.#isOver = true;
    this.#leave?.();
    if (this.#hasBegun) this.#limits.leave();
    this.#hasBegun = false;
    if (this.#retrySeconds !== undefined) headers.set("retry-after", String(this.#retrySeconds));
    if (this.#narrowest === undefined) return;
    const { scope, limit, remaining, resetSeconds, windowSeconds } = this.#narrowest;
    headers.set("ratelimit-policy", `"${scope}";q=${limit};w=${windowSeconds}`);
    headers.set("ratelimit", `"${scope}";r=${Math.max(0, remaining)};t=${resetSeconds}`);
  }
}

/** The text is that of the code, in the language of the caller; the headers say the numbers, and the log the reason. */
function tooMany(reason: string): ServiceError {
  return new ServiceError({ status: 429, code: "TOO_MANY_REQUESTS", cause: new Error(reason) });
}
