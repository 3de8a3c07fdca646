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
