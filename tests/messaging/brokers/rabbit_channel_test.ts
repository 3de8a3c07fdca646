import assert from "node:assert/strict";
import { type Channel as RabbitModel, connect } from "amqplib";
import { Buffer } from "node:buffer";
import { createRabbitChannel } from "../../../src/messaging/brokers/rabbitmq/rabbit_channel.ts";
import { RabbitNames, routingKey } from "../../../src/messaging/brokers/rabbitmq/rabbit_names.ts";
import type { Channel, Message } from "../../../src/messaging/channel.ts";
import { eventually } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions } from "../channels.ts";
import { TcpProxy } from "../../../scripts/faults/tcp_proxy.ts";
import { within } from "../../contract/within.ts";
import { removeRabbit } from "./rabbit_cleaning.ts";

const { address, isThere } = await findService("rabbitmq");

const EVENT = {
  ...{ specversion: "1.0", id: "1", source: "/ä", type: "T.e", datacontenttype: "application/json" },
  ...{ correlationid: "c1", n: 7 },
};

interface Setting {
  readonly channel: Channel;
  readonly names: RabbitNames;
  readonly model: RabbitModel;
}

function testRabbit(rule: string, run: (setting: Setting) => Promise<void>): void {
  Deno.test({
    name: rule,
    ignore: !isThere,
    fn: async () => {
      const stream = uniqueName();
      const credentials = { url: `amqp://${address}`, user: "guest", password: "guest" };
      const channel = createRabbitChannel(
        channelOptions({ kind: "rabbitmq-messaging", credentials, stream }),
      );
      const connection = await connect(`amqp://guest:guest@${address}`, { noDelay: true });
      const model = await connection.createChannel();
      try {
        await channel.connect();
        await run({ channel, names: new RabbitNames(stream), model });
      } finally {
        await channel.close();
        await connection.close();
        await removeRabbit(address, stream, ["g", "h"]);
      }
    },
  });
}

function collect(channel: Channel, topics: readonly string[] | "*", got: Message[], group = "g") {
  return channel.subscribe({ group, topics, concurrency: 1 }, async ({ message, ack }) => {
    got.push(message);
    await ack();
  });
}

testRabbit("a CloudEvent travels in the headers of the AMQP binding", async ({ channel, names, model }) => {
  await channel.publish([{ topic: "T.e", data: { n: 1 }, headers: EVENT }]);
  const stored = await model.get(names.unrouted, { noAck: true });
  assert.ok(stored);
  assert.equal(stored.content.toString(), '{"n":1}');
  const { headers = {}, contentType, messageId, correlationId, deliveryMode } = stored.properties;
  assert.deepEqual(
    [contentType, messageId, correlationId, deliveryMode],
    ["application/json", "/\\u00e4 1", "c1", 2],
  );
  const attributes = Object.entries(headers).filter(([name]) => name.startsWith("cloudEvents_"));
  assert.deepEqual(Object.fromEntries(attributes), {
    ...{
      cloudEvents_specversion: "1.0",
      cloudEvents_id: "1",
      cloudEvents_source: "/ä",
      cloudEvents_type: "T.e",
    },
    ...{ cloudEvents_correlationid: "c1", cloudEvents_n: "7" },
  });
});

testRabbit("reads events of other programs, under both prefixes", async ({ channel, names, model }) => {
  const got: Message[] = [];
  await collect(channel, ["T.e"], got);
  const headers = { "cloudEvents:specversion": "1.0", cloudEvents_id: "1", other: true };
  model.publish(names.exchange, "T.e", Buffer.from("[1]"), { headers, contentType: "application/json" });
  await eventually(() => got.length === 1);
  const expected = { specversion: "1.0", id: "1", other: true, datacontenttype: "application/json" };
  assert.deepEqual(got, [{ topic: "T.e", data: [1], headers: expected, key: undefined }]);
});

testRabbit("messages of topics that nobody waits for stay for their own receiver", async ({ channel }) => {
  for (const topic of ["a", "b", "a", "b"]) await channel.publish([{ topic, data: topic, headers: {} }]);
  await channel.publish([{ topic: "b", data: "keyed", headers: {}, key: "k" }]);
  const [a, b]: [Message[], Message[]] = [[], []];
  await collect(channel, ["a"], a);
  await eventually(() => a.length === 2);
  await collect(channel, ["b"], b, "h");
  await eventually(() => b.length === 3);
  assert.deepEqual(a.map(({ data }) => data), ["a", "a"]);
  assert.deepEqual(b.map(({ data }) => data).toSorted(), ["b", "b", "keyed"]);
});

