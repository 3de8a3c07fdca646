/** What a consumer of AMQP tells the broker about messages. */

import assert from "node:assert/strict";
import type { Delivery as RheaDelivery, EventContext, Message as RheaMessage } from "rhea";
import { createAmqpChannel } from "../../../src/messaging/brokers/amqp/amqp_channel.ts";
import type { Delivery } from "../../../src/messaging/channel.ts";
import { within } from "../../contract/within.ts";
import { channelOptions } from "../channels.ts";
import { withAmqpBroker } from "./amqp_broker.ts";

interface Outcome {
  readonly state: string;
  readonly error: string | undefined;
  /** Dead letters by their queue. */
  readonly letters: readonly (readonly [queue: string, letter: Readonly<Record<string, unknown>>])[];
}

/** What becomes of the one message of a broker, and what the broker gets meanwhile. */
async function outcomeOf(
  onDelivery: (delivery: Delivery) => Promise<void>,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  const letters: [string, Readonly<Record<string, unknown>>][] = [];
  const settled = Promise.withResolvers<Omit<Outcome, "letters">>();
  await withAmqpBroker((broker) => {
    broker.once("sender_flow", ({ sender }: EventContext) => {
      const message = { subject: "T.e", body: '{"n":1}', content_type: "application/json" };
      // behind the opening of the link
      setTimeout(() => sender!.send(message));
    });
    for (const state of ["accepted", "rejected", "released", "modified"]) {
      broker.on(state as "accepted", ({ delivery }: EventContext) => {
        const { error } = (delivery as RheaDelivery).remote_state as { error?: Record<string, string> };
        settled.resolve({ state, error: error && `${error.condition}: ${error.description}` });
      });
    }
    broker.on("message", ({ message, receiver, delivery }: EventContext) => {
      const { address } = receiver!.target as { address: string };
      letters.push([address, JSON.parse(textOf(message!))]);
      delivery!.accept();
    });
  }, async (url) => {
    const channel = createAmqpChannel(channelOptions({ credentials: { url }, ...options }));
    try {
      await channel.subscribe({ group: "g", topics: "*", concurrency: 1, strays: true }, onDelivery);
      await within(settled.promise, "settling");
    } finally {
      await channel.close();
    }
  });
  return { ...await settled.promise, letters };
}

function textOf({ body }: RheaMessage): string {
  const { content } = body as { readonly content: Uint8Array };
  return new TextDecoder().decode(content);
}

const dead = ({ nack }: Delivery) => nack({ dead: true, reason: "broken" });

Deno.test("a message that is handled is accepted", async () => {
  let got: unknown;
  const outcome = await outcomeOf(({ message: { topic, data }, ack }) => {
    got = [topic, data];
    return ack();
  });
  assert.deepEqual([outcome, got], [{ state: "accepted", error: undefined, letters: [] }, ["T.e", { n: 1 }]]);
});

Deno.test("a dead letter that is stored ends its message, else the broker gets it back as rejected", async () => {
  const { state, error, letters } = await outcomeOf(dead, { deadLetterQueue: "queue:{group}.dead" });
  assert.deepEqual([state, error, letters.length], ["accepted", undefined, 1]);
  const [[queue, { topic, data, lastError, attempts }]] = letters as [Outcome["letters"][0]];
  assert.deepEqual([queue, topic, data, lastError, attempts], [
    ...["queue:g.dead", "T.e", { n: 1 }, "broken", 1],
  ]);
  assert.deepEqual(await outcomeOf(dead), {
    ...{ state: "rejected", error: "fw:given-up: broken", letters: [] },
  });
});

Deno.test("the broker is told the first 1,000 characters of a reason", async () => {
  const { error } = await outcomeOf(({ nack }) => nack({ dead: true, reason: "x".repeat(1_500) }));
  assert.equal(error, `fw:given-up: ${"x".repeat(1_000)}`);
});
