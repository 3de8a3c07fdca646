/**
 * A channel whose broker may be away at start: the application starts, and connects as soon as the broker is there.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import type { Logger } from "../log/logger.ts";
import type { Channel, Delivery, Guarantees, Message, Subscription } from "./channel.ts";
import { retryDelayMs } from "./retry_delay.ts";

const CODES: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
  ...["ENOTCONN", "EPIPE", "ETIMEDOUT", "CHANNEL_UNREACHABLE"],
]);
const DEPTH = 5;

/**
 * Whether an error tells that a channel cannot be reached: it or one of its causes has `unreachable: true`, or the code of
 * a failed connection.
 *
 * @param error what `publish` threw
 */
export function isUnreachable(error: unknown): boolean {
  for (let one = error, depth = 0; typeof one === "object" && one !== null && depth < DEPTH; depth++) {
    const { unreachable, code, cause } = one as { unreachable?: unknown; code?: unknown; cause?: unknown };
    if (unreachable === true || CODES.has(code)) return true;
    one = cause;
  }
  return false;
}

/** Longest pause between two attempts to connect. */
const MAX_PAUSE_MS = 10_000;

/** How long is waited, and who is told. */
export interface PatienceOptions {
  /** Name of the configuration entry. */
  readonly name: string;
  /** How long `connect` waits before it goes on without the broker. */
  readonly startMs: number;
  /** Gets a warning for each attempt that fails. */
  readonly log: Logger;
}

/** What must not be forgotten when channels get another member; those of channels that stand for several are not needed. */
type Forwarded = Omit<
  Required<Channel>,
  "routesOf" | "notice" | "keepsMessages" | "assertRoute" | "deadLetters" | "backlog"
>;

/**
 * Lets an application start without the broker of a channel.
 *
 * @param channel the channel
 * @param options how long is waited
 */
export function patiently(channel: Channel, options: PatienceOptions): Channel {
  return new PatientChannel(channel, options);
}

class PatientChannel implements Channel, Forwarded {
  readonly kind: string;
  readonly keepsMessages: boolean | undefined;
  readonly assertRoute: Channel["assertRoute"];
  readonly deadLetters: Channel["deadLetters"];
  readonly backlog: Channel["backlog"];
  readonly #channel: Channel;
  readonly #options: PatienceOptions;
  readonly #closing = new AbortController();
  readonly #waiting: Set<LateSubscription> = new Set();
  /** Why the broker is away; undefined while nothing is known to be wrong. */
  #reason: { readonly error: unknown } | undefined;
  #connecting: Promise<void> = Promise.resolve();
  #endPause: () => void = () => {};

  constructor(channel: Channel, options: PatienceOptions) {
    this.kind = channel.kind;
    this.keepsMessages = channel.keepsMessages;
    this.assertRoute = channel.assertRoute?.bind(channel);
    this.deadLetters = channel.deadLetters?.bind(channel);
    this.backlog = channel.backlog?.bind(channel);
    this.#channel = channel;
    this.#options = options;
  }

  get guarantees(): Guarantees {
    return this.#channel.guarantees;
  }

  get notice(): string | undefined {
    return this.#channel.notice;
  }

  /** Resolves when the channel is connected, or when its broker is away. */
  async connect(): Promise<void> {
    const attempt = this.#attempt();
    const first = await settledWithin(this.#options.startMs, attempt);
    if (first?.status === "fulfilled") return;
    if (first && !isUnreachable(first.reason)) throw first.reason;
    this.#tell(first?.reason ?? new Error(`no answer within ${this.#options.startMs / 1000} s`));
    this.#connecting = this.#keepTrying(first ? undefined : attempt);
  }

  isAway(): boolean {
    return this.#reason !== undefined;
  }

  async publish(messages: readonly Message[]): Promise<void> {
    if (this.#reason) throw this.#away();
    await this.#channel.publish(messages);
  }

  async subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    if (!this.#reason) return await this.#channel.subscribe(subscription, onDelivery);
    const late = new LateSubscription(() => this.#channel.subscribe(subscription, onDelivery));
    this.#waiting.add(late);
    return {
      close: async () => {
        this.#waiting.delete(late);
        await late.close();
      },
    };
  }

  async close(options?: { drainMs: number }): Promise<void> {
    this.#closing.abort(this.#away());
    this.#endPause();
    await this.#channel.close(options);
    await this.#connecting;
  }

  #attempt(): Promise<void> {
    return this.#channel.connect(this.#closing.signal);
  }

  /** Connects and opens what was subscribed to meanwhile. */
  async #keepTrying(pending: Promise<void> | undefined): Promise<void> {
    const { log, name } = this.#options;
    for (let attempts = 1; !this.#closing.signal.aborted; attempts++) {
      try {
        await (pending ?? this.#attempt());
        for (const late of this.#waiting) {
          await late.open();
          this.#waiting.delete(late);
        }
        this.#reason = undefined;
        return log.info(`${name}: connected`);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#tell(error);
      }
      pending = undefined;
      await this.#pause(Math.min(MAX_PAUSE_MS, retryDelayMs(attempts)));
    }
  }

  async #pause(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  #tell(error: unknown): void {
    this.#reason = { error };
    const { log, name } = this.#options;
    log.warn(`${name}: ${this.kind} cannot be reached, trying again:`, (error as Error).message);
  }

  #away(): ServiceError {
    const message = `${this.kind} of ${this.#options.name} cannot be reached`;
    const { error: cause } = this.#reason ?? { error: undefined };
    return new ServiceError({ status: 503, code: "CHANNEL_UNREACHABLE", message, cause, unreachable: true });
  }
}

/** A subscription that is opened when the broker is there, unless it was closed before. */
class LateSubscription {
  readonly #subscribe: () => Promise<{ close(): Promise<void> }>;
  #opening: Promise<{ close(): Promise<void> }> | undefined;

  constructor(subscribe: () => Promise<{ close(): Promise<void> }>) {
    this.#subscribe = subscribe;
  }

  async open(): Promise<void> {
    this.#opening = this.#subscribe();
    await this.#opening;
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.close();
  }
}

/** How a promise was settled; undefined if it was not in time. */
async function settledWithin(
  ms: number,
  promise: Promise<void>,
): Promise<PromiseSettledResult<void> | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), ms));
  const settled = Promise.allSettled([promise]).then(([one]) => one);
  return await Promise.race([settled, late]).finally(() => clearTimeout(timer));
}
