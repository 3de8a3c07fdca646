import type { User } from "../context/user.ts";
import type { Limits } from "../config/limits.ts";
import type { Logger } from "../log/logger.ts";

/** A message on its way. */
export interface Message<D = unknown> {
  /** `@topic`, else the fully qualified event name; at most 512 characters, no white space or control characters. */
  readonly topic: string;
  /** The payload. */
  readonly data: D;
  /** Headers of the message. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Tenant. */
  readonly tenant?: string;
  /** Messages of one key keep their order. */
  readonly key?: string;
  /**
   * Who sent a received message, where the channel lets in senders by itself: its handlers have the rights of this user.
   * Messages that come from a broker have none.
   */
  readonly sender?: User;
}

/** A message handed to a consumer, to be settled by exactly one of `ack` and `nack`. */
export interface Delivery {
  /** The message. */
  readonly message: Message;
  /** How often this message was delivered to this group, this time included. */
  readonly deliveries: number;
  /** Done: the message does not come back to this group. */
  ack(): Promise<void>;
  /** Failed: again after a delay, or to the dead letters. */
  nack(options?: { delayMs?: number; dead?: boolean; reason?: string }): Promise<void>;
  /** Asks for more time before the message is given to somebody else. */
  extend(): Promise<void>;
}

/** What a channel promises in its running configuration; printed at start and checked by the contract suite. */
export interface Guarantees {
  /** How often a message may arrive. */
  readonly delivery: "at-most-once" | "at-least-once";
  /** What a stored message survives. */
  readonly survives: "nothing" | "process crash" | "host crash";
  /** Which order is kept. */
  readonly order: "none" | "key" | "topic";
  /** Time in which equal ids count as one, in milliseconds. */
  readonly dedupeWindowMs: number;
  /** Bytes of a message at most. */
  readonly maxMessageBytes: number;
  /** Whether the channel can delay a retry. */
  readonly delayedRetry: boolean;
  /** Whether the channel keeps dead letters. */
  readonly deadLetters: boolean;
  /** Whether messages can be read again. */
  readonly replay: boolean;
}

/** What a consumer wants from a channel. */
export interface Subscription {
  /** The consumer group: its instances share the work, every other group gets every message. */
  readonly group: string;
  /** Topics, or `*` for all. */
  readonly topics: readonly string[] | "*";
  /** Messages handled at once. */
  readonly concurrency: number;
  /**
   * Whether messages of other topics are delivered too that somebody sends to this very group; else they are passed over.
   * Channels that all applications share never deliver them.
   */
  readonly strays?: boolean;
}

/** A message that a group gave up. */
export interface DeadLetter {
  /** What the channel finds it by, among those of the group; letters, digits and `-`. */
  readonly id: string;
  /** The message. */
  readonly message: Message;
  /** How often it was delivered. */
  readonly attempts: number;
  /** Why it was given up. */
  readonly lastError: string;
  /** When, as ISO 8601. */
  readonly at?: string;
}

/** What a channel keeps for a group that has not handled it. */
export interface Backlog {
  /** How many messages wait, are being handled, or will be tried again; those of topics that the group passes over may count. */
  readonly waiting: number;
  /** Age of the oldest of those, in milliseconds, where the channel can tell. */
  readonly oldestAgeMs?: number;
}

/** The dead letters of one group in a channel; nothing of it needs a subscription. */
export interface DeadLetters {
  /**
   * Dead letters, oldest first.
   *
   * @param limit how many at most
   */
  list(limit: number): Promise<readonly DeadLetter[]>;
  /**
   * Delivers a message again to the group that gave it up, and to no other; its deliveries count from 1.
   *
   * @returns whether it was there
   */
  replay(id: string): Promise<boolean>;
  /**
   * Removes a message for good.
   *
   * @returns whether it was there
   */
  discard(id: string): Promise<boolean>;
}

