/**
 * An insert whose handler emits an event through the outbox, beside the same insert whose handler inserts a row for it
 * with a prepared statement.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { DatabaseSync } from "node:sqlite";
import { createRuntime, type Runtime, type ServiceRequest } from "../../mod.ts";
import { denoKinds } from "../../src/deno/mod.ts";
import type { Channel } from "../../src/messaging/channel.ts";
import type { Service } from "../../src/service/service.ts";
import { BENCH_MODEL } from "./bench_model.ts";

type Handler = (request: Request) => Promise<Response>;

/** Both sides, each with a database of its own in memory. */
export interface OutboxSides {
  readonly ours: Handler;
  readonly baseline: Handler;
  /** Resolves when all that was emitted is published, and removed from the outbox. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const definitions = {
  ...BENCH_MODEL.definitions,
  "BenchService.added": { kind: "event", elements: { ID: { key: true, type: "cds.Integer" } } },
} as const;

/** Takes every message at once: what is measured is the outbox. */
const NOWHERE: Channel = {
  kind: "nowhere",
  guarantees: {
    ...{ delivery: "at-most-once", survives: "nothing", order: "topic", dedupeWindowMs: 0 },
    ...{ maxMessageBytes: 1024 * 1024, delayedRetry: false, deadLetters: false, replay: false },
  },
  connect: () => Promise.resolve(),
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve({ close: () => Promise.resolve() }),
  close: () => Promise.resolve(),
};

/** Starts both sides. */
export async function outboxSides(): Promise<OutboxSides> {
  const emitting = create((srv, req) => srv.emit("added", { ID: keyOf(req) }));
  const insertRow = eventTable();
  const inserting = create((_, req) => insertRow(keyOf(req)));
  await emitting.start();
  await inserting.start();
  return {
    ours: inTurns(emitting.fetch),
    baseline: inTurns(inserting.fetch),
    settled: async () => await emitting.queue?.flush(),
    close: async () => {
      await emitting.close();
      await inserting.close();
    },
  };
}

/** Requests of the network come in turns of the event loop, between which others have theirs. */
const REQUESTS_PER_TURN = 5;

function inTurns(handler: Runtime["fetch"]): Handler {
  let count = 0;
  return async (request) => {
    if (++count % REQUESTS_PER_TURN === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    return await handler(request);
  };
}

const keyOf = ({ data }: ServiceRequest) => (data as { ID: number }).ID;

/** A table of events as somebody would write it by hand. */
function eventTable(): (ID: number) => void {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE Events (ID TEXT PRIMARY KEY, timestamp TEXT, topic TEXT, msg TEXT)");
  const insert = db.prepare("INSERT INTO Events VALUES (?, ?, ?, ?)");
  return (ID) => {
    const topic = "BenchService.added";
    insert.run(crypto.randomUUID(), new Date().toISOString(), topic, JSON.stringify({ topic, data: { ID } }));
  };
}

function create(tell: (srv: Service, req: ServiceRequest) => unknown): Runtime {
  return createRuntime({
    model: { definitions },
    kinds: { ...denoKinds, channels: { nowhere: () => () => NOWHERE } },
    env: {
      requires: { messaging: { kind: "nowhere" } },
      log: { levels: { default: "error" } },
    },
    handlers: {
      BenchService: (srv) => {
        srv.after("CREATE", "Books", async (_, req) => {
          await tell(srv, req);
        });
      },
    },
  });
}
