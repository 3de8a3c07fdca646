/**
 * The extension point of message channels.
 *
 * @module
 */

/** A message on its way. */
export interface Message<D = unknown> {
  /** `@topic`, else the fully qualified event name; at most 512 characters, no white space or control characters. */
  readonly topic: string;
  readonly data: D;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly tenant?: string;
  /** Messages of one key keep their order. */
  readonly key?: string;
}

/** A message handed to a consumer, to be settled by exactly one of `ack` and `nack`. */
export interface Delivery {
  readonly message: Message;
  /** How often this message was delivered to this group, this time included. */
  readonly deliveries: number;
  ack(): Promise<void>;
  nack(options?: { delayMs?: number; dead?: boolean; reason?: string }): Promise<void>;
  /** Asks for more time before the message is given to somebody else. */
  extend(): Promise<void>;
}

/** What a channel promises in its running configuration; printed at start and checked by the contract suite. */
export interface Guarantees {
  readonly delivery: "at-most-once" | "at-least-once";
  readonly survives: "nothing" | "process crash" | "host crash";
  readonly order: "none" | "key" | "topic";
  readonly dedupeWindowMs: number;
  readonly maxMessageBytes: number;
  readonly delayedRetry: boolean;
  readonly deadLetters: boolean;
  readonly replay: boolean;
}

/** What a consumer wants from a channel. */
export interface Subscription {
  /** The consumer group: its instances share the work, every other group gets every message. */
  readonly group: string;
  readonly topics: readonly string[] | "*";
  readonly concurrency: number;
}

/** A message channel. */
export interface Channel {
  readonly kind: string;
  readonly guarantees: Guarantees;
  /** What is promised, in words; printed at start. */
  readonly notice?: string;
  /**
   * Refuses an event that this channel cannot carry, before anything is stored.
   *
   * @throws ServiceError `NO_ROUTE` if a composite channel has no route for it
   */
  assertRoute?(topic: string): void;
  connect(signal?: AbortSignal): Promise<void>;
  /** Resolves when the messages are stored, never before. */
  publish(messages: readonly Message[]): Promise<void>;
  subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }>;
  close(options?: { drainMs: number }): Promise<void>;
}
