/** How many rows a worker of an outbox claims at once, and when it looks for more (messaging 6.3), over rows that a test gives. */

import assert from "node:assert/strict";
import { type ChunkCost, ChunkSize } from "../../src/messaging/outbox/dispatch_state.ts";
import { Dispatcher } from "../../src/messaging/outbox/dispatcher.ts";
import type { MessageStore } from "../../src/messaging/outbox/message_store.ts";
import type { OutboxMessage, StoredWork } from "../../src/messaging/outbox/stored_work.ts";
import { recordingLog } from "./channels.ts";

/** What a worker does with some rows that wait: its claims, what it learns of chunks, and what is published. */
async function worked(count: number, failing?: { readonly error: Error; readonly from: number }) {
  const claims: { readonly limit: number; readonly done: readonly string[] }[] = [];
  const learned: Pick<ChunkCost, "rows" | "characters">[] = [];
  const published: number[] = [];
  const removed: string[] = [];
  const givenBack: string[] = [];
  let next = 0;
  const store = {
    leaseMs: 60_000,
    claim: (_target: string, limit: number, done: readonly string[]) => {
      claims.push({ limit, done });
      const messages = Array.from({ length: Math.min(limit, count - next) }, () => messageOf(next++));
      return Promise.resolve({ messages, characters: messages.length * 3 });
    },
    remove: (ids: readonly string[]) => Promise.resolve(void removed.push(...ids)),
    giveBack: (ids: readonly string[]) => Promise.resolve(void givenBack.push(...ids)),
  };
  const publish = (works: readonly StoredWork[]) => {
    const numbers = works.map(({ data }) => data as number);
    if (failing && numbers.some((n) => n >= failing.from)) return Promise.reject(failing.error);
    return Promise.resolve(void published.push(...numbers));
  };
  const { learn } = ChunkSize.prototype;
  ChunkSize.prototype.learn = function ({ rows, characters, ...more }) {
    learned.push({ rows, characters });
    learn.call(this, { rows, characters, ...more, elapsedMs: 0 });
  };
  const dispatcher = new Dispatcher({
    ...{ target: "T", store: store as unknown as MessageStore, retryDelayMs: () => 3_600_000 },
    connect: () => Promise.resolve({ publish, handle: () => Promise.reject(new Error("is published")) }),
    rules: { maxAttempts: 3, maxAgeMs: 3_600_000 },
    root: { log: recordingLog() } as never,
  });
  try {
    dispatcher.wake();
    await dispatcher.idle();
  } finally {
    ChunkSize.prototype.learn = learn;
    await dispatcher.stop();
  }
  return { limits: claims.map(({ limit }) => limit), claims, learned, published, removed, givenBack };
}

function messageOf(n: number): OutboxMessage {
  const now = new Date().toISOString();
  return {
    ...{ ID: `m${n}`, target: "T", timestamp: now, attempts: 0, partition: 0, task: null, due: now },
    ...{ lastError: null, lastAttemptTimestamp: null, status: null },
    work: { service: "T", kind: "publish", event: "e", data: n } as unknown as StoredWork,
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const ids = (from: number, to: number) => numbers(to - from).map((n) => `m${from + n}`);

Deno.test("only full chunks tell how large chunks may be, and more is looked for behind them only", async () => {
  const few = await worked(9);
  assert.deepEqual([few.limits, few.learned, few.published], [[10], [], numbers(9)]);
  assert.deepEqual(few.removed, ids(0, 9));
  const full = await worked(10);
  assert.deepEqual([full.limits, full.learned], [[10, 10], [{ rows: 10, characters: 30 }]]);
  assert.deepEqual(full.claims.map(({ done }) => done), [[], ids(0, 10)]);
  assert.deepEqual(full.removed, [], "the next claim has removed them");
  const many = await worked(45);
  assert.deepEqual(many.limits, [10, 10, 20, 40]);
  assert.deepEqual(many.learned.map(({ rows }) => rows), [10, 10, 20]);
  assert.deepEqual([many.published, many.removed], [numbers(45), ids(40, 45)]);
});

Deno.test("a full chunk that goes back as the channel is away tells nothing, and nothing is claimed behind it", async () => {
  const error = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const { limits, learned, givenBack, published, removed } = await worked(20, { error, from: 10 });
  assert.deepEqual([limits, learned.length], [[10, 10], 1]);
  assert.deepEqual([published, givenBack, removed], [numbers(10), ids(10, 20), []]);
});
