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
