import assert from "node:assert/strict";
import type { Delivery, Message } from "../../src/messaging/channel.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import { channelOptions, recordingLog } from "./channels.ts";

const message = (data: unknown, topic = "t"): Message => ({ topic, data, headers: {} });
const turn = () => new Promise((go) => setTimeout(go, 0));

/** Some turns of the event loop, until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 200 && !isSo(); turns++) await turn();
}

/** A channel of a test, what it logged, and deliveries to it. */
function open() {
  const log = recordingLog();
  const channel = createLocalChannel({ ...channelOptions({}), log });
  const deliveries: Delivery[] = [];
  const subscribe = (
    how: { topics?: readonly string[] | "*"; group?: string; concurrency?: number } = {},
    onDelivery: (delivery: Delivery) => Promise<void> = () => Promise.resolve(),
  ) =>
    channel.subscribe({ group: "g", topics: "*", concurrency: 1, ...how }, (delivery) => {
      deliveries.push(delivery);
      return onDelivery(delivery);
    });
  return {
    ...{ channel, lines: log.lines, subscribe },
    got: () => deliveries.map(({ message, deliveries }) => [message.data, deliveries]),
  };
}

/** Runs a test that sees the timers that are set and let go meanwhile. */
async function withTimers(run: (open: ReadonlyMap<unknown, number | undefined>) => Promise<void>) {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Map<unknown, number | undefined>();
  globalThis.setTimeout = ((work: () => void, ms?: number) => {
    const timer = setTimeout(() => (timers.delete(timer), work()), ms);
    timers.set(timer, ms);
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = ((timer: number) => {
    timers.delete(timer);
    clearTimeout(timer);
  }) as typeof clearTimeout;
  try {
    await run(timers);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
}

Deno.test("a message is delivered again after the delay that its handler asks for, at once unless it does, counted", () =>
  withTimers(async (timers) => {
    const { channel, subscribe, got } = open();
    const delays: unknown[] = [];
    await subscribe({}, async ({ deliveries, nack, ack }) => {
      await (deliveries === 1 ? nack() : deliveries === 2 ? nack({ delayMs: 2 }) : ack());
      delays.push([...timers.values()].at(-1));
    });
    await channel.publish([message(1)]);
    await until(() => got().length === 3);
    await channel.close();
    assert.deepEqual([delays.slice(0, 2), got()], [[0, 2], [[1, 1], [1, 2], [1, 3]]]);
  }));

Deno.test("nothing of a closed channel is left: neither messages that wait to come again nor those that ask for it then", () =>
  withTimers(async (timers) => {
    const { channel, subscribe, got } = open();
    const gate = Promise.withResolvers<void>();
    await subscribe({ concurrency: 2 }, async ({ message, nack }) => {
      if (message.data === "late") await gate.promise;
      await nack({ delayMs: 60_000 });
    });
    await channel.publish([message("early"), message("late")]);
    await turn();
    assert.deepEqual([...timers.values()], [60_000]);
    const closing = channel.close();
    gate.resolve();
    await closing;
    assert.deepEqual([[...timers.values()], got().length], [[], 2]);
  }));

Deno.test("closing waits for handlers, delivers what waits as long as it may, and drops the rest", async () => {
  for (const [drainMs, expected] of [[undefined, [1]], [0, [1]], [60_000, [1, 2]]] as const) {
    const { channel, subscribe, got } = open();
    const gate = Promise.withResolvers<void>();
    await subscribe({}, ({ message }) => message.data === 1 ? gate.promise : Promise.resolve());
    await channel.publish([message(1), message(2)]);
    await turn();
    let isClosed = false;
    const closing = channel.close(drainMs === undefined ? undefined : { drainMs }).then(() =>
      isClosed = true
    );
    await turn();
    assert.equal(isClosed, false);
    await assert.rejects(channel.publish([message(3)]), { message: "The channel is closed" });
    gate.resolve();
    await closing;
    assert.deepEqual(got().map(([data]) => data), expected);
  }
});

Deno.test("a consumer that ends waits for its handlers, and gets nothing more", async () => {
  const { channel, subscribe, got } = open();
  const gate = Promise.withResolvers<void>();
  const consumer = await subscribe({}, () => gate.promise);
  await channel.publish([message(1), message(2)]);
  await turn();
  let hasEnded = false;
  const ending = consumer.close().then(() => hasEnded = true);
  await turn();
  assert.equal(hasEnded, false);
  gate.resolve();
  await ending;
  await channel.publish([message(3)]);
  await turn();
  await channel.close();
  assert.deepEqual(got(), [[1, 1]]);
});

Deno.test("each group gets a message, and in a group one consumer of those that take its topic, in turn", async () => {
  const { channel, subscribe } = open();
  const got: string[] = [];
  const name = (who: string) => ({ message, ack }: Delivery) => (got.push(`${who} ${message.data}`), ack());
  await subscribe({ topics: ["t"] }, name("first"));
  await subscribe({ topics: ["t", "u"] }, name("second"));
  await subscribe({ group: "other" }, name("other"));
  for (const one of [message(1), message(2), message(3, "u"), message(4, "v")]) {
    await channel.publish([one]);
    await turn();
  }
  await channel.close();
  assert.deepEqual(got.toSorted(), [
    ...["first 1", "other 1", "other 2", "other 3", "other 4", "second 2", "second 3"],
  ]);
});

Deno.test("as many messages are handled at once as a consumer asks for, at least one, and nothing overtakes one that waits", async () => {
  for (const [concurrency, atOnce] of [[2, 2], [1, 1], [0, 1]] as const) {
    const { channel, subscribe, got } = open();
    const gate = Promise.withResolvers<void>();
    await subscribe({ topics: ["t"], concurrency }, () => gate.promise);
    await subscribe({ topics: ["u"] });
    await channel.publish([message(1), message(2), message(3), message(4, "u")]);
    await turn();
    assert.equal(got().length, atOnce);
    gate.resolve();
    await channel.close({ drainMs: 60_000 });
    assert.deepEqual(got().map(([data]) => data), [1, 2, 3, 4]);
  }
});

Deno.test("a handler that fails and a message that is given up are logged, and harm no other", async () => {
  const { channel, subscribe, lines, got } = open();
  await subscribe({}, ({ message, nack, ack }) => {
    if (message.data === 1) return Promise.reject(new Error("no"));
    return message.data === 2 ? nack({ dead: true, reason: "bad" }) : ack();
  });
  await subscribe(
    { group: "without reason" },
    ({ message, nack }) => nack({ dead: message.data === 3, delayMs: 60_000 }),
  );
  await channel.publish([message(1), message(2), message(3)]);
  await until(() => lines.length === 3);
  await channel.close();
  const told = lines.map(([text, reason]) => `${text} ${reason instanceof Error ? reason.message : reason}`);
  assert.deepEqual(told.toSorted(), [
    ...["Failed to take message t: no", "Gave up message t: ", "Gave up message t: bad"],
  ]);
  assert.equal(got().filter(([, deliveries]) => deliveries !== 1).length, 0);
});

Deno.test("neither side sees what the other does to its data afterwards", async () => {
  const { channel, subscribe, got } = open();
  for (const group of ["a", "b"]) {
    await subscribe({ group }, ({ message, ack }) => {
      (message.data as { list: number[] }).list.push(7);
      return ack();
    });
  }
  const data = { list: [1] };
  await channel.publish([message(data)]);
  data.list.push(2);
  await turn();
  await channel.close();
  assert.deepEqual([data.list, got().map(([data]) => data)], [[1, 2], [{ list: [1, 7] }, { list: [1, 7] }]]);
});

Deno.test("a message that is too large is refused with all that are published with it", async () => {
  const log = recordingLog();
  const channel = createLocalChannel({ log, limits: { ...channelOptions({}).limits, messageBytes: 4 } });
  const got: unknown[] = [];
  await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, ({ message, ack }) => {
    got.push(message.data);
    return ack();
  });
  await assert.rejects(channel.publish([message(1), message("abc")]), { code: "MESSAGE_TOO_LARGE" });
  await channel.publish([message("ab")]);
  await turn();
  await channel.close();
  assert.deepEqual([channel.guarantees.maxMessageBytes, got], [4, ["ab"]]);
});

Deno.test("100,000 messages wait at most; those that nobody takes do not wait", async () => {
  const { channel, subscribe } = open();
  await subscribe({ topics: ["t"] }, () => new Promise<void>(() => {}));
  const many = Array.from({ length: 50_000 }, () => message(0));
  await channel.publish([message(0)]);
  await turn();
  await channel.publish(many);
  await channel.publish(many);
  await assert.rejects(channel.publish([message(0)]), { message: "More than 100000 messages are waiting" });
  await channel.publish([message(0, "of nobody")]);
});

Deno.test("closing looks each 5 ms whether what waits was handled, until its time is over", async () => {
  const { setTimeout } = globalThis;
  const { now } = Date;
  for (const [isFreedAt, expected] of [[3, [1, 2]], [Infinity, [1]]] as const) {
    let clock = 1_000;
    const pauses: number[] = [];
    const got: unknown[] = [];
    const gate = Promise.withResolvers<void>();
    const channel = createLocalChannel(channelOptions({}));
    const subscription = { group: "g", topics: "*", concurrency: 1 } as const;
    await channel.subscribe(subscription, async ({ message, ack }) => {
      got.push(message.data);
      await gate.promise;
      await ack();
    });
    await channel.publish([1, 2].map((data) => ({ topic: "t", data, headers: {} })));
    await Promise.resolve();
    Date.now = () => clock;
    globalThis.setTimeout = ((go: () => void, ms: number) => {
      clock += ms;
      if (pauses.push(ms) === isFreedAt) gate.resolve();
      return setTimeout(go, 0);
    }) as typeof setTimeout;
    const closing = channel.close({ drainMs: 50 });
    try {
      for (let turns = 0; turns < 20; turns++) await new Promise((go) => setTimeout(go, 0));
    } finally {
      globalThis.setTimeout = setTimeout;
      Date.now = now;
      gate.resolve();
    }
    await closing;
    assert.deepEqual(got, expected);
    assert.deepEqual(pauses, Array(Math.min(isFreedAt, 10)).fill(5));
  }
});
