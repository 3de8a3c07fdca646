import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Connection, Delivery, EventContext, Message as RheaMessage } from "rhea";
import { createAmqpChannel } from "../../../src/messaging/brokers/amqp/amqp_channel.ts";
import {
  bodyOf,
  deliveriesOf,
  reasonOf,
  rhea,
  topicOfAmqp,
} from "../../../src/messaging/brokers/amqp/amqp_message.ts";
import type { Channel, Message } from "../../../src/messaging/channel.ts";
import { freePort } from "../../../scripts/faults/server_command.ts";
import { TcpProxy } from "../../../scripts/faults/tcp_proxy.ts";
import { eventually } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { within } from "../../contract/within.ts";
import { channelOptions, recordingLog } from "../channels.ts";
import { isUnreachable } from "../../../src/messaging/patient_channel.ts";
import { type AmqpSetting, amqpSetting } from "./amqp_setting.ts";

const { address, isThere } = await findService("rabbitmq");

interface Given extends AmqpSetting {
  readonly channel: Channel;
  readonly name: string;
}

/** Another program. */
async function withClient(run: (connection: Connection) => unknown): Promise<void> {
  const [host, port] = address.split(":");
  const login = { username: "guest", password: "guest", reconnect: false as const };
  const connection = rhea.create_container().connect({ host, port: Number(port), ...login });
  await new Promise((resolve) => connection.once("connection_open", resolve));
  await run(connection);
  const closed = new Promise((resolve) => connection.once("connection_close", resolve));
  connection.close();
  await closed;
}

function testAmqp(rule: string, run: (given: Given) => Promise<void>): void {
  Deno.test({
    name: rule,
    ignore: !isThere,
    fn: async () => {
      const name = uniqueName();
      const setting = await amqpSetting(address, name, ["g"]);
      const channel = setting.create(address);
      try {
        await channel.connect();
        await run({ ...setting, channel, name });
      } finally {
        await channel.close();
        await setting.clean();
      }
    },
  });
}

