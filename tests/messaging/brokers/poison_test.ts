import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { connect as connectRabbit } from "amqplib";
import { createNatsChannel } from "../../../src/messaging/brokers/nats/nats_channel.ts";
import { NatsNames } from "../../../src/messaging/brokers/nats/nats_names.ts";
import { createRabbitChannel } from "../../../src/messaging/brokers/rabbitmq/rabbit_channel.ts";
import { RabbitNames } from "../../../src/messaging/brokers/rabbitmq/rabbit_names.ts";
import type { Channel, DeadLetter } from "../../../src/messaging/channel.ts";
import { eventually } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions } from "../channels.ts";
import { removeRabbit } from "./rabbit_cleaning.ts";

const nats = await findService("nats");
const rabbitmq = await findService("rabbitmq");

interface NatsSetting {
  readonly channel: Channel;
  readonly stream: string;
  readonly manager: JetStreamManager;
}

async function withNats(run: (setting: NatsSetting) => Promise<void>): Promise<void> {
  const stream = uniqueName();
  const entry = { kind: "nats-messaging", credentials: { url: nats.address }, stream };
  const channel = createNatsChannel(channelOptions(entry));
  const connection = await connect({ servers: nats.address });
  const manager = await jetstreamManager(connection);
  try {
    await channel.connect();
    await run({ channel, stream, manager });
  } finally {
    await channel.close();
    await manager.streams.delete(stream);
    await connection.close();
  }
}

/** Receives everything; what is to fail becomes a dead letter. */
async function collect(channel: Channel, fails: (topic: string) => boolean = () => false) {
  const got: [string, unknown][] = [];
  await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ message, ack, nack }) => {
    if (fails(message.topic)) return await nack({ dead: true, reason: "no ".repeat(1_000) });
    got.push([message.topic, message.data]);
    await ack();
  });
  return got;
}

async function lettersOf(channel: Channel, count: number): Promise<readonly DeadLetter[]> {
  let letters: readonly DeadLetter[] = [];
  for (let attempt = 0; attempt < 1_000 && letters.length < count; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    letters = await channel.deadLetters!("g")!.list(10);
  }
  return letters;
}

Deno.test({
  name:
    "subjects that are not encoded stand for themselves: they stop no consumer and block no partition (NATS)",
  ignore: !nats.isThere,
  fn: () =>
    withNats(async ({ channel, stream, manager }) => {
      const got = await collect(channel);
      for (const subject of ["t.%zz", "t.%FF", "k.3.%zz", "k.3.T.e", "t.T.e"]) {
        await manager.jetstream().publish(`${stream}.${subject}`, "1");
      }
      await eventually(() => got.length === 5);
      const topics = got.map(([topic]) => topic).toSorted();
      assert.deepEqual(topics, ["%FF", "%zz", "%zz", "T.e", "T.e"]);
    }),
});

Deno.test({
  name:
    "a dead letter that is too large for the server leads to its message, which is shown and tried again (NATS)",
  ignore: !nats.isThere,
  fn: () =>
    withNats(async ({ channel, stream, manager }) => {
      const isFailing = { is: true };
      const got = await collect(channel, (topic) => isFailing.is && topic === "T.large");
      const large = "x".repeat(1_048_000);
      await manager.jetstream().publish(`${stream}.k.3.T.e`, "\u0001".repeat(900_000));
      await manager.jetstream().publish(`${stream}.k.3.T.large`, JSON.stringify(large));
      await manager.jetstream().publish(`${stream}.k.3.T.e`, "1");
      await eventually(() => got.length === 1);
      const letters = await lettersOf(channel, 2);
      assert.deepEqual(letters.map(({ message: { topic, data } }) => [topic, (data as string).length]), [
        ["T.e", 900_000],
        ["T.large", large.length],
      ]);
      assert.equal(letters[0].lastError, "No valid JSON");
      assert.ok(letters[1].lastError.startsWith("no no "));
      assert.equal(letters[1].attempts, 1);
      isFailing.is = false;
      assert.equal(await channel.deadLetters!("g")!.replay(letters[1].id), true);
      await eventually(() => got.length === 2);
      assert.deepEqual(got[1], ["T.large", large]);
      // without its message, a letter can be looked at and discarded only
      const { state } = await manager.streams.info(stream);
      for (let seq = state.first_seq; seq < Number(letters[0].id); seq++) {
        await manager.streams.deleteMessage(stream, seq).catch(() => {});
      }
      const [left] = await channel.deadLetters!("g")!.list(10);
      assert.deepEqual([left.message.topic, left.message.data], ["", undefined]);
      assert.match(left.lastError, /^No valid JSON \(the server no longer has the message\)$/);
      assert.equal(await channel.deadLetters!("g")!.replay(left.id), false);
      assert.equal(await channel.deadLetters!("g")!.discard(left.id), true);
    }),
});

