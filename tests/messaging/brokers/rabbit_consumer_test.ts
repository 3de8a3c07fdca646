/** What a consumer asks of RabbitMQ, over channels that a test gives. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import type { Delivery } from "../../../src/messaging/channel.ts";
import { RabbitConsumer } from "../../../src/messaging/brokers/rabbitmq/rabbit_consumer.ts";
import type { RabbitLink } from "../../../src/messaging/brokers/rabbitmq/rabbit_link.ts";
import { RabbitNames } from "../../../src/messaging/brokers/rabbitmq/rabbit_names.ts";
import { recordingLog } from "../channels.ts";

type Raw = Readonly<Record<string, unknown>>;

const NAMES = new RabbitNames("s");

/** A message as the broker gives it. */
function raw(topic: string, more: Readonly<Record<string, unknown>> = {}, exchange = NAMES.exchange): Raw {
  return {
    fields: { routingKey: topic, exchange, redelivered: false },
    properties: { contentType: "application/json", headers: { "fw-topic": topic } },
    content: Buffer.from("1"),
    ...more,
  };
}

/** A consumer of a group, what the broker is asked, and what takes messages. */
async function consumerOf({ unrouted = [], late = [], onDelivery = ({ ack }) => ack(), ...subscription }: {
  readonly unrouted?: readonly Raw[];
  /** What is published while others are moved, one at a time. */
  readonly late?: readonly Raw[];
  readonly onDelivery?: (delivery: Delivery) => Promise<void>;
  readonly topics?: readonly string[] | "*";
  readonly strays?: boolean;
}) {
  const asked: unknown[][] = [];
  const waiting = [...unrouted];
  const coming = [...late];
  const held: Raw[] = [];
  const takers = new Map<string, (raw: Raw | null) => void>();
  const channelOf = () =>
    Object.assign(new EventEmitter(), {
      assertQueue: (queue: string) => void asked.push(["assertQueue", queue]),
      deleteQueue: (queue: string) => void asked.push(["deleteQueue", queue]),
      bindQueue: (...given: unknown[]) => void asked.push(["bindQueue", ...given]),
      checkQueue: () => Promise.resolve({ messageCount: waiting.length }),
      get: () => {
        const one = waiting.shift();
        if (one) held.push(one);
        return Promise.resolve(one ?? false);
      },
      prefetch: (count: number) => void asked.push(["prefetch", count]),
      consume: (queue: string, take: (raw: Raw | null) => void) => void takers.set(queue, take),
      sendToQueue: (queue: string, content: Buffer, options: unknown) =>
        void asked.push(["sendToQueue", queue, content.toString(), options]),
      waitForConfirms: () => Promise.resolve(void asked.push(["waitForConfirms"])),
      ack: (one: Raw) => {
        asked.push(["ack", one]);
        if (held.includes(one)) held.splice(held.indexOf(one), 1);
      },
      nackAll: () => {
        waiting.unshift(...held.splice(0));
        waiting.push(...coming.splice(0, 1));
      },
      close: () => Promise.resolve(void asked.push(["close"])),
    });
  const connection = { createConfirmChannel: () => Promise.resolve(channelOf()) };
  const link = {
    lost: new Set<() => void>(),
    get: () => Promise.resolve({ connection }),
    turns: { take: (run: () => unknown) => run() },
  } as unknown as RabbitLink;
  const log = recordingLog();
  const consumer = new RabbitConsumer({
    ...{ link, log, onDelivery, names: NAMES, limits: DEFAULT_LIMITS },
    subscription: { group: "g", topics: ["T.e"], concurrency: 3, ...subscription },
  });
  await consumer.open();
  const of = (...names: readonly string[]) => asked.filter(([name]) => names.includes(name as string));
  return { consumer, asked, of, waiting, takers, link, log };
}

Deno.test("a consumer declares its queues, binds them, and fetches some messages ahead of both", async () => {
  const { consumer, of, takers } = await consumerOf({ topics: ["T.e", "T.f"] });
  const [queue, keyed] = [NAMES.queue("g"), NAMES.keyedQueue("g")];
  assert.deepEqual(of("assertQueue"), [NAMES.dead("g"), queue, keyed].map((name) => ["assertQueue", name]));
  assert.deepEqual(of("bindQueue").map(([, name, exchange]) => [name, exchange]), [
    ...[[queue, NAMES.exchange], [keyed, NAMES.keyed], [queue, NAMES.exchange], [keyed, NAMES.keyed]],
  ]);
  assert.deepEqual([of("prefetch"), [...takers.keys()]], [[["prefetch", 259]], [queue, keyed]]);
  await consumer.close();
});