testAmqp("a CloudEvent travels in application properties", async ({ channel, name }) => {
  const headers = {
    ...{ specversion: "1.0", id: "1", source: "/ä", type: "T.e", datacontenttype: "application/json", n: 7 },
    correlationid: "c1",
  };
  await channel.publish([{ topic: "T.e", data: { n: 1 }, headers, key: "k" }]);
  const { promise, resolve } = Promise.withResolvers<RheaMessage>();
  await withClient((connection) => {
    const receiver = connection.open_receiver({ source: { address: `/amq/queue/${name}.g` } });
    receiver.on("message", ({ message }: EventContext) => resolve(message!));
    return promise;
  });
  const { application_properties: properties = {}, ...stored } = await promise;
  const { content_type, message_id, correlation_id, subject, group_id, durable } = stored;
  assert.deepEqual(
    [content_type, message_id, correlation_id, subject, group_id, durable],
    ["application/json", "/\\u00e4 1", "c1", "T.e", "k", true],
  );
  const attributes = Object.entries(properties).filter(([one]) => one.startsWith("cloudEvents_"));
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

testAmqp("a dead letter keeps the message, its error and its attempts", async ({ channel, model, name }) => {
  await channel.subscribe(
    { group: "g", topics: ["T.e", "x"], concurrency: 1 },
    ({ nack }) => nack({ dead: true, reason: "broken" }),
  );
  await channel.publish([{ topic: "T.e", data: { n: 1 }, headers: { a: "b" } }]);
  model.publish(name, "x", Buffer.from("{no json"), {});
  const found: Record<string, unknown>[] = [];
  for (let attempt = 0; attempt < 3_000 && found.length < 2; attempt++) {
    const letter = await model.get(`${name}.g.dead`, { noAck: true });
    if (letter) found.push(JSON.parse(letter.content.toString()));
    else await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [broken, ours] = found.toSorted((x, y) => String(x.lastError) < String(y.lastError) ? -1 : 1);
  assert.deepEqual([broken.data, broken.lastError, broken.attempts], ["{no json", "No valid JSON", 1]);
  assert.deepEqual([ours.topic, ours.data, ours.headers, ours.lastError, ours.attempts], [
    ...["T.e", { n: 1 }, { a: "b" }, "broken", 1],
  ]);
});

testAmqp(
  "a group without a queue cannot subscribe, and the error names the queue",
  async ({ channel, name }) => {
    await assert.rejects(
      channel.subscribe({ group: "none", topics: "*", concurrency: 1 }, ({ ack }) => ack()),
      (error: Error) => error.message.includes(`Cannot receive from /amq/queue/${name}.none: amqp:`),
    );
  },
);

testAmqp(
  "on RabbitMQ the default addresses are the exchange amq.topic and the queue of the group",
  async ({ model, name, create }) => {
    const group = `${name}/app`;
    await model.assertQueue(group, { durable: true });
    await model.bindQueue(group, "amq.topic", "reviews/#");
    await model.bindQueue(group, "amq.topic", "reviews/changed");
    const channel = create(address, { address: undefined, queue: undefined });
    const got: Message[] = [];
    try {
      await channel.subscribe({ group, topics: "*", concurrency: 1 }, async ({ message, ack }) => {
        got.push(message);
        await ack();
      });
      await channel.publish([{ topic: "reviews/changed", data: 1, headers: {} }]);
      await eventually(() => got.length === 1);
    } finally {
      await channel.close();
      await model.deleteQueue(group);
    }
    assert.deepEqual(got.map(({ topic, data }) => [topic, data]), [["reviews/changed", 1]]);
  },
);

testAmqp(
  "a refused address is told as such, concerns its messages only, and is tried again",
  async ({ model, name, create }) => {
    const channel = create(address, { address: `/exchange/${name}{topic}` });
    const publish = (topic: string) => channel.publish([{ topic, data: topic, headers: {} }]);
    const added = `${name}.added`;
    try {
      const refusal = {
        code: "ADDRESS_REFUSED",
        message: new RegExp(`refuses the address '/exchange/${name}.added': amqp:not-found`),
      };
      const [known, unknown] = await Promise.allSettled([publish(""), publish(".added")]);
      assert.equal(known.status, "fulfilled");
      assert.equal(unknown.status, "rejected");
      assert.throws(() => {
        throw unknown.reason;
      }, refusal);
      assert.deepEqual([isUnreachable(unknown.reason), unknown.reason.unrecoverable], [false, undefined]);
      await assert.rejects(publish(".added"), refusal);
      await model.assertExchange(added, "topic");
      await publish(".added");
    } finally {
      await channel.close();
      await model.deleteExchange(added);
    }
  },
);

testAmqp(
  "a receiver whose queue is gone says so, again and again, and goes on when it is back",
  async ({ model, name }) => {
    const log = recordingLog();
    const queue = `${name}.other`;
    await model.assertQueue(queue);
    const channel = createAmqpChannel({
      ...channelOptions({
        credentials: { url: `amqp://guest:guest@${address}` },
        address: `/amq/queue/${queue}`,
        queue: `/amq/queue/${name}.{group}`,
      }),
      log,
    });
    const text = () => log.lines.map((line) => line.join(" ")).join("\n");
    const got: unknown[] = [];
    try {
      await channel.subscribe({ group: "other", topics: "*", concurrency: 1 }, async ({ message, ack }) => {
        got.push(message.data);
        await ack();
      });
      await model.deleteQueue(queue);
      await eventually(() => text().split("Cannot receive, trying again").length > 2);
      await model.assertQueue(queue);
      await channel.publish([{ topic: "t", data: 1, headers: {} }]);
      await eventually(() => got.length === 1);
    } finally {
      await channel.close();
      await model.deleteQueue(queue);
    }
    assert.match(
      text(),
      /Cannot receive from .*other: amqp:not-found .*; declare the queue, and bind it to the exchange amq\.topic/,
    );
  },
);

testAmqp("reads messages of other programs", async ({ channel, name }) => {
  const got: Message[] = [];
  await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ message, ack }) => {
    got.push(message);
    await ack();
  });
  await withClient(async (connection) => {
    const sender = connection.open_sender({ target: { address: `/exchange/${name}` } });
    await new Promise((resolve) => sender.once("sendable", resolve));
    const application_properties = { "cloudEvents:specversion": "1.0", "cloudEvents_id": "1" };
    sender.send({ subject: "T.e", application_properties, content_type: "application/json", body: "[1]" });
    const body = rhea.message.data_section(Buffer.from([0, 255]));
    sender.send({ subject: "T.e", application_properties: {}, content_type: "image/png", body });
    await eventually(() => got.length === 2);
  });
  const [{ data, headers: read }, { data: bytes }] = got;
  assert.deepEqual(bytes, Uint8Array.of(0, 255));
  assert.deepEqual([data, read.specversion, read.id, read.datacontenttype], [
    [1],
    "1.0",
    "1",
    "application/json",
  ]);
});

Deno.test("the topic of a message is its subject, else what its address says", () => {
  const addresses = { topicOf: (address: string) => `of ${address}` };
  const topicOf = (message: object) => topicOfAmqp({ body: "", ...message }, addresses);
  assert.equal(topicOf({ subject: "s", to: "a" }), "s");
  assert.equal(topicOf({ subject: "", to: "a" }), "of a");
  assert.equal(topicOf({ to: "a" }), "of a");
  assert.equal(topicOf({}), "of ");
});

