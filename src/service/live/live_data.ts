import type { EventContext } from "../../context/event_context.ts";
import type { Xo } from "../../cqn/cqn.ts";
import type { LinkedDefinition } from "../../model/linked.ts";
import type { Limits } from "../../config/limits.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { isAuthenticated } from "../authorization/refusals.ts";

/** An event in its place. */
export interface FeedEntry {
  /** Grows with each event that others can see, whichever process emitted it. */
  readonly position: number;
  /** Full name of the event. */
  readonly event: string;
  /** The payload as JSON. */
  readonly data: string;
}

/** From where on a feed knows everything, and how far it has come. */
export interface FeedBounds {
  /** Entries up to this position may be gone. */
  readonly removed: number;
  /** Position of the last entry. */
  readonly last: number;
}

/** The events of one tenant, for those who read them as they come. */
export interface EventFeed {
  /**
   * A reader begins.
   *
   * @param wake called whenever there may be more
   * @returns from where on everything is known, and where the feed is now
   */
  enter(wake: () => void): Promise<FeedBounds>;
  /** A reader ends. */
  leave(wake: () => void): void;
  /**
   * The next entries behind a position, some of many; none where there are none yet.
   *
   * @param after the position
   */
  read(after: number): Promise<readonly FeedEntry[]>;
}

/** Whether a condition holds for a payload, for the user of a context. */
export type PayloadCondition = (payload: unknown, context: EventContext) => Promise<boolean>;

/** What happens in an application, as it happens. */
export interface LiveData {
  /** The streams that are open. */
  readonly streams: LiveStreams;
  /**
   * The events of a tenant.
   *
   * @param tenant the tenant, if there is one
   */
  feed(tenant: string | undefined): EventFeed;
  /**
   * The condition of a restriction of an event as function of its payload.
   *
   * @param event the event
   * @param where the condition
   */
  condition(event: LinkedDefinition, where: readonly Xo[]): PayloadCondition;
}

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Bounds of streams. */
export type StreamLimits = Pick<Limits, "liveStreams" | "liveStreamsOfUser" | "liveStreamMs">;

/** One open stream: it sleeps until something happens, and ends by itself when its time is over. */
export class LiveStream {
  readonly #endsAt: number;
  #hasEnded = false;
  #isWoken = false;
  #resume: (() => void) | undefined;

  /**
   * A stream that sleeps.
   *
   * @param endsAt when its time is over, in milliseconds
   */
  constructor(endsAt: number) {
    this.#endsAt = endsAt;
  }

  /** Whether nothing more is to be sent. */
  get isOver(): boolean {
    return this.#hasEnded || Date.now() >= this.#endsAt;
  }

  /** Something may have happened. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#resume?.();
  };

  /** Nothing more is sent. */
  end(): void {
    this.#hasEnded = true;
    this.#resume?.();
  }

  /**
   * Sleeps until something happens, also if it has happened since it slept before.
   *
   * @param ms how long at most
   */
  async sleep(ms: number): Promise<void> {
    if (!this.#isWoken && !this.isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const limitMs = Math.min(ms, this.#endsAt - Date.now(), MAX_TIMER_MS);
      const timer = setTimeout(resolve, Math.max(0, limitMs));
      this.#resume = resolve;
      await promise;
      clearTimeout(timer);
      this.#resume = undefined;
    }
    this.#isWoken = false;
  }
}

/** Who holds a stream. */
interface Holder {
  readonly user: string | undefined;
  readonly tenant: string | undefined;
}

/** Looks for changes that go on at the same time; */
const LOOKS_AT_ONCE = 4;
/** behind each of them its place rests, so that it is used this part of the time, but no longer than so many milliseconds. */
const LOOKING_SHARE = 0.1;
const LONGEST_REST_MS = 5_000;

/**
 * Lets streams look for changes in turn: all looks together leave the process most of its time, however many streams there
 * are.
 */
