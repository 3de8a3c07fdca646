import assert from "node:assert/strict";
import { Reopening } from "../../../src/messaging/brokers/reopening.ts";
import { eventually } from "../../contract/channel.ts";
import { recordingLog } from "../channels.ts";

function reopened(open: (attempt: number, lost: Set<() => void>) => Promise<void>) {
  const lost = new Set<() => void>();
  const counts = { opened: 0, forgotten: 0 };
  const reopening = new Reopening({
    open: () => open(++counts.opened, lost),
    forget: () => void counts.forgotten++,
    lost,
    log: recordingLog(),
  });
  return { reopening, lost, counts };
}

Deno.test("what is lost again while it is being opened again is opened once more (messaging 7)", async () => {
  const { reopening, counts } = reopened((attempt, lost) => {
    reopening.watch();
    if (attempt === 1) { for (const listener of lost) listener(); }
    return Promise.resolve();
  });
  reopening.start();
  await eventually(() => counts.opened === 2);
  await reopening.stop();
  assert.deepEqual(counts, { opened: 2, forgotten: 2 });
});

Deno.test("what cannot be opened again is tried again until it is stopped", async () => {
  const { reopening, counts } = reopened((attempt) =>
    attempt < 3 ? Promise.reject(new Error("away")) : Promise.resolve()
  );
  reopening.start();
  await eventually(() => counts.opened === 3);
  await reopening.stop();
  reopening.start();
  assert.deepEqual(counts, { opened: 3, forgotten: 2 });
});

Deno.test("an attempt to open again comes after a fifth of a second, one at a time, and none behind the end", async () => {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Map<number, { readonly work: () => void; readonly ms?: number }>();
  let count = 0;
  globalThis.setTimeout = ((work: () => void, ms?: number) => {
    timers.set(++count, { work, ms });
    return count;
  }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((timer: number) => void timers.delete(timer)) as unknown as typeof clearTimeout;
  try {
    const gate = Promise.withResolvers<void>();
    const { reopening, lost, counts } = reopened(() => gate.promise);
    reopening.watch();
    assert.deepEqual([lost.size, timers.size], [1, 0]);
    for (const listener of lost) listener();
    reopening.start();
    assert.deepEqual([lost.size, [...timers.values()].map(({ ms }) => ms)], [0, [200]]);
    timers.get(1)!.work();
    let hasEnded = false;
    reopening.watch();
    const ending = reopening.stop().then(() => hasEnded = true);
    for (let step = 0; step < 10; step++) await Promise.resolve();
    assert.deepEqual([hasEnded, lost.size], [false, 0]);
    gate.resolve();
    await ending;
    assert.deepEqual([counts, timers.size], [{ opened: 1, forgotten: 2 }, 0]);
    const other = reopened(() => Promise.resolve());
    other.reopening.start();
    assert.equal(timers.size, 1);
    await other.reopening.stop();
    assert.deepEqual([timers.size, other.counts.opened], [0, 0]);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});
