/**
 * An insert whose handler emits an event through the outbox, beside the same insert without the event.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { createRuntime, type Runtime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/mod.ts";
import type { Channel } from "../../src/messaging/channel.ts";
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
  const emitting = create(true);
  const plain = create(false);
  await emitting.start();
  await plain.start();
  return {
    ours: inTurns(emitting.fetch),
    baseline: inTurns(plain.fetch),
    settled: async () => await emitting.queue?.flush(),
    close: async () => {
      await emitting.close();
      await plain.close();
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

function create(emits: boolean): Runtime {
  return createRuntime({
    model: { definitions },
    kinds: { ...denoKinds, channels: { nowhere: () => () => NOWHERE } },
    env: {
      requires: { messaging: { kind: "nowhere" } },
      log: { levels: { default: "error" } },
    },
    handlers: {
      BenchService: (srv) => {
        if (emits) {
          srv.after(
            "CREATE",
            "Books",
            (_, req) => srv.emit("added", { ID: (req.data as { ID: number }).ID }),
          );
        }
      },
    },
  });
}