Deno.test("the number of a delivery is that of failed ones and this one, at least two behind another consumer (AMQP 1.0, 3.2.1)", () => {
  const numbers: readonly [count: number | undefined, isFirst: boolean | undefined, expected: number][] = [
    [undefined, undefined, 1],
    [undefined, true, 1],
    [undefined, false, 2],
    [0, undefined, 1],
    [0, true, 1],
    [0, false, 2],
    [1, true, 2],
    [1, false, 2],
    [7, undefined, 8],
  ];
  for (const [delivery_count, first_acquirer, expected] of numbers) {
    assert.equal(deliveriesOf({ body: "", delivery_count, first_acquirer }), expected);
  }
});

Deno.test("the body of a message is data in one or several sections, or a value (AMQP 1.0, 3.2)", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const bodies: readonly [body: unknown, expected: unknown][] = [
    ["text", "text"],
    [{ content: "text" }, "text"],
    [{ content: [bytes("te"), bytes("xt")] }, "text"],
    [[bytes("te"), bytes("xt")], "text"],
    [[bytes("te"), "xt"], '[{"0":116,"1":101},"xt"]'],
    [undefined, ""],
    [{ content: undefined }, ""],
    [null, "null"],
    [{ content: { a: 1 } }, '{"a":1}'],
    [{ a: 1 }, '{"a":1}'],
    [[1, "2"], '[1,"2"]'],
    [7, "7"],
  ];
  for (const [body, expected] of bodies) {
    const given = bodyOf(body);
    assert.equal(typeof given === "string" ? given : new TextDecoder().decode(given), expected);
  }
  assert.deepEqual(bodyOf(bytes("a")), bytes("a"));
});

Deno.test("what a broker refuses is told with its condition and description (AMQP 1.0, 2.8.14)", () => {
  assert.equal(reasonOf({ condition: "amqp:not-found", description: "no queue" }), "amqp:not-found no queue");
  assert.equal(reasonOf({ condition: "amqp:not-found" }), "amqp:not-found");
  assert.equal(reasonOf({ description: "lost" }), "amqp:internal-error lost");
  assert.equal(reasonOf(undefined), "amqp:internal-error");
});

Deno.test("a broker that is not there is told with the reason, not as one that is silent", async () => {
  const credentials = { url: `amqp://127.0.0.1:${freePort()}` };
  const channel = createAmqpChannel(
    channelOptions({ kind: "enterprise-messaging", credentials, timeoutMs: 500 }),
  );
  const error = await channel.connect().then(() => undefined, (one) => one);
  await channel.close();
  assert.equal(error?.code, "CHANNEL_UNREACHABLE");
  assert.match(String(error.cause), /refused/i);
});

Deno.test("addresses of AMQP that name nothing stop the start", () => {
  const create = (options: Record<string, unknown>) =>
    createAmqpChannel(channelOptions({ kind: "enterprise-messaging", ...options }));
  assert.throws(() => create({ credentials: { url: "http://host" } }), {
    name: "ConfigurationError",
    message: "fw.requires.messaging.credentials.url has scheme 'http:', expected amqp: or amqps:",
  });
  assert.throws(() => create({ credentials: { url: "amqp://host" }, queue: "all" }), {
    name: "ConfigurationError",
    message: "fw.requires.messaging.queue is 'all', expected {group} in it",
  });
});

Deno.test("order and dead letters are promised only where the broker is configured for them", () => {
  const of = (options: Record<string, unknown>) =>
    createAmqpChannel(channelOptions({ credentials: { url: "amqp://host" }, ...options })).guarantees;
  assert.deepEqual([of({}).order, of({}).deadLetters, of({}).survives], ["none", false, "process crash"]);
  const full = of({ singleConsumer: true, deadLetterQueue: "queue:{group}.dead", sync: true });
  assert.deepEqual([full.order, full.deadLetters, full.survives], ["key", true, "host crash"]);
});

Deno.test("a group subscribes again where the broker closes the connection meanwhile", async () => {
  const broker = rhea.create_container();
  let sessions = 0;
  broker.on("session_open", ({ connection }: EventContext) => void (++sessions === 1 && connection.close()));
  broker.on("disconnected", () => {});
  const server = broker.listen({ port: 0, host: "127.0.0.1" } as never);
  await new Promise<void>((resolve) => server.once("listening", () => resolve()));
  const { port } = server.address() as { port: number };
  const credentials = { url: `amqp://127.0.0.1:${port}` };
  const channel = createAmqpChannel(channelOptions({ kind: "enterprise-messaging", credentials }));
  try {
    const subscription = { group: "g", topics: "*", concurrency: 1 } as const;
    await within(channel.subscribe(subscription, ({ ack }) => ack()), "subscribing");
    assert.equal(sessions, 2);
  } finally {
    await channel.close();
    await new Promise((resolve) => server.close(resolve));
  }
});

