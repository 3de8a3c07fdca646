import type { Csn } from "../../model/csn.ts";
import type { Query } from "../../cqn/cqn.ts";
import { unqueued } from "../../service/queue/queued_service.ts";
import type { Service } from "../../service/service.ts";
import type { StoredWork } from "./stored_work.ts";

/** Name of the table of the outbox. */
export const OUTBOX_MESSAGES = "fw.outbox.Messages";
/** Name of the table of the inbox. */
export const INBOX_MESSAGES = "fw.inbox.Messages";
/** Name of the table of events that clients may still ask for. */
export const FEED_EVENTS = "fw.outbox.Events";
/** Name of the table with the positions of feeds: one row for each application. */
export const FEEDS = "fw.outbox.Feeds";

const text = { type: "cds.String", length: 255 } as const;
const time = { type: "cds.Timestamp" } as const;
const large = { type: "cds.LargeString" } as const;
const zero = { type: "cds.Integer", default: { val: 0 } } as const;

/** The definitions that a runtime with a database adds to its model. */
const QUEUE_DEFINITIONS: NonNullable<Csn["definitions"]> = {
  [OUTBOX_MESSAGES]: {
    kind: "entity",
    "@assert.unique.seq": ["seq"],
    // claims read the rows of a service in their order, and those that hold up a key, without looking at a backlog
    "@fw.index.claimed": ["appid", "target", "status", "seq"],
    "@fw.index.delayed": ["due"],
    "@fw.index.locked": ["lockedUntil"],
    elements: {
      ID: { key: true, type: "cds.UUID" },
      timestamp: time,
      target: text,
      msg: large,
      attempts: zero,
      partition: zero,
      lastError: large,
      lastAttemptTimestamp: time,
      status: { type: "cds.String", length: 23 },
      task: text,
      appid: text,
      seq: { type: "cds.Int64" },
      lockedBy: text,
      lockedUntil: time,
      due: time,
    },
  },
  [INBOX_MESSAGES]: {
    kind: "entity",
    "@fw.index.received": ["receivedAt"],
    elements: {
      source: { key: true, type: "cds.String", length: 1024 },
      id: { key: true, ...text },
      group: { key: true, ...text },
      receivedAt: time,
      status: { type: "cds.String", length: 23 },
    },
  },
  [FEED_EVENTS]: {
    kind: "entity",
    "@assert.unique.seq": ["seq"],
    "@fw.index.placed": ["appid", "position"],
    elements: {
      ID: { key: true, type: "cds.UUID" },
      appid: text,
      seq: { type: "cds.Int64" },
      position: { type: "cds.Int64" },
      event: { type: "cds.String", length: 512 },
      at: time,
      data: large,
    },
  },
  [FEEDS]: {
    kind: "entity",
    elements: {
      appid: { key: true, ...text },
      last: { type: "cds.Int64" },
      removed: { type: "cds.Int64" },
      at: time,
    },
  },
};

/**
 * A model with the tables of outbox, inbox and feed. Definitions that it has already stay.
 *
 * @param csn the model of an application
 * @param others tables beside them
 */
export function withQueueTables(csn: Csn, others: Csn["definitions"] = {}): Csn {
  const { definitions } = csn;
  // local names are first those of the project: fw.entities.Messages is its own
  return { ...csn, definitions: { ...definitions, ...QUEUE_DEFINITIONS, ...others, ...definitions } };
}

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
