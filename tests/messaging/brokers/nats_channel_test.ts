import assert from "node:assert/strict";
import { AckPolicy, DeliverPolicy, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, nanos } from "@nats-io/transport-node";
import { createNatsChannel } from "../../../src/messaging/brokers/nats/nats_channel.ts";
import { NatsNames } from "../../../src/messaging/brokers/nats/nats_names.ts";
import type { Channel } from "../../../src/messaging/channel.ts";
import { eventually } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions } from "../channels.ts";

const { address, isThere } = await findService("nats");

const EVENT = {
  ...{ specversion: "1.0", id: "e 1", source: "/ä", type: "T.e", datacontenttype: "application/json" },
  ...{ correlationid: "c1", n: 7 },
};

function testNats(
  rule: string,
  run: (channel: Channel, stream: string, manager: JetStreamManager) => Promise<void>,
): void {
  Deno.test({
    name: rule,
    ignore: !isThere,
    fn: async () => {
      const stream = uniqueName();
      const options = { kind: "nats-messaging", credentials: { url: address }, stream };
      const channel = createNatsChannel(channelOptions(options));
      const connection = await connect({ servers: address });
      const manager = await jetstreamManager(connection);
      try {
        await channel.connect();
        await run(channel, stream, manager);
      } finally {
        await channel.close();
        await manager.streams.delete(stream);
        await connection.close();
      }
    },
  });
}

testNats("a CloudEvent travels in the headers of the NATS binding", async (channel, stream, manager) => {
  await channel.publish([{ topic: "T.e", data: { n: 1 }, headers: EVENT }]);
  const stored = await manager.streams.getMessage(stream, { last_by_subj: `${stream}.t.T.e` });
  assert.equal(stored!.string(), '{"n":1}');
  const { header } = stored!;
  const names = ["ce-specversion", "ce-id", "ce-source", "ce-type", "ce-datacontenttype", "ce-n"];
  assert.deepEqual(
    names.map((name) => header.get(name)),
    ["1.0", "e%201", "/%C3%A4", "T.e", "application/json", "7"],
  );
});

testNats("bytes and text of a CloudEvent stand in the body as they are", async (channel, stream, manager) => {
  const bytes = Uint8Array.of(0, 255, 10);
  const types = { "image/png": bytes, "application/octet-stream": bytes, "text/plain": "Zoë" };
  for (const [datacontenttype, data] of Object.entries(types)) {
    await channel.publish([{
      topic: "T.e",
      data,
      headers: { ...EVENT, id: datacontenttype, datacontenttype },
    }]);
    const stored = await manager.streams.getMessage(stream, { last_by_subj: `${stream}.t.T.e` });
    const expected = typeof data === "string" ? new TextEncoder().encode(data) : data;
    assert.deepEqual([...stored!.data], [...expected]);
    assert.deepEqual([stored!.header.get("ce-datacontenttype"), stored!.header.get("fw-data")], [
      ...[datacontenttype, ""],
    ]);
  }
});

testNats("reads events of other programs", async (channel, stream, manager) => {
  const got: unknown[] = [];
  await channel.subscribe({ group: "g", topics: ["T.e"], concurrency: 1 }, async ({ message, ack }) => {
    got.push(message);
    await ack();
  });
  const { headers } = await import("@nats-io/transport-node");
  const given = headers();
  given.append("ce-specversion", "1.0");
  given.append("ce-source", "/%C3%A4");
  given.append("other", "x");
  await manager.jetstream().publish(`${stream}.t.T.e`, "[1]", { headers: given });
  given.append("ce-datacontenttype", "image/png");
  await manager.jetstream().publish(`${stream}.t.T.e`, "png", { headers: given });
  await eventually(() => got.length === 2);
  const expected = { specversion: "1.0", source: "/ä", other: "x" };
  assert.deepEqual(got, [
    { topic: "T.e", data: [1], headers: expected, key: undefined },
    {
      topic: "T.e",
      data: new TextEncoder().encode("png"),
      headers: { ...expected, datacontenttype: "image/png" },
      key: undefined,
    },
  ]);
});

testNats("the same event published twice counts as one", async (channel, stream, manager) => {
  await channel.publish([{ topic: "T.e", data: 1, headers: EVENT }]);
  await channel.publish([{ topic: "T.e", data: 1, headers: EVENT }]);
  assert.equal((await manager.streams.info(stream)).state.messages, 1);
  await channel.publish([{ topic: "T.e", data: 1, headers: { ...EVENT, source: "/other" } }]);
  await channel.publish([{ topic: "T.e", data: 1, headers: { id: "1" } }]);
  await channel.publish([{ topic: "T.e", data: 1, headers: { id: "1" } }]);
  assert.equal((await manager.streams.info(stream)).state.messages, 4);
  const ours = { topic: "T.e", data: 1, headers: { "x-message-id": "m1" } };
  for (const topic of ["T.e", "T.e", "T.f"]) await channel.publish([{ ...ours, topic }]);
  assert.equal((await manager.streams.info(stream)).state.messages, 6);
});

