import type { ConfirmChannel } from "amqplib";
import assert from "node:assert/strict";
import { giveBack, RabbitLink } from "../../../src/messaging/brokers/rabbitmq/rabbit_link.ts";
import { RabbitNames } from "../../../src/messaging/brokers/rabbitmq/rabbit_names.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { within } from "../../contract/within.ts";
import { brokerOptions } from "../../../src/messaging/brokers/broker_options.ts";
import { channelOptions, recordingLog } from "../channels.ts";
import { removeRabbit } from "./rabbit_cleaning.ts";

const { address, isThere } = await findService("rabbitmq");

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