Deno.test("a message that is handled is acknowledged, one of another topic without its handler", async () => {
  const handled: unknown[] = [];
  const onDelivery = ({ message, deliveries, ack }: Delivery) => {
    handled.push([message.topic, message.data, deliveries]);
    return ack();
  };
  for (
    const [topics, strays, expected] of [
      [["T.e"], undefined, ["T.e"]],
      [["T.e"], true, ["T.e", "T.other"]],
      ["*", undefined, ["T.e", "T.other"]],
    ] as const
  ) {
    handled.length = 0;
    const { consumer, of, takers } = await consumerOf({ topics, strays, onDelivery });
    const messages = [raw("T.e"), raw("T.other")];
    for (const message of messages) takers.get(NAMES.queue("g"))!(message);
    await consumer.close();
    assert.deepEqual(new Set(of("ack").map(([, message]) => message)), new Set(messages));
    assert.deepEqual(handled, expected.map((topic) => [topic, 1, 1]));
  }
});

Deno.test("a dead letter is stored before its message is acknowledged", async () => {
  const onDelivery = ({ nack }: Delivery) => nack({ dead: true, reason: "broken" });
  const { consumer, of, takers, log } = await consumerOf({ onDelivery });
  const message = raw("T.e");
  takers.get(NAMES.keyedQueue("g"))!(message);
  await consumer.close();
  const [[, queue, letter, options], ...rest] = of("sendToQueue", "waitForConfirms", "ack") as [unknown[]];
  assert.deepEqual([queue, options], [NAMES.dead("g"), {
    persistent: true,
    contentType: "application/json",
  }]);
  const { topic, lastError, attempts } = JSON.parse(letter as string);
  assert.deepEqual([topic, lastError, attempts], ["T.e", "broken", 1]);
  assert.deepEqual(rest, [["waitForConfirms"], ["ack", message]]);
  assert.match(log.lines.join(), /Gave up message T\.e after 1 deliveries: broken/);
});

Deno.test("messages that nobody waited for go to the queues of the group, in their order; those of other topics stay", async () => {
  const unrouted = [raw("T.e"), raw("T.other"), raw("T.e", {}, NAMES.keyed), raw("T.e")];
  const { consumer, of, waiting } = await consumerOf({ unrouted });
  assert.deepEqual(of("sendToQueue").map(([, queue]) => queue), [
    ...[NAMES.queue("g"), NAMES.keyedQueue("g"), NAMES.queue("g")],
  ]);
  assert.deepEqual(waiting, [unrouted[1]]);
  await consumer.close();
  const all = await consumerOf({ unrouted, topics: "*" });
  assert.deepEqual([all.of("sendToQueue").length, all.waiting], [4, []]);
  await all.consumer.close();
});

Deno.test("what is published while others are moved keeps its order: it is moved, too", async () => {
  const late = [1, 2, 3].map((n) => raw("T.e", { content: Buffer.from(String(n)) }));
  const { consumer, of, waiting } = await consumerOf({
    unrouted: [raw("T.e", { content: Buffer.from("0") })],
    late,
  });
  assert.deepEqual(of("sendToQueue").map(([, , content]) => content), ["0", "1", "2", "3"]);
  assert.deepEqual(waiting, []);
  await consumer.close();
});

Deno.test("messages are moved two hundred at a time, and taken for good when the broker has stored them", async () => {
  const { consumer, of } = await consumerOf({ unrouted: Array.from({ length: 401 }, () => raw("T.e")) });
  const runs: [name: unknown, count: number][] = [];
  for (const [name] of of("sendToQueue", "waitForConfirms", "ack")) {
    const last = runs.at(-1);
    if (last && last[0] === name) last[1]++;
    else runs.push([name, 1]);
  }
  const chunk = (count: number) => [["sendToQueue", count], ["waitForConfirms", 1], ["ack", count]];
  assert.deepEqual(runs.slice(0, 9), [...chunk(200), ...chunk(200), ...chunk(1)]);
  await consumer.close();
});
