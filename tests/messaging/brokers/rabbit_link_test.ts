import type { ConfirmChannel } from "amqplib";
import assert from "node:assert/strict";
import { giveBack } from "../../../src/messaging/brokers/rabbitmq/rabbit_link.ts";

/** What a channel was asked, and how long was waited in between, with a queue that has so many messages at each question. */
async function askedFor(ready: number, counts: (question: number) => number) {
  const { setTimeout } = globalThis;
  const asked: string[] = [];
  let waited = 0;
  const channel = {
    nackAll: () => asked.push("nackAll"),
    checkQueue: (queue: string) => Promise.resolve({ messageCount: counts(asked.push(queue) - 1) }),
  };
  globalThis.setTimeout = ((run: () => void, ms: number) => {
    waited += ms;
    return setTimeout(run, 0);
  }) as typeof setTimeout;
  try {
    await giveBack(channel as unknown as ConfirmChannel, "q", ready);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return { asked, waited };
}

Deno.test("messages that are given back are waited for until all are ready, for five seconds at most", async () => {
  assert.deepEqual(await askedFor(2, () => 2), { asked: ["nackAll", "q"], waited: 0 });
  assert.deepEqual(await askedFor(2, (question) => question), { asked: ["nackAll", "q", "q"], waited: 50 });
  const { asked, waited } = await askedFor(2, () => 1);
  assert.deepEqual([asked.length, waited], [101, 5000]);
});