const GONE = { condition: "amqp:resource-deleted", description: "gone" };
const ENDS: Readonly<Record<string, (context: EventContext) => void>> = {
  "a receiver because of an error": ({ sender }) => sender!.close(GONE),
  "a receiver without a reason": ({ sender }) => sender!.close(),
  "the session of a receiver because of an error": ({ session }) => session!.close(GONE),
  "the session of a receiver without a reason": ({ session }) => session!.close(),
};
for (const [what, end] of Object.entries(ENDS)) {
  Deno.test(`when the broker ends ${what}, this is told in the log, and a receiver is opened again`, async () => {
    const broker = rhea.create_container();
    let receivers = 0;
    broker.on("sender_flow", (context: EventContext) => void (++receivers === 1 && end(context)));
    broker.on("disconnected", () => {});
    const server = broker.listen({ port: 0, host: "127.0.0.1" } as never);
    await new Promise<void>((resolve) => server.once("listening", () => resolve()));
    const { port } = server.address() as { port: number };
    const log = recordingLog();
    const credentials = { url: `amqp://127.0.0.1:${port}` };
    const channel = createAmqpChannel({
      ...channelOptions({ kind: "enterprise-messaging", credentials }),
      log,
    });
    try {
      const subscription = { group: "g", topics: "*", concurrency: 1 } as const;
      await within(channel.subscribe(subscription, ({ ack }) => ack()).catch(() => {}), "subscribing");
      await eventually(() => receivers === 2);
    } finally {
      await channel.close();
      await new Promise((resolve) => server.close(resolve));
    }
    const text = log.lines.map((line) => line.join(" ")).join("\n");
    assert.match(text, /^The AMQP broker has ended the receiver of group 'g': amqp:/m);
    assert.equal(what.endsWith("error"), text.includes("gone"));
  });
}

Deno.test("what a broker will never take is unrecoverable, what it has no place for is tried again later", async () => {
  const outcomes: ((delivery: Delivery) => void)[] = [
    (delivery) => delivery.reject({ condition: "amqp:not-allowed", description: "no" }),
    (delivery) => delivery.reject({ condition: "amqp:link:message-size-exceeded" }),
    (delivery) => delivery.reject({ condition: "amqp:resource-limit-exceeded" }),
    (delivery) => delivery.release(),
    (delivery) => delivery.accept(),
  ];
  const broker = rhea.create_container();
  broker.on("message", ({ delivery }: EventContext) => outcomes.shift()!(delivery!));
  broker.on("disconnected", () => {});
  const server = broker.listen(
    { port: 0, host: "127.0.0.1", receiver_options: { autoaccept: false } } as never,
  );
  await new Promise<void>((resolve) => server.once("listening", () => resolve()));
  const { port } = server.address() as { port: number };
  const credentials = { url: `amqp://127.0.0.1:${port}` };
  const channel = createAmqpChannel(channelOptions({ kind: "enterprise-messaging", credentials }));
  const answers: unknown[] = [];
  while (outcomes.length > 0) {
    const error = await channel.publish([{ topic: "t", data: 1, headers: {} }]).then(
      () => undefined,
      (one) => one,
    );
    answers.push(error && [error.code, error.unrecoverable ?? false]);
  }
  await channel.close();
  await new Promise((resolve) => server.close(resolve));
  assert.deepEqual(answers, [
    ...[["NOT_ALLOWED", true], ["MESSAGE_TOO_LARGE", true], ["NOT_STORED", false], ["NOT_STORED", false]],
    undefined,
  ]);
});

Deno.test({
  name:
    "a broker that is connected and silent is told as unreachable: dead letters and messages (messaging 7)",
  ignore: !isThere,
  fn: async () => {
    const proxy = new TcpProxy(address);
    const { create, clean } = await amqpSetting(address, uniqueName(), ["g"]);
    const channel = create(proxy.address, { timeoutMs: 300 });
    try {
      await channel.connect();
      await channel.publish([{ topic: "t", data: 1, headers: {} }]);
      proxy.stall();
      const letters = channel.deadLetters!("g")!;
      const attempts: (() => Promise<unknown>)[] = [
        () => letters.list(1),
        () => letters.replay("none"),
        () => channel.publish([{ topic: "t", data: 2, headers: {} }]),
      ];
      for (const attempt of attempts) {
        await assert.rejects(within(attempt(), "a silent broker"), { code: "CHANNEL_UNREACHABLE" });
      }
      proxy.resume();
      assert.deepEqual(await letters.list(1), []);
      await channel.publish([{ topic: "t", data: 3, headers: {} }]);
    } finally {
      await channel.close();
      await proxy.close();
      await clean();
    }
  },
});
