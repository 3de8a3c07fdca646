/** Rows of the outbox that a worker settles, and its lease on them (messaging 6.3). */

import assert from "node:assert/strict";
import type { Query } from "../../src/cqn/cqn.ts";
import { Lease, MessageStore, type MessageStoreOptions } from "../../src/messaging/outbox/message_store.ts";
import type { OutboxMessage } from "../../src/messaging/outbox/stored_work.ts";
import { withClock } from "../security/clock.ts";

/** A store in a transaction whose queries are answered one after the other. */
function storeOf(...answers: unknown[]) {
  const queries: Query[] = [];
  const engine = { run: (query: Query) => Promise.resolve((queries.push(query), answers.shift())) };
  const db = { withEngine: (run: (one: typeof engine) => unknown) => run(engine) };
  const store = new MessageStore({
    ...{ tenant: undefined, application: "shop", owner: "me", leaseMs: 900 },
    db: db as unknown as MessageStoreOptions["db"],
  });
  return { store, queries };
}

Deno.test("work is settled where its row is the worker's, or where its task was scheduled anew meanwhile", async () => {
  const cases: readonly (readonly [answers: readonly unknown[], settled: boolean, kinds: string])[] = [
    [[1], true, "DELETE"],
    [["1"], true, "DELETE"],
    [[0, null], false, "DELETE SELECT"],
    [[0, { ID: "a" }], true, "DELETE SELECT"],
  ];
  for (const [answers, settled, kinds] of cases) {
    const { store, queries } = storeOf(...answers);
    assert.equal(await store.settleHere("a"), settled);
    assert.equal(queries.map((query) => Object.keys(query)[0]).join(" "), kinds);
  }
  const { store, queries } = storeOf(1);
  assert.equal(await store.settleHere("a", { attempts: 0 }), true);
  const [{ UPDATE }] = queries as unknown as [{ UPDATE: { data: unknown } }];
  assert.deepEqual(UPDATE.data, { lockedBy: null, lockedUntil: null, attempts: 0 });
});

Deno.test("a look for a task that was scheduled anew is one for its free row", async () => {
  const { store, queries } = storeOf(0, null);
  await store.settleHere("a");
  const { SELECT } = queries[1] as unknown as { SELECT: { where: unknown; one: boolean } };
  assert.equal(SELECT.one, true);
  assert.deepEqual(SELECT.where, [
    ...[{ ref: ["ID"] }, "=", { val: "a" }, "and", { ref: ["task"] }, "is", "not", "null"],
    ...["and", { ref: ["lockedBy"] }, "is", "null"],
  ]);
});

/** A lease on two rows, whose renewal a test calls itself. */
async function leasing(
  renew: (ids: readonly string[]) => Promise<void>,
  run: (lease: Lease, timer: { ms: number; tick: () => void; cleared: unknown[] }) => Promise<void>,
): Promise<void> {
  const { setInterval, clearInterval } = globalThis;
  const timer = { ms: 0, tick: () => {}, cleared: [] as unknown[] };
  globalThis.setInterval = ((tick: () => void, ms: number) => {
    Object.assign(timer, { tick, ms });
    return 7;
  }) as unknown as typeof setInterval;
  globalThis.clearInterval = ((id: unknown) => void timer.cleared.push(id)) as typeof clearInterval;
  try {
    const store = { leaseMs: 900, renew } as unknown as MessageStore;
    await run(new Lease(store, [{ ID: "a" }, { ID: "b" }] as OutboxMessage[]), timer);
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
}

Deno.test("a lease is renewed three times in its time, for the rows that are not settled", async () => {
  const renewed: (readonly string[])[] = [];
  await leasing((ids) => Promise.resolve(void renewed.push(ids)), async (lease, timer) => {
    assert.equal(timer.ms, 300);
    timer.tick();
    lease.settle(["a", "unknown"]);
    assert.deepEqual(lease.open, ["b"]);
    timer.tick();
    lease.settle(["b"]);
    timer.tick();
    assert.deepEqual(renewed, [["a", "b"], ["b"]]);
    lease.end();
    assert.deepEqual(timer.cleared, [7]);
    await Promise.resolve();
  });
});

Deno.test("a lease is sure until a sixth of its time before its end, from the last renewal that succeeded", () =>
  withClock(async (forward) => {
    let fails = false;
    await leasing(
      () => fails ? Promise.reject(new Error("busy")) : Promise.resolve(),
      async (lease, timer) => {
        forward(749);
        assert.equal(lease.isValid, true);
        forward(1);
        assert.equal(lease.isValid, false);
        timer.tick();
        assert.equal(lease.isValid, false, "not renewed yet");
        for (let step = 0; step < 5; step++) await Promise.resolve();
        assert.equal(lease.isValid, true);
        fails = true;
        forward(700);
        timer.tick();
        for (let step = 0; step < 5; step++) await Promise.resolve();
        assert.equal(lease.isValid, true);
        forward(50);
        assert.equal(lease.isValid, false);
      },
    );
  }));