testRabbit(
  "messages with a key that came before their receiver keep their order: they wait where one instance takes them",
  async ({ channel, names, model }) => {
    const kinds = { plain: undefined, keyed: "k" };
    for (const n of [1, 2, 3]) {
      for (const [data, key] of Object.entries(kinds)) {
        await channel.publish([{ topic: "a", data: `${data} ${n}`, headers: {}, key }]);
      }
    }
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<string>();
    const subscription = await channel.subscribe(
      { group: "g", topics: "*", concurrency: 1 },
      async ({ message, ack }) => {
        begin(String(message.data));
        await gate;
        await ack();
      },
    );
    const first = await begun;
    const closed = subscription.close();
    open();
    await closed;
    const rest = { plain: [] as string[], keyed: [] as string[] };
    const queues = { plain: names.queue("g"), keyed: names.keyedQueue("g") };
    for (const kind of ["plain", "keyed"] as const) {
      await model.consume(queues[kind], (got) => got && rest[kind].push(JSON.parse(got.content.toString())));
    }
    await eventually(() => rest.plain.length + rest.keyed.length === 5);
    for (const kind of ["plain", "keyed"] as const) {
      const all = [1, 2, 3].map((n) => `${kind} ${n}`);
      assert.deepEqual(rest[kind], all.filter((one) => one !== first));
    }
  },
);

testRabbit(
  "a dead letter keeps the message, its error and its attempts",
  async ({ channel, names, model }) => {
    const got: unknown[] = [];
    await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ message, ack, nack }) => {
      got.push(message.data);
      await (message.data === "last" ? ack() : nack({ dead: true, reason: "broken" }));
    });
    await channel.publish([{ topic: "T.e", data: { n: 1 }, headers: { a: "b" } }]);
    model.publish(names.exchange, "T.e", Buffer.from("{no json"), {});
    await channel.publish([{ topic: "T.e", data: "last", headers: {} }]);
    const found: Record<string, unknown>[] = [];
    for (let attempt = 0; attempt < 3_000 && found.length < 2; attempt++) {
      const letter = await model.get(names.dead("g"), { noAck: true });
      if (letter) found.push(JSON.parse(letter.content.toString()));
      else await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const [broken, ours] = found.toSorted((x, y) => String(x.lastError) < String(y.lastError) ? -1 : 1);
    assert.deepEqual([broken.data, broken.lastError, broken.attempts], ["{no json", "No valid JSON", 1]);
    assert.deepEqual([ours.topic, ours.data, ours.headers, ours.lastError, ours.attempts], [
      ...["T.e", { n: 1 }, { a: "b" }, "broken", 1],
    ]);
  },
);

testRabbit("a topic longer than a routing key arrives whole", async ({ channel }) => {
  const topic = "ü".repeat(256);
  const got: Message[] = [];
  await collect(channel, [topic], got);
  await channel.publish([{ topic: "x".repeat(500), data: 0, headers: {} }, { topic, data: 1, headers: {} }]);
  await eventually(() => got.length === 1);
  assert.deepEqual(got.map((message) => [message.topic, message.data]), [[topic, 1]]);
  assert.match(routingKey(topic), /^~[0-9a-f]{64}$/);
});

Deno.test({
  name: "closing ends where the connection is lost before RabbitMQ has answered",
  ignore: !isThere,
  fn: async () => {
    const stream = uniqueName();
    const proxy = new TcpProxy(address);
    const credentials = { url: `amqp://guest:guest@${proxy.address}` };
    const channel = createRabbitChannel(
      channelOptions({ kind: "rabbitmq-messaging", credentials, stream }),
    );
    try {
      await channel.connect();
      proxy.stall();
      const closing = channel.close();
      await new Promise((resolve) => setTimeout(resolve, 20));
      proxy.cut();
      await within(closing, "closing the channel");
    } finally {
      await proxy.close();
      await removeRabbit(address, stream, []);
    }
  },
});

Deno.test({
  name: "a login that RabbitMQ refuses stops the start, without the password in the message",
  ignore: !isThere,
  fn: async () => {
    const credentials = { url: `amqp://${address}`, user: "nobody", password: "s3cret" };
    const channel = createRabbitChannel(channelOptions({ kind: "rabbitmq-messaging", credentials }));
    await assert.rejects(channel.connect(), (error: Error) => {
      assert.deepEqual(
        [error.name, error.message],
        ["ConfigurationError", "RabbitMQ refuses the login of fw.requires.messaging.credentials"],
      );
      assert.ok(!Deno.inspect(error).includes("s3cret"));
      return true;
    });
    await channel.close();
  },
});