/** A message channel. */
export interface Channel {
  /** Kind of the definition. */
  readonly kind: string;
  /** What the channel promises. */
  readonly guarantees: Guarantees;
  /** What is promised, in words; printed at start. */
  readonly notice?: string;
  /**
   * `false` where messages are handed on instead of being kept until each group has handled them: then they survive what the
   * outbox of the sender survives.
   */
  readonly keepsMessages?: boolean;
  /**
   * Refuses an event that this channel cannot carry, before anything is stored.
   *
   * @throws ServiceError `NO_ROUTE` if a composite channel has no route for it
   */
  assertRoute?(topic: string): void;
  /**
   * The channels that carry an event, by name, where one channel stands for several: the outbox keeps what each of them still
   * has to get, so that one that is down holds up no other.
   */
  routesOf?(topic: string): ReadonlyMap<string, Channel>;
  /**
   * The dead letters of a group, where the channel keeps them (`guarantees.deadLetters`) and can look at them; it connects
   * by itself.
   */
  deadLetters?(group: string): DeadLetters | undefined;
  /**
   * What waits for a group, where the channel keeps messages and can look at them; it connects by itself. Undefined where
   * there is no such group.
   */
  backlog?(group: string): Promise<Backlog | undefined>;
  /** Whether the broker is known to be out of reach, for `/ready`; only channels with a broker have it. */
  isAway?(): boolean;
  /** Connects; a signal ends the attempt. */
  connect(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the messages are stored, never before. What it throws tells the outbox what to do: with
   * `unreachable: true`, or the code `CHANNEL_UNREACHABLE` or that of a failed connection (`ECONNREFUSED`, …), messages wait and no attempt is counted;
   * with `unrecoverable: true` (not allowed, too large) they are given up; else they are tried again.
   */
  publish(messages: readonly Message[]): Promise<void>;
  /** Begins to deliver messages of topics to a group. */
  subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }>;
  /** Ends deliveries, waits for running ones, and disconnects. */
  close(options?: { drainMs: number }): Promise<void>;
}

/** What a channel is made from. */
export interface ChannelOptions {
  /** Name of the entry below `fw.requires`. */
  readonly name: string;
  /** Name of the application, the source of its events; default: that of the entry. */
  readonly application?: string;
  /** The entry: `kind`, `file`, `routes`, `credentials`, … */
  readonly options: Readonly<Record<string, unknown>>;
  /** Bounds in effect. */
  readonly limits: Limits;
  /** The logger. */
  readonly log: Logger;
  /** Receives and sends web requests; absent where a channel is made without a runtime. */
  readonly web?: ChannelWeb;
  /** Another channel by the name of its entry; composite channels ask for those of their routes. */
  readonly channel: (name: string) => Promise<Channel>;
}

/** What a channel that speaks HTTP needs of its runtime. */
export interface ChannelWeb {
  /**
   * Answers the requests to a path of the application, which are authenticated like all others.
   *
   * @param path begins with a slash
   * @param answer gives the answer; what it throws is rendered like any error
   */
  route(path: string, answer: (request: Request) => Promise<Response>): void;
  /** Sends a request. */
  fetch(request: Request): Promise<Response>;
}

/** Creates a channel; what the loader of a kind resolves to for messaging. */
export type ChannelFactory = (options: ChannelOptions) => Channel | Promise<Channel>;

/**
 * What waits in a channel, or in a part of it.
 *
 * @param waiting how many messages
 * @param times since when some of them wait (milliseconds since 1970), the oldest among them, as far as that can be told
 */
export function backlogSince(waiting: number, times: readonly (number | undefined)[]): Backlog {
  const known = times.filter((time) => time !== undefined);
  return {
    waiting,
    ...known.length > 0 && { oldestAgeMs: Math.max(0, Date.now() - Math.min(...known)) },
  };
}

/**
 * What waits in several channels, or in all parts of a channel, together.
 *
 * @param parts undefined for a part that does not know the group
 * @returns undefined where no part knows it
 */
export function joinBacklogs(parts: readonly (Backlog | undefined)[]): Backlog | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  const ages = known.flatMap(({ oldestAgeMs }) => oldestAgeMs === undefined ? [] : [oldestAgeMs]);
  return {
    waiting: known.reduce((sum, { waiting }) => sum + waiting, 0),
    ...ages.length > 0 && { oldestAgeMs: Math.max(...ages) },
  };
}
