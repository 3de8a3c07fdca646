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

const turn = () => new Promise((go) => setTimeout(go, 0));

Deno.test("a message that waits behind others is forgotten with its lost connection, and handled when it comes again", async () => {
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const order: unknown[] = [];
  const { window: one, add } = window(async ({ message, ack }) => {
    order.push(message.data);
    await gate;
    await ack();
  });
  for (const data of [1, 2, 3]) add(data);
  one.forget();
  assert.equal(one.size, 1);
  add("2 again");
  resolve();
  await eventually(() => one.size === 0);
  await one.close();
  assert.deepEqual(order, [1, "2 again"]);
});

Deno.test("messages of some topics are forgotten alone; what waits behind them goes on at once, and brokers are told", async () => {
  const order: unknown[] = [];
  const forgotten: unknown[] = [];
  const { window: one, steps } = window(async ({ message, nack, ack }) => {
    order.push(message.data);
    await (message.data === "first" ? nack({ delayMs: 60_000 }) : ack());
  });
  for (const [data, topic] of [["first", "lost"], ["second", "kept"]] as const) {
    const { message, ...how } = incoming(data, "k", steps);
    one.accept({ ...how, message: { ...message, topic }, forgotten: () => void forgotten.push(data) });
  }
  await turn();
  assert.deepEqual(order, ["first"]);
  one.forget(({ topic }) => topic === "lost");
  assert.deepEqual([order, forgotten], [["first", "second"], ["first"]]);
  await one.close();
  assert.deepEqual([steps, one.size], [["ack second"], 0]);
});

Deno.test("what was forgotten behind a message of its key leaves the others of the key in their order", async () => {
  const order: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const { window: one, steps } = window(async ({ message, ack }) => {
    order.push(message.data);
    await gate.promise;
    await ack();
  }, 2);
  for (const [data, topic] of [[1, "a"], [2, "b"], [3, "a"]] as const) {
    const { message, ...how } = incoming(data, "k", steps);
    one.accept({ ...how, message: { ...message, topic } });
  }
  one.forget(({ topic }) => topic === "b");
  await turn();
  assert.deepEqual(order, [1]);
  gate.resolve();
  await eventually(() => one.size === 0);
  await one.close();
  assert.deepEqual(order, [1, 3]);
});

Deno.test("a message that somebody else has by now is not handled, and those behind it are", async () => {
  const order: unknown[] = [];
  const forgotten: unknown[] = [];
  const { window: one, steps } = window(({ message, ack }) => (order.push(message.data), ack()));
  for (const data of ["stale", "fresh"]) {
    one.accept({
      ...incoming(data, "k", steps),
      isStale: () => data === "stale",
      forgotten: () => void forgotten.push(data),
    });
  }
  await eventually(() => one.size === 0);
  await one.close();
  assert.deepEqual([order, forgotten, steps], [["fresh"], ["stale"], ["ack fresh"]]);
});

Deno.test("a message that comes later is room's: whoever seeks room waits until there is some, or until the end", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { window: one, add } = window(async ({ message, ack }) => {
    await gates[Number(message.data)]!.promise;
    await ack();
  }, 2);
  const found: string[] = [];
  const seek = (what: string, limit: number) => void one.hasRoom(limit).then(() => found.push(what));
  for (const data of [0, 1]) add(data);
  for (const [what, limit] of [["for a third", 3], ["for a second", 2], ["for a first", 1]] as const) {
    seek(what, limit);
  }
  await turn();
  assert.deepEqual(found, ["for a third"]);
  gates[0]!.resolve();
  await turn();
  assert.deepEqual(found, ["for a third", "for a second"]);
  gates[1]!.resolve();
  await turn();
  assert.deepEqual(found, ["for a third", "for a second", "for a first"]);
  seek("never", 0);
  await turn();
  assert.equal(found.length, 3);
  await one.close();
  await turn();
  assert.equal(found.at(-1), "never");
});

Deno.test("a message that is to come later waits at its broker where that can, unless it has a key", async () => {
  for (const [key, delays, size] of [[undefined, [7, 1_000], 0], ["k", [], 1]] as const) {
    const asked: number[] = [];
    const { window: one, steps } = window(({ message, nack }) =>
      nack(message.data === "said" ? { delayMs: 7 } : undefined)
    );
    for (const data of key === undefined ? ["said", "not said"] : ["not said"]) {
      one.accept({
        ...incoming(data, key, steps),
        delay: (ms) => (asked.push(ms), Promise.resolve()),
      });
    }
    await turn();
    assert.deepEqual([asked, one.size], [delays, size]);
    await one.close();
    assert.deepEqual(steps, key === undefined ? [] : ["release not said"]);
  }
});

