/** The events of one tenant as its readers see them: what is read once, kept, looked for and told. */

import assert from "node:assert/strict";
import { Feed } from "../../src/messaging/feed/feed.ts";
import type { FeedLog } from "../../src/messaging/feed/feed_log.ts";
import type { FeedEntry } from "../../src/service/live/live_data.ts";
import { recordingLog } from "./channels.ts";

const entry = (position: number, length = 1): FeedEntry => ({
  position,
  event: "E",
  data: "x".repeat(length),
});

/** A log that tells what it was asked, and the feed that reads it. */
function feedOf(entries: FeedEntry[] = [], isShared = false) {
  const asked: string[] = [];
  const failing = { place: false, trim: false };
  const log: FeedLog = {
    isShared,
    record: () => {},
    place: () => (asked.push("place"), failing.place ? Promise.reject(new Error("away")) : Promise.resolve()),
    read: (after, limit) => {
      asked.push(`read ${after}`);
      return Promise.resolve(entries.filter(({ position }) => position > after).slice(0, limit));
    },
    bounds: () => Promise.resolve({ removed: 0, last: entries.at(-1)?.position ?? 0 }),
    trim: () => failing.trim ? Promise.reject(new Error("full")) : Promise.resolve(),
  };
  const logger = recordingLog();
  return { feed: new Feed(log, logger), asked, failing, entries, logger };
}

const positions = (entries: readonly FeedEntry[]) => entries.map(({ position }) => position);

