/** How a messaging service settles what its channel delivers: it waits until the channel knows. */

import assert from "node:assert/strict";
import type { Delivery, Message } from "../../src/messaging/channel.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import { channelOptions } from "./channels.ts";
import { environment, messaging } from "./services.ts";

type Ends = Parameters<Delivery["nack"]>[0] | "ack";

/** A messaging service of whose channel a test hands on deliveries, and what it logged. */
async function served(options: Readonly<Record<string, unknown>> = {}) {
  const channel = createLocalChannel(channelOptions({}));
  let take: ((delivery: Delivery) => Promise<void>) | undefined;
  channel.subscribe = (_, onDelivery) => {
    take = onDelivery;
    return Promise.resolve({ close: () => Promise.resolve() });
  };
  const host = environment();
  const service = messaging(channel, { host, options, retryDelayMs: (attempts) => attempts * 1000 });
  service.on("fine", () => {});
  service.on("broken", () => {
    throw new Error("Not now");
  });
  service.on("hopeless", () => {
    throw Object.assign(new Error("Never"), { unrecoverable: true });
  });
  await service.start();
  await service.exchange.settled();
  return { service, lines: host.lines, take: (delivery: Delivery) => take!(delivery) };
}

/** A delivery, how it was settled, and what lets the channel answer. */
function delivery(given: Partial<Message>, deliveries = 1) {
  const ends: Ends[] = [];
  const answer = Promise.withResolvers<void>();
  const end = (how: Ends) => (ends.push(how), answer.promise);
  return {
    ...{ ends, answer },
    delivery: {
      message: { topic: "fine", data: 1, headers: {}, ...given },
      deliveries,
      ack: () => end("ack"),
      nack: (how?: Exclude<Ends, "ack">) => end(how),
      extend: () => Promise.resolve(),
    } satisfies Delivery,
  };
}

/** Some turns of the event loop. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((go) => setTimeout(go, 0));
}

const CASES: readonly [what: string, given: Partial<Message>, deliveries: number, end: object | "ack"][] = [
  ["handled", {}, 1, "ack"],
  ["without handler", { topic: "other" }, 1, "ack"],
  ["failed", { topic: "broken" }, 2, { delayMs: 2000 }],
  ["failed for good", { topic: "hopeless" }, 1, { dead: true }],
  ["no CloudEvent", { headers: { specversion: "0.3" } }, 1, {
    dead: true,
    reason: "specversion is '0.3', expected '1.0'",
  }],
];

for (const [what, given, deliveries, end] of CASES) {
  Deno.test(`a message that is ${what} is settled when its channel has said so, and fails as that does`, async () => {
    const { service, take } = await served();
    const { delivery: one, ends, answer } = delivery(given, deliveries);
    let isOver = false;
    const taken = take(one).finally(() => isOver = true);
    await turns();
    assert.deepEqual([ends.length, isOver], [1, false]);
    if (end === "ack") assert.equal(ends[0], "ack");
    else assert.deepEqual({ ...ends[0] as object, ...end }, ends[0]);
    const failed = assert.rejects(taken, { message: "gone" });
    answer.reject(new Error("gone"));
    await failed;
    await service.close();
  });
}

Deno.test("a message without handler is a dead letter where the configuration says so", async () => {
  const { service, take, lines } = await served({ noHandler: "dead" });
  const { delivery: one, ends, answer } = delivery({ topic: "other" });
  answer.resolve();
  await take(one);
  assert.deepEqual(ends, [{ dead: true, reason: "No handler" }]);
  assert.ok(lines.some(([text]) => text === "No handler for message other"));
  await service.close();
});

Deno.test("a message is given up behind its last attempt, with the reason", async () => {
  const { service, take, lines } = await served({ maxAttempts: 3 });
  const ends = await Promise.all([2, 3, 4].map(async (deliveries) => {
    const { delivery: one, ends, answer } = delivery({ topic: "broken" }, deliveries);
    answer.resolve();
    await take(one);
    return ends[0] as Exclude<Ends, "ack" | undefined>;
  }));
  assert.deepEqual(ends.map(({ dead, delayMs }) => [dead, delayMs]), [
    ...[[undefined, 2000], [true, undefined], [true, undefined]],
  ]);
  for (const { reason } of ends) assert.match(reason!, /^Error: Not now\n/);
  const told = lines.map(([text]) => text).filter((text) => String(text).startsWith("Handling"));
  assert.deepEqual(told.toSorted(), [
    "Handling message broken failed, attempt 2:",
    "Handling message broken failed, attempt 3, given up:",
    "Handling message broken failed, attempt 4, given up:",
  ]);
  await service.close();
});

Deno.test("unless told otherwise, a message is given up behind its tenth attempt (messaging 6.4)", async () => {
  const { service, take } = await served();
  const dead: unknown[] = [];
  for (const deliveries of [9, 10]) {
    const { delivery: one, ends, answer } = delivery({ topic: "broken" }, deliveries);
    answer.resolve();
    await take(one);
    dead.push((ends[0] as Exclude<Ends, "ack" | undefined>).dead);
  }
  await service.close();
  assert.deepEqual(dead, [undefined, true]);
});

Deno.test("a message whose name is too long is refused, and only its beginning is told", async () => {
  const { service, take, lines } = await served();
  const { delivery: one, ends, answer } = delivery({ topic: "x".repeat(513) });
  answer.resolve();
  await take(one);
  const reason = "The name of the event has more than 512 characters";
  assert.deepEqual(ends, [{ dead: true, reason }]);
  assert.ok(lines.some(([text]) => text === `Refused message ${"x".repeat(512)}: ${reason}`));
  const fitting = delivery({ topic: "x".repeat(512) });
  fitting.answer.resolve();
  await take(fitting.delivery);
  assert.deepEqual(fitting.ends, ["ack"]);
  await service.close();
});