Deno.test("a handler that ends without a word, or fails, has the message again a second later", async () => {
  const { setTimeout } = globalThis;
  const delays: (number | undefined)[] = [];
  const log = recordingLog();
  const one = new DeliveryWindow({
    ...{ concurrency: 1, log },
    onDelivery: ({ message }) => message.data === 2 ? Promise.reject(new Error("no")) : Promise.resolve(),
  });
  const steps: string[] = [];
  globalThis.setTimeout = ((work: () => void, ms?: number) => {
    delays.push(ms);
    return setTimeout(work, ms);
  }) as typeof setTimeout;
  try {
    for (const data of [1, 2]) one.accept(incoming(data, undefined, steps));
    for (let steps = 0; steps < 100 && delays.length < 2; steps++) await Promise.resolve();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  await one.close();
  assert.deepEqual([delays, steps], [[1_000, 1_000], ["release 1", "release 2"]]);
  assert.deepEqual(log.lines.map(([text, error]) => [text, (error as Error).message]), [
    ["Failed to take message t:", "no"],
  ]);
});

Deno.test("a message is given up with its reason and all its deliveries, and the first word about it counts", async () => {
  const letters: unknown[] = [];
  const { window: one, steps } = window(async ({ deliveries, nack, ack }) => {
    await nack(
      deliveries < 5 ? { delayMs: 0 } : deliveries === 5 ? { dead: true, reason: "bad" } : { dead: true },
    );
    await ack();
  });
  for (const deliveries of [3, 6]) {
    one.accept({
      ...incoming(deliveries, undefined, steps),
      deliveries,
      dead: (reason, deliveries) => (letters.push([reason, deliveries]), Promise.resolve()),
    });
  }
  await eventually(() => one.size === 0);
  await one.close();
  assert.deepEqual([letters.toSorted(), steps], [[["", 6], ["bad", 5]], []]);
});

Deno.test("a message that is to come again while the consumer ends goes back to its broker", async () => {
  const gate = Promise.withResolvers<void>();
  const { window: one, steps, add } = window(async ({ nack }) => {
    await gate.promise;
    await nack({ delayMs: 60_000 });
  });
  add(1, "k");
  const closing = one.close();
  gate.resolve();
  await closing;
  assert.deepEqual([steps, one.size], [["release 1"], 0]);
});

Deno.test("a broker is asked for more time as often as told, for all that is here, until the end; a handler may ask as well", async () => {
  const { setInterval, clearInterval } = globalThis;
  const intervals = new Map<number, { readonly work: () => void; readonly ms?: number }>();
  globalThis.setInterval = ((work: () => void, ms?: number) => {
    intervals.set(7, { work, ms });
    return 7;
  }) as unknown as typeof setInterval;
  globalThis.clearInterval = ((timer: number) => void intervals.delete(timer)) as typeof clearInterval;
  try {
    const gate = Promise.withResolvers<void>();
    const log = recordingLog();
    const onDelivery = async ({ extend, ack }: Delivery) => {
      await extend();
      await gate.promise;
      await ack();
    };
    const without = new DeliveryWindow({ concurrency: 1, onDelivery, log });
    assert.equal(intervals.size, 0);
    await without.close();
    const one = new DeliveryWindow({ concurrency: 1, onDelivery, log, extendMs: 20 });
    const asked: unknown[] = [];
    for (const data of [1, 2, 3]) {
      const refuses = data === 2;
      one.accept({
        ...incoming(data, "k", []),
        ...data === 3 ? {} : {
          extend: () => (asked.push(data), refuses ? Promise.reject(new Error("away")) : Promise.resolve()),
        },
      });
    }
    assert.deepEqual([asked, intervals.get(7)?.ms], [[1], 20]);
    intervals.get(7)!.work();
    await turn();
    assert.deepEqual(asked, [1, 1, 2]);
    assert.deepEqual(log.lines.map(([text]) => text), ["Cannot ask for more time for t:"]);
    const closing = one.close();
    assert.equal(intervals.size, 0);
    gate.resolve();
    await closing;
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
});