/** Runs something with timers that fire when they are told to; gives those that were set. */
async function withTimers(
  run: (timers: { readonly ms: number; readonly fire: () => void; isCleared: boolean }[]) => Promise<void>,
): Promise<void> {
  const timers: { ms: number; fire: () => void; isCleared: boolean }[] = [];
  const { setInterval, clearInterval } = globalThis;
  globalThis.setInterval =
    ((fire: () => void, ms: number) =>
      timers.push({ fire, ms, isCleared: false })) as unknown as typeof setInterval;
  globalThis.clearInterval = ((id?: number) => {
    if (id !== undefined) timers[id - 1]!.isCleared = true;
  }) as typeof clearInterval;
  try {
    await run(timers);
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
}

Deno.test("a reader that enters gets the bounds of the log, and what was read is read once for all", async () => {
  const { feed, asked, entries } = feedOf([entry(1), entry(2), entry(3)]);
  let woken = 0;
  const wake = () => void woken++;
  assert.deepEqual(await feed.enter(wake), { removed: 0, last: 3 });
  assert.deepEqual(asked, ["place"]);
  assert.deepEqual(positions(await feed.read(1)), [2, 3]);
  await feed.idle();
  assert.deepEqual(asked, ["place", "read 1", "place", "read 3"]);
  assert.equal(woken, 0, "there was nothing more");
  assert.deepEqual(positions(await feed.read(2)), [3]);
  assert.deepEqual(positions(await feed.read(3)), []);
  assert.equal(asked.length, 4, "what is kept is not read again");
  assert.deepEqual(positions(await feed.read(0)), [1, 2, 3]);
  assert.equal(asked.at(-1), "read 0");
  entries.push(entry(4));
  feed.look();
  await feed.idle();
  assert.equal(woken, 1);
  assert.deepEqual(positions(await feed.read(2)), [3, 4]);
  assert.deepEqual(asked.slice(5), ["place", "read 3"]);
});

Deno.test("readers are woken by a look where nothing is kept yet, and nobody looks where there are none", async () => {
  const { feed, asked } = feedOf([entry(1)]);
  feed.look();
  await feed.idle();
  assert.deepEqual(asked, []);
  assert.deepEqual(positions(await feed.read(0)), [1]);
  await feed.idle();
  assert.deepEqual(asked, ["read 0"], "nothing is kept for nobody");
  let woken = 0;
  const wake = () => void woken++;
  await feed.enter(wake);
  feed.look();
  feed.look();
  await feed.idle();
  assert.deepEqual([woken, asked.slice(1)], [2, ["place", "place", "place"]]);
  feed.leave(wake);
  feed.look();
  await feed.idle();
  assert.equal(asked.length, 4);
});

Deno.test("a page has 500 entries, and only one that is not full is known to be the last", async () => {
  const { feed, asked, entries } = feedOf(Array.from({ length: 500 }, (_, n) => entry(n + 1)));
  await feed.enter(() => {});
  assert.equal((await feed.read(0)).length, 500);
  await feed.idle();
  assert.deepEqual(asked, ["place", "read 0"], "a full page says nothing of what is behind it");
  assert.equal((await feed.read(1)).length, 499);
  await feed.idle();
  entries.push(...Array.from({ length: 501 }, (_, n) => entry(n + 501)));
  feed.look();
  await feed.idle();
  assert.deepEqual(
    asked.slice(-4),
    ["place", "read 500", "place", "read 1000"],
    "a full page is read on from",
  );
  const kept = await feed.read(1);
  assert.deepEqual([kept.length, kept[0]!.position, kept.at(-1)!.position], [500, 2, 501]);
});

Deno.test("a thousand entries are kept, and four million characters", async () => {
  const { feed, asked, entries } = feedOf([entry(1)]);
  await feed.enter(() => {});
  await feed.read(0);
  for (const count of [500, 499, 1]) {
    const last = entries.at(-1)!.position;
    entries.push(...Array.from({ length: count }, (_, n) => entry(last + n + 1)));
    feed.look();
    await feed.idle();
  }
  const before = asked.length;
  assert.deepEqual(positions(await feed.read(1)).slice(0, 2), [2, 3], "the last thousand of 1,001");
  assert.equal(asked.length, before);
  await feed.read(0);
  assert.equal(asked.at(-1), "read 0");

  const half = 2 * 1024 * 1024;
  const large = feedOf([entry(1, half), entry(2, half), entry(3, 1)]);
  await large.feed.enter(() => {});
  await large.feed.read(0);
  await large.feed.idle();
  const known = large.asked.length;
  assert.deepEqual(positions(await large.feed.read(1)), [2, 3]);
  assert.equal(large.asked.length, known);
  await large.feed.read(0);
  assert.equal(large.asked.at(-1), "read 0");
  const fitting = feedOf([entry(1, half), entry(2, half)]);
  await fitting.feed.enter(() => {});
  await fitting.feed.read(0);
  await fitting.feed.idle();
  assert.deepEqual(positions(await fitting.feed.read(0)), [1, 2]);
  assert.deepEqual(fitting.asked, ["place", "read 0", "place", "read 2"]);
});

Deno.test("events of other processes are looked for twice a second while somebody reads", () =>
  withTimers(async (timers) => {
    const { feed, asked, entries } = feedOf([entry(1)], true);
    let woken = 0;
    const wakes = [() => void woken++, () => void woken++];
    for (const wake of wakes) await feed.enter(wake);
    assert.deepEqual(timers.map(({ ms }) => ms), [500]);
    await feed.read(0);
    await feed.idle();
    entries.push(entry(2));
    timers[0]!.fire();
    await feed.idle();
    assert.deepEqual([woken, asked.at(-1)], [2, "read 1"]);
    feed.leave(wakes[0]!);
    assert.equal(timers[0]!.isCleared, false);
    feed.leave(wakes[1]!);
    assert.equal(timers[0]!.isCleared, true);
    await feed.enter(wakes[0]!);
    assert.equal(timers.length, 2, "polling begins again");
    const known = asked.length;
    await feed.read(0);
    assert.equal(asked[known], "read 0", "what was kept is gone with the last reader");
    feed.leave(wakes[0]!);
    await feed.idle();
  }));

Deno.test("nobody polls a log of this process alone", () =>
  withTimers(async (timers) => {
    await feedOf([entry(1)]).feed.enter(() => {});
    assert.deepEqual(timers, []);
  }));

Deno.test("a reader that cannot enter does not stay", async () => {
  const { feed, asked, failing } = feedOf();
  failing.place = true;
  await assert.rejects(feed.enter(() => assert.fail("woken")), { message: "away" });
  failing.place = false;
  feed.look();
  await feed.idle();
  assert.deepEqual(asked, ["place"]);
});

Deno.test("a log that cannot be trimmed is told, and does no harm", async () => {
  const { feed, failing, logger } = feedOf();
  await feed.trim();
  assert.equal(logger.lines.length, 0);
  failing.trim = true;
  await feed.trim();
  assert.deepEqual(logger.lines.map(([text, error]) => [text, (error as Error).message]), [
    ["Cannot remove old events:", "full"],
  ]);
});
