import assert from "node:assert/strict";
import { LiveStream, LiveStreams, LookTurns } from "../../src/service/live/live_data.ts";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

Deno.test("streams look for changes in the order in which they ask, four at a time", async () => {
  const turns = new LookTurns();
  const order: number[] = [];
  let [running, most] = [0, 0];
  const looks = Array.from({ length: 12 }, (_, n) =>
    turns.take(new LiveStream(Infinity), async () => {
      order.push(n);
      most = Math.max(most, ++running);
      await pause(2);
      running--;
      return n;
    }));
  assert.deepEqual(await Promise.all(looks), Array.from({ length: 12 }, (_, n) => n));
  assert.deepEqual(order, Array.from({ length: 12 }, (_, n) => n));
  assert.equal(most, 4);
});

Deno.test("a place rests behind a look, a look that fails leaves its place", async () => {
  const turns = new LookTurns();
  const begun: number[] = [];
  const looks = Array.from({ length: 8 }, () =>
    turns.take(new LiveStream(Infinity), async () => {
      begun.push(performance.now());
      await pause(5);
      throw new Error("no answer");
    }));
  for (const look of await Promise.allSettled(looks)) assert.equal(look.status, "rejected");
  // nine times as long as it has taken
  assert.ok(begun[4]! - begun[0]! >= 45, `${begun[4]! - begun[0]!} ms`);
});

Deno.test("streams that are over look no more, and those of a process that ends do not wait", async () => {
  const streams = new LiveStreams({ liveStreams: 100, liveStreamsOfUser: 100, liveStreamMs: 60_000 });
  const open = Array.from({ length: 10 }, () => new LiveStream(Infinity));
  let looked = 0;
  const looks = open.map((stream) =>
    streams.looks.take(stream, async () => {
      looked++;
      await pause(20);
    })
  );
  await pause(0);
  for (const stream of open) stream.end();
  streams.close();
  await Promise.all(looks);
  assert.equal(looked, 4);
});

Deno.test("where nobody waits any more no time is waited for, which would keep a process that ends", async () => {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Set<unknown>();
  const turns = new LookTurns();
  const look = (ms: number) => turns.take(new LiveStream(Infinity), () => pause(ms));
  await Promise.all(Array.from({ length: 4 }, () => look(100)));
  globalThis.setTimeout = ((run: () => void, ms: number) => {
    const timer = setTimeout(() => (timers.delete(timer), run()), ms);
    timers.add(timer);
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => (timers.delete(timer), clearTimeout(timer));
  try {
    const waiting = [look(0), look(0)];
    assert.equal(timers.size, 1, "one time is waited for, however many wait");
    turns.release();
    await Promise.all(waiting);
    assert.equal(timers.size, 0);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});
