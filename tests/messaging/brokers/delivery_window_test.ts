import assert from "node:assert/strict";
import { DeliveryWindow, type Incoming } from "../../../src/messaging/brokers/delivery_window.ts";
import type { Delivery } from "../../../src/messaging/channel.ts";
import { eventually } from "../../contract/channel.ts";
import { recordingLog } from "../channels.ts";

function incoming(data: unknown, key: string | undefined, steps: string[]): Incoming {
  const step = (name: string) => () => {
    steps.push(`${name} ${data}`);
    return Promise.resolve();
  };
  return {
    message: { topic: "t", data, headers: {}, key },
    deliveries: 1,
    ...{ ack: step("ack"), dead: step("dead"), release: step("release") },
  };
}

function window(
  onDelivery: (delivery: Delivery) => Promise<void>,
  concurrency = 1,
): { window: DeliveryWindow; steps: string[]; add: (data: unknown, key?: string) => void } {
  const steps: string[] = [];
  const window = new DeliveryWindow({ concurrency, onDelivery, log: recordingLog() });
  return { window, steps, add: (data, key) => window.accept(incoming(data, key, steps)) };
}

Deno.test("at most as many messages run at once as asked for", async () => {
  let running = 0;
  let most = 0;
  const { window: one, steps, add } = window(async ({ ack }) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    await ack();
  }, 3);
  for (let n = 0; n < 10; n++) add(n);
  await eventually(() => steps.length === 10);
  await one.close();
  assert.equal(most, 3);
});

Deno.test("messages of a key run one after the other, beside those of other keys", async () => {
  const order: unknown[] = [];
  const { window: one, steps, add } = window(async ({ message, deliveries, ack, nack }) => {
    order.push(message.data);
    await (message.data === "a1" && deliveries < 3 ? nack({ delayMs: 5 }) : ack());
  }, 2);
  for (const data of ["a1", "a2", "b1", "b2"]) add(data, data[0]);
  await eventually(() => steps.length === 4);
  await one.close();
  assert.deepEqual(order.filter((data) => String(data)[0] === "a"), ["a1", "a1", "a1", "a2"]);
  assert.deepEqual(steps, ["ack b1", "ack b2", "ack a1", "ack a2"]);
});

Deno.test("closing waits for what runs and gives back the rest", async () => {
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const { window: one, steps, add } = window(async ({ ack }) => {
    await gate;
    await ack();
  });
  for (const data of [1, 2, 3]) add(data, "k");
  const closing = one.close();
  add(4);
  resolve();
  await closing;
  assert.deepEqual(steps, ["release 2", "release 3", "release 4", "ack 1"]);
});

Deno.test("after a lost connection only running messages stay, and what comes again waits behind them", async () => {
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const order: unknown[] = [];
  const { window: one, steps, add } = window(async ({ message, ack }) => {
    await gate;
    order.push(message.data);
    await ack();
  });
  for (const data of ["1", "2"]) add(data, "k");
  one.forget();
  for (const data of ["1 again", "2 again"]) add(data, "k");
  resolve();
  await eventually(() => steps.length === 3);
  await one.close();
  assert.deepEqual(order, ["1", "1 again", "2 again"]);
});

Deno.test("a message that cannot be settled does not stop the others", async () => {
  const steps: string[] = [];
  const one = new DeliveryWindow({ concurrency: 1, onDelivery: ({ ack }) => ack(), log: recordingLog() });
  const broken = { ...incoming(1, "k", steps), ack: () => Promise.reject(new Error("gone")) };
  one.accept(broken);
  one.accept(incoming(2, "k", steps));
  await eventually(() => steps.length === 1);
  await one.close();
  assert.deepEqual(steps, ["ack 2"]);
});

Deno.test("after a lost connection what was ready and is forgotten does not run, and what is behind it does", async () => {
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const order: unknown[] = [];
  const { window: one, add } = window(async ({ message, ack }) => {
    await gate;
    order.push(message.data);
    await ack();
  });
  for (const data of ["running", "a", "b", "c"]) add(data);
  add("keyed", "k");
  add("behind it", "k");
  one.forget(({ data }) => data === "b" || data === "keyed");
  assert.equal(one.size, 4);
  resolve();
  await eventually(() => one.size === 0);
  assert.deepEqual(order, ["running", "a", "c", "behind it"]);
  await one.close();
});

Deno.test("who waits for room goes on once a message is settled or forgotten, or the window closes", async () => {
  const gates: (() => void)[] = [];
  const { window: one, add } = window(({ ack }) => new Promise<void>((go) => gates.push(go)).then(ack));
  const isOver = async (waiting: Promise<void>) => {
    let over = false;
    void waiting.then(() => over = true);
    for (let turn = 0; turn < 9; turn++) await Promise.resolve();
    return over;
  };
  assert.equal(await isOver(one.hasRoom(1)), true);
  add(1);
  add(2);
  assert.equal(await isOver(one.hasRoom(3)), true);
  const [first, second] = [one.hasRoom(2), one.hasRoom(1)];
  assert.equal(await isOver(first), false);
  gates[0]!();
  await first;
  assert.equal(await isOver(second), false);
  add(3);
  const last = one.hasRoom(1);
  one.forget();
  assert.deepEqual([one.size, await isOver(last)], [1, false]);
  const closing = one.close();
  await Promise.all([second, last]);
  gates[1]!();
  await closing;
  assert.equal(one.size, 0);
});

