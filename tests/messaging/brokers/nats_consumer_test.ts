/** How a consumer of NATS takes and settles messages, over a server that a test holds. */

import type { JetStreamClient, JetStreamManager, JsMsg } from "@nats-io/jetstream";
import { headers as natsHeaders, type NatsConnection } from "@nats-io/transport-node";
import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { NatsConsumer } from "../../../src/messaging/brokers/nats/nats_consumer.ts";
import { NatsNames } from "../../../src/messaging/brokers/nats/nats_names.ts";
import type { Delivery } from "../../../src/messaging/channel.ts";
import { eventually } from "../../contract/channel.ts";
import { recordingLog } from "../channels.ts";

/** A consumer of group `g` for topic `T.e`, what its server was asked, and what hands it messages. */
async function consumerOf(onDelivery: (delivery: Delivery) => Promise<void>, ackWaitMs = 60_000) {
  const asked: string[] = [];
  const published: [string, string][] = [];
  const failing: unknown[] = [];
  const callbacks: ((message: JsMsg) => void)[] = [];
  const existing = new Set<string>();
  const client = {
    consumers: {
      get: (stream: string, name: string) =>
        Promise.resolve({
          consume: (
            { max_messages, callback }: { max_messages: number; callback: (message: JsMsg) => void },
          ) => {
            asked.push(`consume ${stream} ${name} ${max_messages}`);
            callbacks.push(callback);
            return Promise.resolve({ close: () => Promise.resolve(asked.push("end")) });
          },
        }),
    },
    publish: (subject: string, text: string) => {
      const error = failing.shift();
      if (error !== undefined) return Promise.reject(error);
      published.push([subject, text]);
      return Promise.resolve();
    },
  } as unknown as JetStreamClient;
  const manager = {
    consumers: {
      add: (
        _stream: string,
        settings: { durable_name: string; filter_subject: string; max_ack_pending: number },
      ) => {
        asked.push(`add ${settings.durable_name} ${settings.filter_subject} ${settings.max_ack_pending}`);
        return existing.has(settings.durable_name)
          ? Promise.reject(Object.assign(new Error("exists"), { code: 10148 }))
          : Promise.resolve();
      },
      update: (_stream: string, name: string) => Promise.resolve(asked.push(`update ${name}`)),
    },
  } as unknown as JetStreamManager;
  const server: { answer: Promise<unknown> } = { answer: Promise.resolve() };
  const connection = {
    isClosed: () => false,
    flush: () => (asked.push("flush"), server.answer),
  } as unknown as NatsConnection;
  const log = recordingLog();
  const consumer = new NatsConsumer({
    ...{ connection, client, manager, log, onDelivery, ackWaitMs, timeoutMs: 1000, limits: DEFAULT_LIMITS },
    names: new NatsNames("fw", "e"),
    subscription: { group: "g", topics: ["T.e"], concurrency: 2 },
  });
  existing.add("g");
  await consumer.open();
  return {
    consumer,
    asked,
    published,
    failing,
    log,
    server,
    give: (message: JsMsg) => callbacks[0]!(message),
  };
}

/** A message, and how it was settled. */
function message(
  seq: number,
  { subject = "fw.t.T.e", body = "1", deliveryCount = 1, group = "", key = "" } = {},
) {
  const ends: string[] = [];
  const headers = natsHeaders();
  if (group !== "") headers.set("fw-group", group);
  if (key !== "") headers.set("fw-key", JSON.stringify(key));
  const raw = {
    ...{
      seq,
      subject,
      headers,
      data: new TextEncoder().encode(body),
      info: { timestampNanos: 5, deliveryCount },
    },
    ack: () => ends.push("ack"),
    nak: (ms?: number) => ends.push(ms === undefined ? "nak" : `nak ${ms}`),
    working: () => ends.push("working"),
  };
  return { raw: raw as unknown as JsMsg, ends };
}

Deno.test("a group has a consumer for messages without key, and one for each partition of those with one", async () => {
  const { consumer, asked } = await consumerOf(({ ack }) => ack());
  assert.deepEqual(asked.filter((one) => !one.startsWith("consume")), [
    "add g fw.t.> 10000",
    ...Array.from({ length: 8 }, (_, n) => `add g-k${n} fw.k.${n}.> 1`),
    "update g",
  ]);
  assert.deepEqual(asked.filter((one) => one.startsWith("consume")), [
    "consume fw g 66",
    ...Array.from({ length: 8 }, (_, n) => `consume fw g-k${n} 64`),
  ]);
  await consumer.open();
  assert.equal(asked.filter((one) => one.startsWith("consume")).length, 9, "nothing is fetched twice");
  asked.length = 0;
  await consumer.close();
  assert.deepEqual(asked, [...Array(9).fill("end"), "flush", "flush"]);
});

Deno.test("closing waits until the server has taken that nobody fetches, then for what runs, then until it has taken the rest", async () => {
  const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const { consumer, asked, server, give } = await consumerOf(async ({ ack }) => {
    await gates[1]!.promise;
    await ack();
  });
  const { raw, ends } = message(1);
  give(raw);
  asked.length = 0;
  server.answer = gates[0]!.promise;
  let isClosed = false;
  const closing = consumer.close().then(() => isClosed = true);
  const state = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return [asked.filter((one) => one === "flush").length, ends.includes("ack"), isClosed];
  };
  assert.deepEqual(await state(), [1, false, false]);
  server.answer = gates[2]!.promise;
  gates[1]!.resolve();
  assert.deepEqual(await state(), [1, true, false]);
  gates[0]!.resolve();
  assert.deepEqual(await state(), [2, true, false]);
  gates[2]!.resolve();
  await closing;
});

