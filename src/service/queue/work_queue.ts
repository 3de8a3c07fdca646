/**
 * Work that is stored with the transaction of its caller and done after the commit (`messaging` 6).
 *
 * @module
 */

import type { Query, QueryParams } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { SendProperties } from "../requests/send_properties.ts";

/** What is kept of the user who sent a message that is handled later. */
export interface StoredSender {
  /** Id of the user. */
  readonly id: string;
  /** Roles of the user. */
  readonly roles: readonly string[];
  /** Attributes of the user. */
  readonly attr: Readonly<Record<string, unknown>>;
  /** Tenant of the user. */
  readonly tenant?: string;
  /** Feature toggles of the user. */
  readonly features: readonly string[];
  /** Whether the user passes every check. */
  readonly isPrivileged: boolean;
}

/** A call of a service, to be made later. */
export interface QueuedWork {
  /** Name of the service. */
  readonly service: string;
  /**
   * What is done: `emit`, `send` and `run` call the service; `publish` hands a message to the channel of a messaging service,
   * `receive` one that came from there to its handlers.
   */
  readonly kind: "emit" | "send" | "run" | "publish" | "receive";
  /** Name of the event, or topic of the message. */
  readonly event?: string;
  /** The payload. */
  readonly data?: unknown;
  /** Headers of the message. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Name of the channel, where the messaging service divides its messages among several: each is worked for by itself. */
  readonly channel?: string;
  /** Work of one key is done in order. */
  readonly key?: string;
  /** What `send` was given beyond event, data and headers. */
  readonly request?: SendProperties;
  /** What `run` was given. */
  readonly query?: Query | readonly Query[];
  /** Values of the parameters of the query. */
  readonly params?: QueryParams;
  /** Who sent a message that came from a channel which knows its senders: its handlers have no other rights. */
  readonly sender?: StoredSender;
  /** Milliseconds from the end of one run of a task to the next one. */
  readonly every?: number;
}

/** When queued work is done. */
export interface QueueTiming {
  /** Milliseconds to wait. */
  readonly after?: number;
  /** Name of a task: there is one of a name, the last one wins. */
  readonly task?: string;
  /** Whether who does the work keeps it in a durable way: where the outbox is in memory, the commit waits for that. */
  readonly isKept?: boolean;
}

/** Stores work; the outbox of a runtime. */
export interface WorkQueue {
  /** How long a process may be silent before others take over what it does, in milliseconds. */
  readonly leaseMs: number;
  /**
   * Whether there is a database to store work of a tenant in.
   *
   * @param tenant the tenant, if there is one
   */
  isFor(tenant: string | undefined): boolean;
  /**
   * Whether stored work is gone when the process ends; undefined where tenants have databases of their own.
   */
  isVolatile(): Promise<boolean | undefined>;
  /**
   * Stores work in the transaction of the current context, or in one of its own.
   *
   * @param work the call
   * @param timing when it is made; default: after the commit
   */
  enqueue(work: QueuedWork, timing?: QueueTiming): MaybePromise<void>;
  /** Does what is due, and resolves when it is done or has failed. */
  flush(): Promise<void>;
  /**
   * Keeps work that was given up elsewhere as dead letter.
   *
   * @param work the call
   * @param failure how often it was tried, and why it failed
   */
  bury(work: QueuedWork, failure: { readonly attempts: number; readonly reason: string }): Promise<void>;
}

/** What may have an outbox: a service. */
export interface QueueOwner {
  /** Name of the service. */
  readonly name: string;
  /** The runtime. */
  readonly host: { readonly queue?: WorkQueue };
}

/**
 * The outbox of a service.
 *
 * @param service the service
 * @throws ConfigurationError if its runtime has none
 */
export function queueOf({ name, host }: QueueOwner): WorkQueue {
  if (host.queue) return host.queue;
  throw new ConfigurationError(
    `"${name}" cannot be queued: the outbox needs a database ("fw.requires.db"), and "fw.outbox" must not be false`,
  );
}
