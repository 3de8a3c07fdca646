import type { ChannelModel, ConfirmChannel } from "amqplib";
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import {
  closeRabbit,
  countOf,
  giveBack,
  RabbitLink,
  withQueue,
} from "../../../src/messaging/brokers/rabbitmq/rabbit_link.ts";
import {
  bindQueues,
  declareExchanges,
  declareQueues,
  RabbitNames,
} from "../../../src/messaging/brokers/rabbitmq/rabbit_names.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { within } from "../../contract/within.ts";
import { brokerOptions } from "../../../src/messaging/brokers/broker_options.ts";
import { channelOptions, recordingLog } from "../channels.ts";
import { removeRabbit } from "./rabbit_cleaning.ts";

const { address, isThere } = await findService("rabbitmq");

/** Runs what pauses; a pause is over at once, and noted when it is. */
async function pausing<T>(asked: unknown[][], run: () => Promise<T>): Promise<T> {
  const { setTimeout } = globalThis;
  globalThis.setTimeout =
    ((end: () => void, ms: number) =>
      setTimeout(() => (asked.push(["pause", ms]), end()), 0)) as typeof setTimeout;
  try {
    return await run();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

const PAUSED = ["pause", 50];

/** What a channel was asked, with a queue that has so many messages at each question. */
async function askedFor(ready: number, counts: (question: number) => number): Promise<unknown[][]> {
  const asked: unknown[][] = [];
  const note = (...question: string[]) => void asked.push(question);
  let questions = 0;
  const channel = {
    nackAll: () => note("nackAll"),
    checkQueue: (queue: string) => (note(queue), Promise.resolve({ messageCount: counts(++questions) })),
  };
  await pausing(asked, () => giveBack(channel as unknown as ConfirmChannel, "q", ready));
  return asked;
}

Deno.test("messages that are given back are waited for until all are ready, for five seconds at most", async () => {
  assert.deepEqual(await askedFor(2, () => 2), [["nackAll"], ["q"]]);
  assert.deepEqual(await askedFor(2, (question) => question), [["nackAll"], ["q"], PAUSED, ["q"]]);
  const asked = await askedFor(2, () => 1);
  assert.deepEqual(asked, [["nackAll"], ...Array(100).fill([["q"], PAUSED]).flat()]);
});

Deno.test({
  name: "a connection whose channel RabbitMQ has closed is given up, and told once; the next one is another",
  ignore: !isThere,
  fn: async () => {
    const stream = uniqueName();
    const kind = "rabbitmq-messaging";
    const credentials = { url: `amqp://${address}`, user: "guest", password: "guest" };
    const broker = brokerOptions(channelOptions({ kind, credentials, stream }), kind);
    const link = new RabbitLink(broker, new RabbitNames(stream), recordingLog());
    try {
      const first = await link.get();
      assert.equal(await link.get(), first);
      let times = 0;
      const told = new Promise<void>((resolve) => link.lost.add(() => (times++, resolve())));
      // a question about a queue that is not there ends a channel (AMQP 0-9-1, 1.5)
      await assert.rejects(first.publisher.checkQueue(`${stream}.none`), /NOT_FOUND/);
      await within(told, "a lost connection is told");
      const second = await link.get();
      assert.notEqual(second.connection, first.connection);
      await link.close();
      assert.equal(times, 1, "nothing is told of a connection that is closed by us");
      await link.close();
    } finally {
      await link.close();
      await removeRabbit(address, stream, []);
    }
  },
});

/** A channel that notes what it is asked, one question at a time; one of them fails. */
function asking(failing?: { readonly at: number; readonly code?: number }, messageCount = 0) {
  const asked: unknown[][] = [];
  const events = new EventEmitter();
  let isAnswering = false;
  const ask = (name: string, answer?: unknown) => async (...given: unknown[]) => {
    assert.equal(isAnswering, false, `${name} is asked behind the answer before`);
    isAnswering = true;
    asked.push([name, ...given]);
    const isFailing = asked.length - 1 === failing?.at;
    for (let step = 0; step < 5; step++) await Promise.resolve();
    isAnswering = false;
    if (!isFailing) return answer;
    if (failing?.code !== undefined) events.emit("error", { code: failing.code });
    throw new Error("refused");
  };
  const channel = Object.assign(events, {
    ...{ assertExchange: ask("exchange"), assertQueue: ask("queue"), bindQueue: ask("bind") },
    ...{ checkQueue: ask("check", { messageCount }), deleteQueue: ask("delete"), close: ask("close") },
  }) as unknown as ConfirmChannel;
  const connection = { createConfirmChannel: () => Promise.resolve(channel) } as unknown as ChannelModel;
  return { asked, channel, connection };
}

const NAMES = new RabbitNames("s");
const QUORUM = { "x-queue-type": "quorum", "x-delivery-limit": 2 ** 31 - 1 };

/** Steps of a declaration, and what RabbitMQ is asked. */
const DECLARATIONS: Readonly<
  Record<string, readonly [declare: (channel: ConfirmChannel) => Promise<void>, asked: readonly unknown[]]>
> = {
  "the exchanges, behind the queue for messages that nobody waits for": [
    (channel) => declareExchanges(channel, NAMES, 7),
    [
      ["exchange", "s.unrouted", "fanout", { durable: true }],
      ["queue", "s.unrouted", { durable: true, arguments: { ...QUORUM, "x-message-ttl": 7 } }],
      ["bind", "s.unrouted", "s.unrouted", ""],
      ["exchange", "s", "topic", { durable: true, alternateExchange: "s.unrouted" }],
      ["exchange", "s.keyed", "topic", { durable: true, alternateExchange: "s.unrouted" }],
    ],
  ],
  "the queues of a group": [
    (channel) => declareQueues(channel, NAMES, "g"),
    [
      ["queue", "s.g.dead", { durable: true, arguments: QUORUM }],
      ["queue", "s.g", { durable: true, arguments: QUORUM }],
      ["queue", "s.g.keyed", { durable: true, arguments: { ...QUORUM, "x-single-active-consumer": true } }],
    ],
  ],
  "the bindings of topics": [
    (channel) => bindQueues(channel, NAMES, { group: "g", topics: ["a", "b"] }),
    ["a", "b"].flatMap((key) => [["bind", "s.g", "s", key], ["bind", "s.g.keyed", "s.keyed", key]]),
  ],
  "the bindings of all topics": [
    (channel) => bindQueues(channel, NAMES, { group: "g", topics: "*" }),
    [["bind", "s.g", "s", "#"], ["bind", "s.g.keyed", "s.keyed", "#"]],
  ],
};

for (const [what, [declare, expected]] of Object.entries(DECLARATIONS)) {
  Deno.test(`RabbitMQ is told one after the other: ${what}; the first refusal ends it`, async () => {
    const { asked, channel } = asking();
    await declare(channel);
    assert.deepEqual(asked, expected);
    for (const at of expected.keys()) {
      const refusing = asking({ at });
      await assert.rejects(declare(refusing.channel), { message: "refused" });
      assert.equal(refusing.asked.length, at + 1);
    }
  });
}

Deno.test("the messages of a queue are counted over a channel of their own; one that is missing has none", async () => {
  const found = asking(undefined, 3);
  assert.equal(await countOf(found.connection, "q"), 3);
  assert.deepEqual(found.asked, [["check", "q"], ["close"]]);
  assert.equal(await countOf(asking({ at: 0, code: 404 }).connection, "q"), undefined);
  for (const failing of [{ at: 0, code: 403 }, { at: 0 }, { at: 1 }]) {
    await assert.rejects(countOf(asking(failing).connection, "q"), { message: "refused" });
  }
});

Deno.test("one process at a time works with the messages of a queue, and nobody where there are none", async () => {
  const found = asking(undefined, 3);
  assert.equal(await withQueue(found.connection, "q", () => Promise.resolve("done")), "done");
  assert.deepEqual(found.asked, [
    ...[["check", "q"], ["queue", "q.lock", { exclusive: true }], ["delete", "q.lock"], ["close"]],
  ]);
  const empty = asking();
  assert.equal(await withQueue(empty.connection, "q", () => Promise.resolve("done")), undefined);
  assert.deepEqual(empty.asked, [["check", "q"], ["close"]]);
  for (const at of [0, 1, 2, 3]) {
    const work = () => Promise.resolve("done");
    await assert.rejects(withQueue(asking({ at }, 1).connection, "q", work), { message: "refused" });
  }
  assert.equal(
    await withQueue(asking({ at: 0, code: 404 }, 1).connection, "q", () => Promise.resolve(1)),
    undefined,
  );
});

Deno.test("who finds a queue at work waits for it, for five seconds at most", async () => {
  const refused = [["check", "q"], ["queue", "q.lock", { exclusive: true }]];
  const once = asking({ at: 1, code: 405 }, 1);
  const work = () => Promise.resolve("done");
  assert.equal(await pausing(once.asked, () => withQueue(once.connection, "q", work)), "done");
  assert.deepEqual(once.asked, [...refused, PAUSED, ...refused, ["delete", "q.lock"], ["close"]]);

  const asked: unknown[][] = [];
  const createConfirmChannel = () => {
    const { connection, asked: questions } = asking({ at: 1, code: 405 }, 1);
    asked.push(questions);
    return connection.createConfirmChannel();
  };
  const connection = { createConfirmChannel } as unknown as ChannelModel;
  const waiting = pausing(asked, () => withQueue(connection, "q", work));
  await assert.rejects(waiting, { message: "refused" });
  assert.deepEqual(asked, [...Array(99).fill([refused, PAUSED]).flat(), refused]);
});

Deno.test("closing ends with the answer of the broker, or with the connection", async () => {
  const answered = asking();
  await closeRabbit(answered.channel);
  assert.deepEqual(answered.asked, [["close"]]);
  await assert.rejects(closeRabbit(asking({ at: 0 }).channel), { message: "refused" });
  const silent = Object.assign(new EventEmitter(), { close: () => new Promise<void>(() => {}) });
  const closing = closeRabbit(silent);
  silent.emit("close");
  await within(closing, "closing");
});
