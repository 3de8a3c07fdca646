import assert from "node:assert/strict";
import { Lease, type MessageStore } from "../../src/messaging/outbox/message_store.ts";
import type { OutboxMessage } from "../../src/messaging/outbox/stored_work.ts";
import { eventually } from "../contract/channel.ts";
import { withClock } from "../security/clock.ts";

const rows = (...ids: string[]) => ids.map((ID) => ({ ID }) as OutboxMessage);

Deno.test("a worker that could not renew its lease for long does not count on its rows (messaging 6.3)", () =>
  withClock((forward) => {
    const lease = new Lease({ leaseMs: 6_000 } as MessageStore, rows("1"));
    try {
      const validAfter = (ms: number) => {
        forward(ms);
        return lease.isValid;
      };
      assert.deepEqual([0, 4_999, 1, 1_000].map(validAfter), [true, true, false, false]);
    } finally {
      lease.end();
    }
    return Promise.resolve();
  }));

Deno.test("a lease is renewed three times in its time", () => {
  const { setInterval } = globalThis;
  const asked: (number | undefined)[] = [];
  globalThis.setInterval = ((_: () => void, ms?: number) => asked.push(ms)) as unknown as typeof setInterval;
  try {
    new Lease({ leaseMs: 6_000 } as MessageStore, rows("1"));
  } finally {
    globalThis.setInterval = setInterval;
  }
  assert.deepEqual(asked, [2_000]);
});

/** A store whose renewals a test looks at and lets fail. */
function renewals(leaseMs: number) {
  const renewed: string[][] = [];
  const store = {
    leaseMs,
    isBusy: false,
    renewed,
    renew: (ids: readonly string[]) => {
      renewed.push([...ids]);
      return store.isBusy ? Promise.reject(new Error("busy")) : Promise.resolve();
    },
  };
  return store;
}

Deno.test("a lease is renewed for the rows that are not settled, until all of them are or it ends", () =>
  withClock(async () => {
    const store = renewals(30);
    const lease = new Lease(store as unknown as MessageStore, rows("a", "b"));
    await eventually(() => store.renewed.length >= 1);
    lease.settle(["a"]);
    const before = store.renewed.length;
    await eventually(() => store.renewed.length > before);
    assert.deepEqual([store.renewed[0], store.renewed.at(-1), lease.open], [["a", "b"], ["b"], ["b"]]);
    lease.settle(["b"]);
    const all = store.renewed.length;
    await new Promise((go) => setTimeout(go, 50));
    assert.equal(store.renewed.length, all);
    lease.end();
  }));

Deno.test("a lease counts from the moment before it was renewed; one that could not be renewed ends in its time", () =>
  withClock(async (forward) => {
    const store = renewals(60);
    const lease = new Lease(store as unknown as MessageStore, rows("a"));
    try {
      forward(49);
      const before = store.renewed.length;
      await eventually(() => store.renewed.length > before + 1);
      forward(49);
      assert.equal(lease.isValid, true);
      store.isBusy = true;
      forward(1);
      const busy = store.renewed.length;
      await eventually(() => store.renewed.length > busy + 1);
      assert.equal(lease.isValid, false);
    } finally {
      lease.end();
    }
  }));
