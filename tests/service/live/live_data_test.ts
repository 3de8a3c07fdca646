import assert from "node:assert/strict";
import { EventContext, User } from "../../../mod.ts";
import { LiveStream, LiveStreams } from "../../../src/service/live/live_data.ts";

const LIMITS = { liveStreams: 4, liveStreamsOfUser: 2, liveStreamMs: 60_000 };

function contextOf(id?: string, tenant?: string, claims?: object): EventContext {
  const user = id === undefined ? User.anonymous : Object.assign(new User({ id }), { authInfo: claims });
  return EventContext.for({ user, tenant });
}

const TOO_MANY = { status: 429, code: "TOO_MANY_STREAMS" };

Deno.test("each user has a number of streams, in each tenant, until all together are too many", () => {
  const streams = new LiveStreams(LIMITS);
  const [ann, sameName] = [contextOf("ann", "t1"), contextOf("ann", "t2")];
  const first = streams.open(ann);
  streams.open(ann);
  assert.throws(() => streams.open(ann), TOO_MANY);
  streams.open(sameName);
  streams.remove(first);
  assert.equal(first.isOver, true);
  streams.open(ann);
  streams.open(contextOf("bob", "t1"));
  assert.equal(streams.size, 4);
  assert.throws(() => streams.open(contextOf("cid", "t1")), TOO_MANY);
});

Deno.test("clients without login share half of all streams", () => {
  const streams = new LiveStreams({ ...LIMITS, liveStreams: 5, liveStreamsOfUser: 1 });
  for (let open = 0; open < 3; open++) streams.open(contextOf());
  assert.throws(() => streams.open(contextOf()), TOO_MANY);
  streams.open(contextOf("ann"));
  assert.equal(streams.size, 4);
});

Deno.test("streams of one tenant end, or all, and those that are opened while the process ends", () => {
  const streams = new LiveStreams(LIMITS);
  const [one, other, none] = [
    streams.open(contextOf("a", "t1")),
    streams.open(contextOf("a", "t2")),
    streams.open(contextOf("a")),
  ];
  const over = () => [one, other, none].map(({ isOver }) => isOver);
  assert.deepEqual(over(), [false, false, false]);
  streams.end("t1");
  assert.deepEqual(over(), [true, false, false]);
  streams.end();
  assert.deepEqual(over(), [true, true, true]);
  assert.equal(streams.open(contextOf("b", "t1")).isOver, false);
  streams.remove(one);
  streams.close();
  assert.equal(streams.open(contextOf("c", "t1")).isOver, true);
});

Deno.test("a stream ends with the token of its user, and with its time", () => {
  const streams = new LiveStreams({ ...LIMITS, liveStreams: 10, liveStreamsOfUser: 10 });
  const seconds = Math.floor(Date.now() / 1000);
  const isOver = (claims?: object) => streams.open(contextOf("ann", undefined, claims)).isOver;
  assert.deepEqual([isOver({ exp: seconds - 1 }), isOver({ exp: seconds + 60 })], [true, false]);
  assert.deepEqual([isOver({ exp: "soon" }), isOver({}), isOver()], [false, false, false]);
  assert.deepEqual([new LiveStream(Date.now()).isOver, new LiveStream(Date.now() + 60_000).isOver], [
    true,
    false,
  ]);
});

Deno.test("a stream sleeps until it is woken or ends, not at all where that has happened before", async () => {
  const stream = new LiveStream(Date.now() + 60_000);
  stream.wake();
  await stream.sleep(60_000);
  for (const stir of [stream.wake, () => stream.end()]) {
    let isAsleep = true;
    const sleeping = stream.sleep(60_000).then(() => isAsleep = false);
    await Promise.resolve();
    assert.equal(isAsleep, true);
    stir();
    await sleeping;
  }
  await stream.sleep(60_000);
  await new LiveStream(Date.now() - 1).sleep(60_000);
});

Deno.test("streams that watch are woken when something was written, and no longer when they are gone", async () => {
  const streams = new LiveStreams(LIMITS);
  const [watching, other] = [streams.open(contextOf("a")), streams.open(contextOf("a"))];
  streams.watch(watching);
  streams.touch();
  await watching.sleep(60_000);
  let isAsleep = true;
  const sleeping = other.sleep(60_000).then(() => isAsleep = false);
  streams.touch();
  await Promise.resolve();
  assert.equal(isAsleep, true);
  streams.end();
  await sleeping;
});