Deno.test({
  name: "a dead letter whose confirmation was lost is stored once, though it is sent again (NATS)",
  ignore: !nats.isThere,
  fn: () =>
    withNats(async ({ channel, stream, manager }) => {
      await collect(channel);
      for (const body of ["{", "["]) await manager.jetstream().publish(`${stream}.t.T.e`, body);
      await lettersOf(channel, 2);
      const subject = new NatsNames(stream, "messaging").dead("g");
      const letter = (await manager.streams.getMessage(stream, { last_by_subj: subject }))!;
      const msgID = letter.header.get("Nats-Msg-Id");
      assert.equal((await manager.jetstream().publish(subject, letter.data, { msgID })).duplicate, true);
      assert.equal((await lettersOf(channel, 2)).length, 2);
    }),
});

Deno.test({
  name:
    "bodies that are no UTF-8, numbers beyond those of JavaScript and deep headers are dead letters (RabbitMQ)",
  ignore: !rabbitmq.isThere,
  fn: async () => {
    const stream = uniqueName();
    const credentials = { url: `amqp://${rabbitmq.address}`, user: "guest", password: "guest" };
    const channel = createRabbitChannel(channelOptions({ kind: "rabbitmq-messaging", credentials, stream }));
    const connection = await connectRabbit(`amqp://guest:guest@${rabbitmq.address}`, { noDelay: true });
    const model = await connection.createChannel();
    try {
      const got = await collect(channel);
      let deep: unknown = 1;
      for (let level = 0; level < 100; level++) deep = { deep };
      const queue = new RabbitNames(stream).queue("g");
      const latin1 = Uint8Array.of(0x22, 0xe4, 0x22);
      for (const body of [latin1, '{"n":[1e999]}', '{"n":[1e308]}']) {
        model.sendToQueue(queue, Buffer.from(body as string), { headers: { "fw-topic": "T.e" } });
      }
      model.sendToQueue(queue, Buffer.from("1"), { headers: { "fw-topic": "T.e", deep } });
      model.sendToQueue(queue, Buffer.from("2"), { headers: { "fw-topic": "T.e" } });
      await eventually(() => got.length === 2);
      assert.deepEqual(got, [["T.e", { n: [1e308] }], ["T.e", 2]]);
      const letters = await lettersOf(channel, 3);
      const found = letters.map(({ message: { data, headers }, lastError }) => [data, headers, lastError]);
      const order = ([, , one]: unknown[], [, , other]: unknown[]) => String(one) < String(other) ? -1 : 1;
      assert.deepEqual(found.toSorted(order), [
        ['{"n":[1e999]}', {}, "A number is beyond those of JavaScript"],
        ["1", {}, "Nested deeper than 64 levels"],
        // as it came, to be looked at
        [latin1, {}, "No UTF-8"],
      ]);
    } finally {
      await channel.close();
      await connection.close();
      await removeRabbit(rabbitmq.address, stream, ["g"]);
    }
  },
});
