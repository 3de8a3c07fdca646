/**
 * What protocols need to send clients what happens as it happens; the runtime has it.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Xo } from "../../cqn/cqn.ts";
import type { LinkedDefinition } from "../../model/linked.ts";
import type { LiveStreams } from "./live_streams.ts";

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
