/**
 * Who does the work of the outbox.
 *
 * @module
 */

import type { Query } from "../../cqn/cqn.ts";
import { unqueued } from "../../service/queue/queued_service.ts";
import type { Service } from "../../service/service.ts";
import type { StoredWork } from "./stored_work.ts";

/** When an attempt was the last one. */
export interface GiveUpRules {
  /** Attempts of a handler; a message that its channel refuses is given up when it is older than `maxAgeMs`, too. */
  readonly maxAttempts: number;
  /** Milliseconds since a message was stored. */
  readonly maxAgeMs: number;
}

/** Does queued work. */
export interface QueueTarget {
  /** Hands messages to a channel, in order; resolves when they are stored there. */
  readonly publish?: (works: readonly StoredWork[]) => Promise<void>;
  /** Does one piece of work in the current transaction. */
  readonly handle: (work: StoredWork) => Promise<unknown>;
  /** Its own rules. */
  readonly rules?: Partial<GiveUpRules>;
}

/** A service that takes queued work in its own way: a messaging service. */
interface WorkingService extends Service {
  /** Does the work. */
  readonly queueTarget: QueueTarget;
}

/**
 * Who does the work of a service: it calls the service as the caller would have.
 *
 * @param service the service
 */
export function queueTargetOf(service: Service): QueueTarget {
  if ("queueTarget" in service) return (service as WorkingService).queueTarget;
  // one that is queued by configuration would store the work again
  const original = unqueued(service);
  return {
    handle: async ({ kind, event = "", data, headers, request, query, params }) => {
      if (kind === "emit") await original.emit(event, data, headers);
      else if (kind === "run") await original.run(query as Query, params);
      else await (request ? original.send(request) : original.send(event, data, headers));
    },
    rules: rulesOf(service),
  };
}

/**
 * The rules that the configuration entry of a service gives.
 *
 * @param service the service
 */
export function rulesOf({ options }: Service): Partial<GiveUpRules> {
  const { maxAttempts, outboxed } = options;
  const own = typeof outboxed === "object" && outboxed !== null ? outboxed as Partial<GiveUpRules> : {};
  return { ...(typeof maxAttempts === "number" ? { maxAttempts } : {}), ...own };
}