Deno.test("a message that somebody else has by now is not handled, and one that is forgotten is told so", async () => {
  const steps: string[] = [];
  const handled: unknown[] = [];
  const one = new DeliveryWindow({
    ...{ concurrency: 1, log: recordingLog() },
    onDelivery: ({ message, ack }) => (handled.push(message.data), ack()),
  });
  const forgotten = () => void steps.push("forgotten");
  one.accept({ ...incoming(1, undefined, steps), isStale: () => true, forgotten });
  one.accept({ ...incoming(2, undefined, steps), isStale: () => false, forgotten });
  await eventually(() => one.size === 0);
  assert.deepEqual([steps, handled], [["forgotten", "ack 2"], [2]]);
  await one.close();
});

Deno.test("dead letters tell how often a message was delivered in all, and brokers that delay do it but for those with a key", async () => {
  const steps: string[] = [];
  const deliveries: unknown[] = [];
  const one = new DeliveryWindow({
    ...{ concurrency: 1, log: recordingLog() },
    onDelivery: ({ message, deliveries: count, nack }) => {
      deliveries.push([message.data, count]);
      return count < 4 && deliveries.length < 9 ? nack({ delayMs: 1 }) : nack({ dead: true, reason: "no" });
    },
  });
  const given = (data: unknown, key?: string): Incoming => ({
    ...incoming(data, key, steps),
    deliveries: 3,
    delay: (ms) => Promise.resolve(void steps.push(`delay ${data} ${ms}`)),
    dead: (reason, count) => Promise.resolve(void steps.push(`dead ${data} ${reason} ${count}`)),
  });
  one.accept(given("a"));
  one.accept(given("b", "k"));
  await eventually(() => one.size === 0);
  assert.deepEqual(steps, ["delay a 1", "dead b no 4"]);
  assert.deepEqual(deliveries, [["a", 3], ["b", 3], ["b", 4]]);
  await one.close();
});

Deno.test("a handler that settles twice or fails: the first answer counts, else the message comes again after a second", async () => {
  const { setTimeout } = globalThis;
  const delays: unknown[] = [];
  const log = recordingLog();
  const steps: string[] = [];
  const one = new DeliveryWindow({
    ...{ concurrency: 1, log },
    onDelivery: async ({ message, deliveries, ack, nack }) => {
      if (message.data === 2 && deliveries === 1) throw new Error("broken");
      await ack();
      await nack({ dead: true });
    },
  });
  try {
    globalThis.setTimeout = ((run: () => void, ms: number) => (delays.push(ms), setTimeout(run, 0))) as never;
    one.accept(incoming(1, undefined, steps));
    one.accept(incoming(2, undefined, steps));
    for (let turn = 0; turn < 50 && steps.length < 2; turn++) await new Promise((go) => setTimeout(go, 0));
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assert.deepEqual([steps, delays], [["ack 1", "ack 2"], [1_000]]);
  await one.close();
});

Deno.test("the broker is asked for more time for everything that is here, until the window closes", async () => {
  const { setInterval, clearInterval } = globalThis;
  const timers = new Map<number, () => void>();
  const asked: unknown[] = [];
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  try {
    globalThis.setInterval = ((run: () => void, ms: number) => (timers.set(ms, run), ms)) as never;
    globalThis.clearInterval = ((ms: number) => timers.delete(ms)) as never;
    const one = new DeliveryWindow({
      ...{ concurrency: 1, log: recordingLog(), extendMs: 40 },
      onDelivery: ({ ack }) => gate.then(ack),
    });
    const extend =
      (n: number) => () => (asked.push(n), n === 1 ? Promise.reject(new Error("gone")) : Promise.resolve());
    for (const n of [1, 2]) one.accept({ ...incoming(n, undefined, []), extend: extend(n) });
    one.accept(incoming(3, undefined, []));
    timers.get(40)!();
    assert.deepEqual(asked, [1, 2]);
    const closing = one.close();
    assert.equal(timers.size, 0);
    resolve();
    await closing;
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
});

Deno.test("a message that is forgotten behind one of its key that runs lets nothing run twice", async () => {
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const order: unknown[] = [];
  const { window: one, add } = window(async ({ message, ack }) => {
    order.push(message.data);
    await gate;
    await ack();
  }, 2);
  for (const data of [1, 2, 3]) add(data, "k");
  one.forget(({ data }) => data === 2);
  assert.deepEqual([order, one.size], [[1], 2]);
  resolve();
  await eventually(() => one.size === 0);
  assert.deepEqual(order, [1, 3]);
  await one.close();
});
