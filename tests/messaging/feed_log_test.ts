/** Events that clients may still ask for, as rows of a database. */

import assert from "node:assert/strict";
import { StoredLog } from "../../src/messaging/feed/stored_log.ts";
import { FEED_EVENTS, FEEDS } from "../../src/messaging/outbox/queue_model.ts";
import { inOwnTransaction } from "../../src/service/own_work.ts";
import { type Shop, withShop } from "./outbox_app.ts";

const START = Date.parse("2026-01-01T00:00:00Z");

/** Runs a test with a clock that it sets. */
async function withLog(
  run: (log: StoredLog, shop: Shop, clock: { ms: number }) => Promise<void>,
  limits = { liveEvents: 3, liveEventMs: 10_000 },
): Promise<void> {
  await withShop({}, async (shop) => {
    const clock = { ms: START };
    const now = Date.now;
    Date.now = () => clock.ms;
    const date = globalThis.Date;
    try {
      globalThis.Date = class extends date {
        constructor(...given: [] | [number]) {
          super(given.length === 0 ? clock.ms : given[0]);
        }
      } as DateConstructor;
      const log = new StoredLog({ db: shop.runtime.db!, tenant: undefined, application: "shop", limits });
      await run(log, shop, clock);
    } finally {
      globalThis.Date = date;
      Date.now = now;
    }
  });
}

/** Stores events, each in a transaction of its own. */
async function record(log: StoredLog, { runtime }: Shop, ...data: readonly string[]): Promise<void> {
  for (const one of data) {
    await inOwnTransaction(runtime.db!, undefined, async () => await log.record({ event: "E", data: one }));
  }
}

Deno.test("events have no place until somebody asks, then places behind each other from now on", () =>
  withLog(async (log, shop, clock) => {
    await record(log, shop, "a", "b");
    assert.deepEqual(await log.read(0, 10), []);
    await log.place();
    const first = START * 1000;
    assert.deepEqual(await log.read(0, 10), [
      { position: first + 1, event: "E", data: "a" },
      { position: first + 2, event: "E", data: "b" },
    ]);
    assert.deepEqual(await log.bounds(), { removed: first, last: first + 2 });
    await record(log, shop, "c");
    await log.place();
    clock.ms += 1000;
    await record(log, shop, "d", "e");
    await log.place();
    const later = (START + 1000) * 1000;
    assert.deepEqual((await log.read(first + 1, 10)).map(({ position, data }) => [position, data]), [
      [first + 2, "b"],
      [first + 3, "c"],
      [later + 1, "d"],
      [later + 2, "e"],
    ]);
    assert.deepEqual((await log.read(0, 2)).map(({ data }) => data), ["a", "b"]);
    assert.deepEqual(await log.bounds(), { removed: first, last: later + 2 });
  }));

Deno.test("a log without events has bounds from now on, which stay", () =>
  withLog(async (log, { rows }, clock) => {
    const now = START * 1000;
    assert.deepEqual(await log.bounds(), { removed: now, last: now });
    clock.ms += 1000;
    await log.place();
    assert.deepEqual(await log.bounds(), { removed: now, last: now });
    const [{ appid, last, removed }] = await rows(FEEDS) as [Record<string, unknown>];
    assert.deepEqual([appid, Number(last), Number(removed)], ["shop", now, now]);
    assert.equal(log.isShared, false, "the database is in memory");
  }));

Deno.test("where there are no events to place, nothing is written", () =>
  withLog(async (log, shop) => {
    await log.place();
    assert.deepEqual(await shop.rows(FEEDS), []);
    await record(log, shop, "a");
    await log.place();
    assert.equal((await shop.rows(FEEDS)).length, 1);
  }));

Deno.test("events that are too many or too old are removed, and up to where is known", () =>
  withLog(async (log, shop, clock) => {
    await record(log, shop, "a", "b", "c");
    await log.trim();
    assert.equal((await log.read(0, 10)).length, 3, "as many as are kept");
    await record(log, shop, "d");
    await log.trim();
    const kept = await log.read(0, 10);
    assert.deepEqual(kept.map(({ data }) => data), ["b", "c", "d"]);
    const { removed, last } = await log.bounds();
    assert.deepEqual([removed, last], [kept[0]!.position - 1, kept[2]!.position]);
    clock.ms += 10_000;
    await log.trim();
    assert.equal((await log.read(0, 10)).length, 3, "as old as they may be");
    clock.ms += 1;
    await log.trim();
    assert.deepEqual(await log.read(0, 10), []);
    assert.deepEqual(await log.bounds(), { removed: last, last });
    assert.deepEqual(await shop.rows(FEED_EVENTS), []);
  }));

Deno.test("events of other applications in the same table are left alone", () =>
  withLog(async (log, shop) => {
    const limits = { liveEvents: 0, liveEventMs: 0 };
    const other = new StoredLog({ db: shop.runtime.db!, tenant: undefined, application: "other", limits });
    await record(log, shop, "a");
    await record(other, shop, "b");
    await log.place();
    assert.deepEqual((await log.read(0, 10)).map(({ data }) => data), ["a"]);
    assert.deepEqual(await other.read(0, 10), []);
    await other.place();
    assert.deepEqual((await other.read(0, 10)).map(({ data }) => data), ["b"]);
    await other.trim();
    assert.deepEqual(await other.read(0, 10), []);
    assert.deepEqual((await log.read(0, 10)).map(({ data }) => data), ["a"]);
  }));
