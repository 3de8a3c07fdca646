/**
 * The tables of outbox, inbox and feed (`messaging` 6).
 *
 * @module
 */

import type { Csn } from "../../model/csn.ts";

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
 */
export function withQueueTables(csn: Csn): Csn {
  const { definitions } = csn;
  // local names are first those of the project: fw.entities.Messages is its own
  return { ...csn, definitions: { ...definitions, ...QUEUE_DEFINITIONS, ...definitions } };
}