Deno.test("looks have their turn one after the other, beside a few others, and none where the stream is over", async () => {
  const { looks } = new LiveStreams(LIMITS);
  const stream = new LiveStream(Date.now() + 60_000);
  assert.equal(await looks.take(stream, () => Promise.resolve("seen")), "seen");
  await assert.rejects(looks.take(stream, () => Promise.reject(new Error("no"))), /no/);
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const taken = [1, 2, 3, 4, 5, 6].map((look) =>
    looks.take(stream, () => {
      begun.push(look);
      return new Promise<void>((resolve) => ends.push(resolve));
    })
  );
  looks.release();
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  assert.deepEqual(begun, [1, 2, 3, 4]);
  stream.end();
  for (const end of ends) end();
  await Promise.all(taken.slice(0, 4));
  looks.release();
  assert.deepEqual(await Promise.all(taken), Array(6).fill(undefined));
  assert.deepEqual(begun, [1, 2, 3, 4]);
});

/** Takes the clock of this test instead of the one of the process; timers are noted, and do not fire. */
function stopClock() {
  const { performance, setTimeout: set, clearTimeout: clear } = globalThis;
  const timers = new Map<number, { readonly ms: number; fire(): void }>();
  const clock = { ms: 1_000, timers };
  const now = performance.now.bind(performance);
  let last = 0;
  performance.now = () => clock.ms;
  globalThis.setTimeout = ((fire: () => void, ms: number) => {
    timers.set(++last, { fire, ms });
    return last;
  }) as unknown as typeof set;
  globalThis.clearTimeout = (timer) => void timers.delete(Number(timer));
  return {
    clock,
    [Symbol.dispose]() {
      performance.now = now;
      Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    },
  };
}

const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

/** Looks of which all places rest for a while; the next one waits. */
async function restingLooks(clock: { ms: number }, durationMs: number) {
  const streams = new LiveStreams(LIMITS);
  const stream = new LiveStream(Date.now() + 60_000);
  const look = () => streams.looks.take(stream, () => Promise.resolve(clock.ms += durationMs));
  for (let place = 0; place < 4; place++) await look();
  let isTaken = false;
  const waiting = streams.looks.take(stream, () => Promise.resolve(isTaken = true));
  await turns();
  return { streams, waiting, isTaken: () => isTaken };
}

Deno.test("the place of a look rests nine times as long as the look took, and no longer than five seconds", async () => {
  for (
    const [durationMs, restMs] of [[10, 90], [100, 900], [555, 4_995], [600, 5_000], [1_000, 5_000]] as const
  ) {
    using stopped = stopClock();
    const { clock } = stopped;
    const { waiting, isTaken } = await restingLooks(clock, durationMs);
    assert.equal(isTaken(), false);
    const [{ ms, fire }] = clock.timers.values().toArray() as [{ ms: number; fire: () => void }];
    // the first place has rested while the others were used
    assert.equal(Math.round(ms), restMs - 3 * durationMs, String(durationMs));
    clock.ms += ms;
    fire();
    await waiting;
    assert.equal(isTaken(), true);
  }
});

Deno.test("looks that wait go on at once when all streams end, not when those of one tenant do", async () => {
  for (const end of ["end", "close"] as const) {
    using stopped = stopClock();
    const { streams, waiting, isTaken } = await restingLooks(stopped.clock, 100);
    streams.end("t1");
    await turns();
    assert.equal(isTaken(), false);
    streams[end]();
    await waiting;
    assert.equal(isTaken(), true);
  }
});

Deno.test("looks that wait have one timer together, and none when nobody waits", async () => {
  using stopped = stopClock();
  const { clock } = stopped;
  const { streams, waiting } = await restingLooks(clock, 100);
  const other = streams.looks.take(new LiveStream(Date.now() + 60_000), () => Promise.resolve());
  assert.equal(clock.timers.size, 1);
  streams.end();
  await Promise.all([waiting, other]);
  assert.equal(clock.timers.size, 0);
});

Deno.test("a stream sleeps as long as it is told, until its end, and no longer than timers go; nothing is left of it", async () => {
  using stopped = stopClock();
  const { timers } = stopped.clock;
  for (
    const [ms, endsInMs, most, least] of [
      ...[[500, 60_000, 500, 500], [60_000, 500, 500, 1]] as const,
      [Infinity, Infinity, 2 ** 31 - 1, 2 ** 31 - 1] as const,
    ]
  ) {
    const stream = new LiveStream(Date.now() + endsInMs);
    const sleeping = stream.sleep(ms);
    const [timer] = timers.values().toArray();
    assert.ok(timer!.ms <= most && timer!.ms >= least, `${timer!.ms}`);
    stream.wake();
    await sleeping;
    assert.equal(timers.size, 0);
  }
});

Deno.test("a stream that is gone is not woken", () => {
  const streams = new LiveStreams(LIMITS);
  const stream = streams.open(contextOf("a"));
  let woken = 0;
  Object.defineProperty(stream, "wake", { value: () => woken++ });
  streams.watch(stream);
  streams.touch();
  streams.remove(stream);
  streams.touch();
  assert.equal(woken, 1);
});