Deno.test("messages are handled once, passed over where they are for others, and acknowledged again where they come again", async () => {
  const got: unknown[] = [];
  const { consumer, give } = await consumerOf(({ message: { data, topic, key }, deliveries, ack }) => {
    got.push([topic, data, key, deliveries]);
    return ack();
  });
  const [own, other, foreign, mine] = [
    message(1, { deliveryCount: 3 }),
    message(2, { subject: "fw.t.Other" }),
    message(3, { group: "h" }),
    message(4, { group: "g", key: "k" }),
  ];
  for (const { raw } of [own, other, foreign, mine]) give(raw);
  await eventually(() => [own, other, foreign, mine].every(({ ends }) => ends.length === 1));
  assert.deepEqual(got, [["T.e", 1, undefined, 3], ["T.e", 1, "k", 1]]);
  const again = message(1, { deliveryCount: 4 });
  give(again.raw);
  assert.deepEqual([again.ends, got.length], [["ack"], 2]);
  await consumer.close();
});

Deno.test("a failed message comes again after its delay, which the server keeps, or at once where the consumer ends", async () => {
  const outcomes = [{ delayMs: 700 }, {}];
  const { consumer, give } = await consumerOf(({ nack }) => nack(outcomes.shift()));
  const [first, second] = [message(1), message(2)];
  for (const { raw } of [first, second]) give(raw);
  await eventually(() => first.ends.length === 1 && second.ends.length === 1);
  assert.deepEqual([first.ends, second.ends], [["nak 700"], ["nak 1000"]]);
  const back = message(1, { deliveryCount: 2 });
  outcomes.push({ delayMs: 5 });
  give(back.raw);
  await eventually(() => back.ends.length === 1);
  assert.deepEqual(back.ends, ["nak 5"]);
  await consumer.close();
  const late = message(9);
  give(late.raw);
  await eventually(() => late.ends.length === 1);
  assert.deepEqual(late.ends, ["nak"]);
});

Deno.test("a message that is given up is stored before it is acknowledged; one that is too large by its number", async () => {
  const { consumer, give, published, failing, log } = await consumerOf(({ nack }) =>
    nack({ dead: true, reason: "broken" })
  );
  const first = message(1, { deliveryCount: 2 });
  give(first.raw);
  await eventually(() => first.ends.length === 1);
  const [[subject, text]] = published as [[string, string]];
  const { topic, data, attempts, lastError } = JSON.parse(text);
  assert.deepEqual([subject, topic, data, attempts, lastError, first.ends], [
    "fw.dead.g",
    "T.e",
    1,
    2,
    "broken",
    ["ack"],
  ]);
  assert.ok(log.lines.some(([line]) => line === "Gave up message T.e after 2 deliveries: broken"));
  failing.push(Object.assign(new Error("large"), { code: 10054 }));
  const large = message(2);
  give(large.raw);
  await eventually(() => large.ends.length === 1);
  const reference = JSON.parse(published[1]![1]);
  assert.deepEqual([reference.original, reference.attempts, reference.lastError, large.ends], [
    2,
    1,
    "broken",
    ["ack"],
  ]);
  failing.push(new Error("away"));
  const kept = message(3);
  give(kept.raw);
  await eventually(() => log.lines.some(([line]) => String(line).startsWith("Cannot settle message T.e")));
  assert.deepEqual([kept.ends, published.length], [[], 2]);
  await consumer.close();
});

Deno.test("what cannot be understood is a dead letter", async () => {
  const { consumer, give, published } = await consumerOf(() => Promise.reject(new Error("not called")));
  const broken = message(1, { body: "{" });
  give(broken.raw);
  await eventually(() => broken.ends.length === 1);
  assert.equal(JSON.parse(published[0]![1]).lastError, "No valid JSON");
  assert.deepEqual(broken.ends, ["ack"]);
  await consumer.close();
});

Deno.test("a handler that needs longer has the server wait; a message that somebody else has by now is not handled", async () => {
  const gate = Promise.withResolvers<void>();
  const got: unknown[] = [];
  const { consumer, give } = await consumerOf(async ({ message: { data }, extend, ack }) => {
    got.push(data);
    if (data === "long") {
      await extend();
      await gate.promise;
    }
    await ack();
  });
  const long = message(1, { body: '"long"' });
  give(long.raw);
  await eventually(() => long.ends.length === 1);
  assert.deepEqual(long.ends, ["working"]);
  // both of one key: the second waits, and comes once more meanwhile
  const [first, second] = [message(2, { body: '"long"', key: "k" }), message(3, { body: '"old"', key: "k" })];
  give(first.raw);
  give(second.raw);
  const newer = message(3, { body: '"new"', key: "k", deliveryCount: 2 });
  give(newer.raw);
  gate.resolve();
  await eventually(() => newer.ends.length === 1);
  assert.deepEqual([got, second.ends, newer.ends], [["long", "long", "new"], [], ["ack"]]);
  await consumer.close();
});