testNats("a dead letter keeps the message, its error and its attempts", async (channel, stream, manager) => {
  let isDone = false;
  await channel.subscribe({ group: "g.1", topics: "*", concurrency: 1 }, async ({ message, ack, nack }) => {
    if (message.data === "last") {
      isDone = true;
      return await ack();
    }
    await nack({ dead: true, reason: "broken" });
  });
  await channel.publish([{ topic: "T.e", data: { n: 1 }, headers: { a: "b" } }]);
  await manager.jetstream().publish(`${stream}.t.T.e`, "{no json");
  await channel.publish([{ topic: "T.e", data: "last", headers: {} }]);
  await eventually(() => isDone);
  const subject = new NatsNames(stream, "").dead("g.1");
  const letters = async () => {
    const { state } = await manager.streams.info(stream, { subjects_filter: subject });
    return state.subjects?.[subject] ?? 0;
  };
  let count = 0;
  for (let attempt = 0; attempt < 3_000 && count < 2; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    count = await letters();
  }
  assert.equal(count, 2);
  const found = [];
  for (let seq = 1; found.length < 2; seq++) {
    const stored = await manager.streams.getMessage(stream, { seq });
    if (stored?.subject === subject) found.push(stored.json<Record<string, unknown>>());
  }
  const [broken, ours] = found.toSorted((a, b) => String(a.lastError) < String(b.lastError) ? -1 : 1);
  assert.deepEqual([broken.data, broken.lastError, broken.attempts], ["{no json", "No valid JSON", 1]);
  assert.deepEqual([ours.topic, ours.data, ours.headers, ours.lastError, ours.attempts], [
    ...["T.e", { n: 1 }, { a: "b" }, "broken", 1],
  ]);
});

Deno.test("topics of all characters have a subject of their own, and come back from it", () => {
  const names = new NatsNames("s", "");
  const topics = [
    "a.b",
    "a/b",
    "a..b",
    ".a",
    "a.",
    "*",
    ">",
    "a b",
    "ü%20",
    "a*b>c",
    "Zoë.🦊",
    "%2E",
    ".",
    "a...b",
  ];
  const subjects = topics.map((topic) => names.subject(topic, undefined));
  assert.equal(new Set(subjects).size, topics.length);
  for (const subject of subjects) {
    assert.match(subject, /^s\.t(\.[^\s.*>]+)+$/);
  }
  assert.deepEqual(subjects.map((subject) => names.topic(subject)), topics);
  assert.deepEqual(topics.map((topic) => names.topic(names.subject(topic, "key"))), topics);
});

Deno.test("a stream name that NATS refuses stops the start", () => {
  assert.throws(() => createNatsChannel(channelOptions({ credentials: { url: "x" }, stream: "a.b" })), {
    name: "ConfigurationError",
    message: "fw.requires.messaging.stream is 'a.b', expected letters, digits, - and _",
  });
});

testNats(
  "the server gives messages of an instance that is gone to others within two seconds, also in older groups",
  async (channel, stream, manager) => {
    const names = new NatsNames(stream, "");
    const [plain, keyed] = [undefined, 3].map((partition) => names.consumer("g", partition));
    await manager.consumers.add(stream, {
      ...{ durable_name: keyed, filter_subject: names.filter(3), ack_policy: AckPolicy.Explicit },
      ...{ deliver_policy: DeliverPolicy.All, ack_wait: nanos(10_000), max_ack_pending: 1, max_deliver: -1 },
    });
    await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, ({ ack }) => ack());
    for (const name of [plain, keyed]) {
      const { config } = await manager.consumers.info(stream, name);
      assert.ok(config.ack_wait! <= nanos(2_000), `${name}: ${config.ack_wait}`);
    }
  },
);

testNats(
  "an instance that stood still handles nothing that the server has given away meanwhile",
  async (_channel, stream) => {
    const options = { kind: "nats-messaging", credentials: { url: address }, stream, ackWaitMs: 400 };
    const channel = createNatsChannel(channelOptions(options));
    const got: unknown[] = [];
    try {
      for (let n = 0; n < 5; n++) await channel.publish([{ topic: "t", data: n, headers: {} }]);
      await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ message, ack }) => {
        got.push(message.data);
        if (got.length === 1) {
          // All five are here: without a turn of the event loop none of them can be renewed.
          await new Promise((resolve) => setTimeout(resolve, 200));
          for (const end = Date.now() + 1_000; Date.now() < end;);
        }
        await ack();
      });
      await eventually(() => new Set(got).size === 5);
      await channel.publish([{ topic: "t", data: "end", headers: {} }]);
      await eventually(() => got.includes("end"));
    } finally {
      await channel.close();
    }
    // Only the one that was being handled comes again.
    assert.deepEqual(got.filter((data) => data !== 0).toSorted(), [1, 2, 3, 4, "end"]);
  },
);
