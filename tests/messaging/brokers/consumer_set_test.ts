import assert from "node:assert/strict";
import { ConsumerSet, GroupDeliveries, publishInLanes } from "../../../src/messaging/brokers/consumer_set.ts";
import type { Message } from "../../../src/messaging/channel.ts";
import { recordingLog } from "../channels.ts";

/** A consumer that has ended when it is told so, and how often it was asked. */
function consumer() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const one = { asked: 0, end: resolve, fail: reject, close: () => (one.asked++, promise) };
  return one;
}

/** Whether a promise is fulfilled by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  let over = false;
  promise.then(() => over = true, () => over = true);
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return over;
}

Deno.test("closing a consumer ends when it has ended, and fails as it does", async () => {
  const set = new ConsumerSet();
  const [one, other, bad] = [consumer(), consumer(), consumer()];
  const [closable, , failing] = [one, other, bad].map((each) => set.add(each));
  const closing = closable!.close();
  assert.deepEqual([one.asked, other.asked, await isOver(closing)], [1, 0, false]);
  one.end();
  await closing;
  const failed = assert.rejects(failing!.close(), /lost/);
  bad.fail(new Error("lost"));
  await failed;
});

Deno.test("closing all ends when each has ended, and asks nobody twice", async () => {
  const set = new ConsumerSet();
  const consumers = [consumer(), consumer(), consumer()];
  const [first] = consumers.map((each) => set.add(each));
  consumers[0]!.end();
  await first!.close();
  const closing = set.close();
  consumers[1]!.end();
  assert.equal(await isOver(closing), false);
  consumers[2]!.end();
  await closing;
  await set.close();
  assert.deepEqual(consumers.map(({ asked }) => asked), [1, 1, 1]);
});

Deno.test("messages of a key are published one after the other, others at once; a failure ends what follows in its lane", async () => {
  const message = (data: string, key?: string) => ({
    message: { topic: "t", data, headers: {}, key } as Message,
    stored: Promise.withResolvers<void>(),
  });
  const messages = [
    message("a1", "a"),
    message("a2", "a"),
    message("b1", "b"),
    message("p1"),
    message("p2"),
    message("a3", "a"),
  ];
  const published: unknown[] = [];
  const done = publishInLanes(messages, (one) => {
    published.push(one.message.data);
    return one.stored.promise;
  });
  const failed = assert.rejects(done, /full/);
  await isOver(done);
  assert.deepEqual(published.toSorted(), ["a1", "b1", "p1", "p2"]);
  messages[0]!.stored.resolve();
  await isOver(done);
  assert.deepEqual(published.at(-1), "a2");
  messages[1]!.stored.reject(new Error("full"));
  assert.equal(await isOver(done), false, "what is on its way is waited for");
  for (const { stored } of messages) stored.resolve();
  await failed;
  assert.deepEqual(published.length, 5);
  await publishInLanes([], () => Promise.reject(new Error("nothing to publish")));
  await assert.rejects(publishInLanes([message("c1", "c")], () => Promise.reject(new Error("away"))), /away/);
});

Deno.test("a group wants the topics that it subscribed to, or all", () => {
  const wanted = (topics: readonly string[] | "*") => {
    const subscription = { group: "g", topics, concurrency: 1 };
    const group = new GroupDeliveries({
      subscription,
      onDelivery: () => Promise.resolve(),
      log: recordingLog(),
    });
    return ["a", "b", "*"].filter((topic) => group.wants(topic));
  };
  assert.deepEqual(wanted(["a"]), ["a"]);
  assert.deepEqual(wanted("*"), ["a", "b", "*"]);
});

Deno.test("a message that cannot be understood is a dead letter, without its handler; one that cannot be stored is told", async () => {
  const log = recordingLog();
  const [handled, letters]: unknown[][] = [[], []];
  const group = new GroupDeliveries({
    ...{ log, subscription: { group: "g", topics: "*", concurrency: 1 } },
    onDelivery: ({ message, ack }) => (handled.push(message.data), ack()),
  });
  const incoming = (data: number) => ({
    ...{ message: { topic: "t", data, headers: {} }, deliveries: data },
    dead: (reason: string, deliveries: number) => {
      letters.push([reason, deliveries]);
      return data === 3 ? Promise.reject(new Error("full")) : Promise.resolve();
    },
    ...{ ack: () => Promise.resolve(), release: () => Promise.resolve() },
  });
  group.accept(incoming(1), undefined);
  group.accept(incoming(2), "bad");
  group.accept(incoming(3), "worse");
  await group.window.close();
  assert.deepEqual([handled, letters], [[1], [["bad", 2], ["worse", 3]]]);
  assert.deepEqual(log.lines.map(([text]) => text), [
    "Gave up message t of group 'g': bad",
    "Gave up message t of group 'g': worse",
    "Cannot store a dead letter:",
  ]);
});