export class LookTurns {
  /** When the places that nobody uses may be used again. */
  readonly #places: number[] = Array.from({ length: LOOKS_AT_ONCE }, () => 0);
  readonly #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Looks for changes, as soon as it is the turn of the stream.
   *
   * @param stream whose turn it is
   * @param look the look
   * @returns undefined where the stream is over by then
   */
  async take<T>(stream: LiveStream, look: () => Promise<T>): Promise<T | undefined> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#letIn();
    });
    const start = performance.now();
    try {
      return stream.isOver ? undefined : await look();
    } finally {
      const end = performance.now();
      const restMs = (end - start) * (1 / LOOKING_SHARE - 1);
      this.#places.push(end + Math.min(restMs, LONGEST_REST_MS));
      this.#letIn();
    }
  }

  /** Nobody waits any more. */
  release(): void {
    this.#places.fill(0);
    this.#letIn();
  }

  /** Lets those in who wait longest, as far as there are places; the next one comes when a place has rested. */
  #letIn(): void {
    clearTimeout(this.#timer);
    while (this.#waiting.length > 0 && this.#places.length > 0) {
      const next = Math.min(...this.#places);
      const restMs = next - performance.now();
      if (restMs > 0) {
        this.#timer = setTimeout(() => this.#letIn(), restMs);
        return;
      }
      this.#places.splice(this.#places.indexOf(next), 1);
      this.#waiting.shift()!();
    }
  }
}

/** All open streams of a runtime. */
export class LiveStreams {
  /** Their looks for changes. */
  readonly looks: LookTurns = new LookTurns();
  readonly #limits: StreamLimits;
  readonly #open: Map<LiveStream, Holder> = new Map();
  readonly #watching: Set<LiveStream> = new Set();
  #isClosed = false;

  /**
   * No streams yet.
   *
   * @param limits how many there may be, and for how long
   */
  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Opens a stream. Clients without login share the number of half of all.
   *
   * @param context whose it is; it ends with the token of the user
   * @throws ServiceError 429 `TOO_MANY_STREAMS`
   */
  open({ user, tenant }: EventContext): LiveStream {
    const { liveStreams, liveStreamsOfUser, liveStreamMs } = this.#limits;
    const id = isAuthenticated(user) ? user.id : undefined;
    const own = [...this.#open.values()].filter((one) => one.user === id && one.tenant === tenant).length;
    const most = id === undefined ? Math.ceil(liveStreams / 2) : liveStreamsOfUser;
    if (own >= most || this.#open.size >= liveStreams) {
      throw new ServiceError({ status: 429, code: "TOO_MANY_STREAMS" });
    }
    const stream = new LiveStream(Math.min(Date.now() + liveStreamMs, tokenEnd(user.authInfo)));
    // whoever comes while the process ends is sent on at once
    if (this.#isClosed) stream.end();
    this.#open.set(stream, { user: id, tenant });
    return stream;
  }

  /** A stream is gone. */
  remove(stream: LiveStream): void {
    stream.end();
    this.#open.delete(stream);
    this.#watching.delete(stream);
  }

  /** A stream wants to know when something was written. */
  watch(stream: LiveStream): void {
    this.#watching.add(stream);
  }

  /** Something may have been written by this process. */
  touch(): void {
    for (const stream of this.#watching) stream.wake();
  }

  /**
   * Ends streams: their clients come again, here or at another process.
   *
   * @param tenant whose streams; default: all
   */
  end(tenant?: string): void {
    for (const [stream, holder] of this.#open) {
      if (tenant === undefined || holder.tenant === tenant) stream.end();
    }
    if (tenant === undefined) this.looks.release();
  }

  /** Ends all streams, also those that are still opened. */
  close(): void {
    this.#isClosed = true;
    this.end();
  }
}

/** The time at which the token ends that a strategy has verified; claims give it in seconds (RFC 7519 4.1.4). */
function tokenEnd(claims: unknown): number {
  const { exp } = isPlainObject(claims) ? claims : {};
  return typeof exp === "number" ? exp * 1000 : Infinity;
}
