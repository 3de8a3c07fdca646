/** Dead letters in RabbitMQ as a client sees them, over a queue that a test holds. */

import type { ChannelModel, ConfirmChannel } from "amqplib";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { RabbitDeadLetters } from "../../../src/messaging/brokers/rabbitmq/rabbit_dead_letters.ts";
import { RabbitNames } from "../../../src/messaging/brokers/rabbitmq/rabbit_names.ts";
import { writeDeadLetter } from "../../../src/messaging/dead_letter.ts";
import { Turns } from "../../../src/util/turns.ts";

/** The letters of a group in a queue, and what its channel was asked in their order. */
function lettersOf(texts: readonly string[], failing: Readonly<Record<string, readonly number[]>> = {}) {
  const asked: unknown[][] = [];
  const failures = Object.fromEntries(Object.entries(failing).map(([name, codes]) => [name, [...codes]]));
  const createConfirmChannel = () => {
    const waiting = texts.map((text) => ({ content: Buffer.from(text) }));
    const listeners = new Map<string, (error?: unknown) => void>();
    const call = (name: string, result: unknown = undefined) => async (...args: unknown[]) => {
      asked.push([name, ...args.map((arg) => Buffer.isBuffer(arg) ? arg.toString() : arg)]);
      await Promise.resolve();
      const code = failures[name]?.shift();
      if (code === undefined) return result;
      listeners.get("error")?.({ code });
      throw new Error(`refused with ${code}`);
    };
    const note = (name: string) => (...args: unknown[]) => void asked.push([name, ...args]);
    const channel = {
      on: (event: string, listener: () => void) => listeners.set(event, listener),
      once: () => {},
      off: () => {},
      removeListener: () => {},
      checkQueue: call("check", { messageCount: texts.length }),
      assertQueue: call("lock"),
      deleteQueue: call("unlock"),
      get: async () => (await Promise.resolve(), waiting.shift() ?? false),
      ack: () => note("ack")(),
      nackAll: note("give back"),
      sendToQueue: (queue: string, content: Buffer) => note("send")(queue, content.toString()),
      waitForConfirms: call("confirm"),
      close: call("close"),
    };
    return Promise.resolve(channel as unknown as ConfirmChannel);
  };
  const letters = new RabbitDeadLetters({
    connection: () => Promise.resolve({ createConfirmChannel } as unknown as ChannelModel),
    turns: new Turns(),
    names: new RabbitNames("fw"),
    group: "g",
    maxMessageBytes: 1000,
  });
  return { letters, names: () => asked.map(([name]) => name), asked };
}

const text = (n: number, more = {}) =>
  writeDeadLetter({ topic: "T.e", data: n, headers: {}, ...more }, n, "broken");

Deno.test("letters are listed while nobody else looks, and given back before that ends", async () => {
  const { letters, names, asked } = lettersOf([text(1), text(2)]);
  const listed = await letters.list(10);
  assert.deepEqual(listed.map(({ message, attempts }) => [message.data, attempts]), [[1, 1], [2, 2]]);
  assert.deepEqual(names(), ["check", "lock", "check", "give back", "check", "unlock", "close"]);
  assert.deepEqual(asked[1], ["lock", "fw.g.dead.lock", { exclusive: true }]);
});

Deno.test("nothing is locked where there are no letters, or no queue", async () => {
  const none = lettersOf([]);
  assert.deepEqual(await none.letters.list(10), []);
  assert.deepEqual(none.names(), ["check", "close"]);
  const missing = lettersOf([text(1)], { check: [404] });
  assert.deepEqual(await missing.letters.list(10), []);
  assert.equal(await missing.letters.discard("x"), false);
});

Deno.test("a letter is delivered to its group alone, with its key to the queue of those, and then removed", async () => {
  for (const [more, queue] of [[{}, "fw.g"], [{ key: "k" }, "fw.g.keyed"]] as const) {
    const { letters, names, asked } = lettersOf([text(1), text(2, more)]);
    const [, second] = await letters.list(10);
    asked.length = 0;
    assert.equal(await letters.replay(second!.id), true);
    assert.deepEqual(names(), [
      "check",
      "lock",
      "check",
      "check",
      "send",
      "confirm",
      "ack",
      "give back",
      "check",
      "unlock",
      "close",
    ]);
    assert.deepEqual([asked[3], asked[4]], [["check", queue], ["send", queue, "2"]]);
  }
});

Deno.test("a letter that is not there, or is none, is not delivered", async () => {
  const { letters, names, asked } = lettersOf(["{no letter", text(1)]);
  assert.equal(await letters.replay("other"), false);
  const [first] = await letters.list(10);
  asked.length = 0;
  assert.equal(await letters.replay(first!.id), false);
  assert.ok(!names().includes("send") && !names().includes("ack"));
});

Deno.test("a letter is discarded, and no other", async () => {
  const { letters, names, asked } = lettersOf([text(1), text(2), text(3)]);
  const [, second] = await letters.list(10);
  asked.length = 0;
  assert.equal(await letters.discard(second!.id), true);
  assert.deepEqual(names().filter((name) => name === "ack"), ["ack"]);
  assert.equal(await letters.discard("other"), false);
});

Deno.test("who looks while another process does so waits until that has ended; other errors are theirs", async () => {
  const { setTimeout } = globalThis;
  const pauses: number[] = [];
  globalThis.setTimeout =
    ((run: () => void, ms: number) => (pauses.push(ms), setTimeout(run, 0))) as typeof setTimeout;
  try {
    const { letters, names } = lettersOf([text(1)], { lock: [405, 405] });
    assert.equal((await letters.list(10)).length, 1);
    assert.deepEqual(names().filter((name) => name === "lock").length, 3);
    assert.deepEqual(pauses, [50, 50]);
    await assert.rejects(lettersOf([text(1)], { lock: [403] }).letters.list(10), {
      message: "refused with 403",
    });
    await assert.rejects(lettersOf([text(1)], { lock: Array(200).fill(405) }).letters.list(10), {
      message: "refused with 405",
    });
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});
