/**
 * What happens in a runtime, for clients that follow it.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { Feed } from "../messaging/feed/feed.ts";
import { type FeedLog, MemoryLog } from "../messaging/feed/feed_log.ts";
import { StoredLog } from "../messaging/feed/stored_log.ts";
import { jsonOf } from "../messaging/message_json.ts";
import type { Xo } from "../cqn/cqn.ts";
import type { LinkedDefinition } from "../model/linked.ts";
import { LiveStreams, type PayloadCondition } from "../service/live/live_data.ts";
import type { ServiceEvent } from "../service/requests/service_event.ts";
import type { Service } from "../service/service.ts";
import { transactionOf } from "../service/transactions/transaction.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import type { LiveEvents, RuntimeParts } from "./runtime_parts.ts";

/** Old events are looked for in this part of the time that they are kept, and behind this part of those that are kept. */
const TRIMMED = 0.1;

/** The events of one tenant. */
interface TenantFeed {
  readonly log: FeedLog;
  readonly feed: Feed;
  /** When old events were removed last by this process, and how many there were since. */
  trimmed?: { readonly at: number; recorded: number };
}

/**
 * What clients of a runtime may follow.
 *
 * @param runtime the runtime
 * @returns undefined where `fw.server.live` is `false`
 */
export function openLiveEvents(runtime: RuntimeParts): LiveEvents | undefined {
  const { live } = (runtime.env.server ?? {}) as { readonly live?: boolean };
  return live === false ? undefined : new KeptEvents(runtime);
}

/** Keeps the declared events of served services for clients. */
class KeptEvents implements LiveEvents {
  readonly streams: LiveStreams;
  readonly #runtime: RuntimeParts;
  readonly #tenants: Map<string | undefined, TenantFeed> = new Map();
  #trimming: Promise<void> = Promise.resolve();

  /** @param runtime whose events they are */
  constructor(runtime: RuntimeParts) {
    this.#runtime = runtime;
    this.streams = new LiveStreams(runtime.limits);
    runtime.events.on("reset", () => this.#forget());
  }

  feed(tenant: string | undefined): Feed {
    return this.#tenant(tenant).feed;
  }

  condition(event: LinkedDefinition, where: readonly Xo[]): PayloadCondition {
    const log = this.#runtime.log("odata");
    // few events have conditions, which need an engine
    return async (payload, context) => {
      const { payloadCondition } = await import("./payload_condition.ts");
      return await payloadCondition(event, where, log)(payload, context);
    };
  }

  forward(service: Service): void {
    for (const { name } of service.events) {
      service.on(name, (req) => {
        // of tools of the Model Context Protocol nobody follows anything
        if (service.endpoints.some(({ protocol }) => protocol !== "mcp")) return this.#record(req, name);
      });
    }
  }

  async close(): Promise<void> {
    this.streams.close();
    await this.#trimming;
    for (const { feed } of this.#tenants.values()) await feed.idle();
  }

  async leave(tenant: string): Promise<void> {
    this.streams.end(tenant);
    await this.#trimming;
    await this.#tenants.get(tenant)?.feed.idle();
    this.#tenants.delete(tenant);
  }

  #record(req: ServiceEvent, event: string): MaybePromise<void> {
    const data = this.#textOf(req, event);
    const transaction = transactionOf(req);
    if (data === undefined || !transaction) return;
    const tenant = this.#tenant(req.tenant);
    const pending = tenant.log.record({ event, data });
    transaction.afterCommit(() => {
      tenant.feed.look();
      this.#trim(tenant);
    });
    return pending;
  }

  #textOf({ data }: ServiceEvent, event: string): string | undefined {
    const { limits } = this.#runtime;
    const log = this.#runtime.log("service");
    try {
      const text = jsonOf(data) ?? "null";
      if (text.length <= limits.liveEventLength) return text;
      log.warn(
        `${event}: clients do not get a payload of ${text.length} characters ("fw.limits.liveEventLength")`,
      );
    } catch (error) {
      log.warn(`${event}: clients do not get a payload that is no JSON:`, error);
    }
    return undefined;
  }

  #tenant(given: EventContext["tenant"]): TenantFeed {
    const { db, queue, name, limits } = this.#runtime;
    // rows of a database in memory would not outlive the process either
    const isStored = db !== undefined && queue?.isFor(given) === true && !db.opened(given)?.isVolatile;
    let tenant = this.#tenants.get(given);
    if (tenant === undefined) {
      const log = isStored
        ? new StoredLog({ db, tenant: given, application: name, limits })
        : new MemoryLog(limits);
      const feed = new Feed(log, this.#runtime.log("messaging"));
      this.#tenants.set(given, tenant = { log, feed });
    }
    return tenant;
  }

  /** Removes old events now and then, and lets nobody wait for it. */
  #trim(tenant: TenantFeed): void {
    const { liveEvents, liveEventMs } = this.#runtime.limits;
    const now = Date.now();
    const { trimmed } = tenant;
    if (
      trimmed && now - trimmed.at <= liveEventMs * TRIMMED && ++trimmed.recorded <= liveEvents * TRIMMED
    ) return;
    tenant.trimmed = { at: now, recorded: 0 };
    this.#trimming = this.#trimming.then(() => tenant.feed.trim());
  }

  /** The rows are gone. */
  async #forget(): Promise<void> {
    this.streams.end();
    await this.#trimming;
    for (const { feed } of this.#tenants.values()) await feed.idle();
    this.#tenants.clear();
  }
}
