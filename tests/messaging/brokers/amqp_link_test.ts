/** Connections to brokers of AMQP that end. */

import assert from "node:assert/strict";
import type { Connection, Delivery, EventContext } from "rhea";
import { amqpOptions } from "../../../src/messaging/brokers/amqp/amqp_addresses.ts";
import { AmqpLink } from "../../../src/messaging/brokers/amqp/amqp_link.ts";
import { within } from "../../contract/within.ts";
import { channelOptions } from "../channels.ts";
import { withAmqpBroker } from "./amqp_broker.ts";

/** Runs a test with a link, and the connections that the broker has. */
async function withLink(run: (link: AmqpLink, connections: readonly Connection[]) => Promise<void>) {
  const connections: Connection[] = [];
  await withAmqpBroker((broker) => {
    broker.on("connection_open", ({ connection }: EventContext) => void connections.push(connection));
  }, async (url) => {
    const link = new AmqpLink(amqpOptions(channelOptions({ credentials: { url } })));
    try {
      await run(link, connections);
    } finally {
      await link.close();
    }
  });
}

const ENDS: Readonly<Record<string, (connection: Connection) => void>> = {
  "is closed": (connection) => connection.close(),
  "is closed because of an error": (connection) =>
    connection.close({ condition: "amqp:connection:forced", description: "maintenance" }),
  "breaks": (connection) =>
    (connection as unknown as { readonly socket: { destroy(): void } }).socket.destroy(),
};

for (const [how, end] of Object.entries(ENDS)) {
  Deno.test(`a connection that ${how} is lost once, with all that waits for it, and then opened anew`, () =>
    withLink(async (link, connections) => {
      let lost = 0;
      const again = Promise.withResolvers<unknown>();
      link.lost.add(() => {
        lost++;
        again.resolve(link.get());
      });
      const first = await within(link.get(), "connecting");
      assert.equal(await link.get(), first, "one connection is enough");
      const sender = await link.sender("a");
      assert.equal(await link.sender("a"), sender, "a sender is kept");
      const sent = assert.rejects(sender.send({ body: "never taken" }), /connection was lost|has closed/);
      end(connections[0]!);
      await within(sent, "losing");
      const second = await within(again.promise, "connecting again");
      assert.notEqual(second, first);
      assert.equal(await link.get(), second);
      assert.notEqual(await link.sender("a"), sender);
      assert.deepEqual([lost, connections.length], [1, 2]);
    }));
}

Deno.test("nobody is told that a connection is lost which is closed on purpose", () =>
  withLink(async (link, connections) => {
    let lost = 0;
    link.lost.add(() => void lost++);
    const { connection } = await link.get();
    await within(link.close(), "closing");
    assert.deepEqual([connection.is_closed(), lost, connections.length], [true, 0, 1]);
    await assert.rejects(link.get(), { status: 503, message: "The channel is closed" });
  }));

/** What becomes of a message that the broker answers as a test says. */
async function sentTo(answer: (delivery: Delivery) => void): Promise<unknown> {
  let outcome: unknown;
  await withAmqpBroker((broker) => {
    broker.on("message", ({ delivery }: EventContext) => answer(delivery!));
  }, async (url) => {
    const link = new AmqpLink(amqpOptions(channelOptions({ credentials: { url } })));
    try {
      const sender = await link.sender("a");
      outcome = await within(sender.send({ body: "x" }).then(() => "taken", (error) => error), "sending");
      assert.equal(sender.isOver, false, "the sender may be used again");
    } finally {
      await link.close();
    }
  });
  return outcome;
}

const REFUSED = "The AMQP broker does not take a message: ";

/** What a broker answers to a message, and the error of who sent it. */
const ANSWERS: Readonly<
  Record<
    string,
    { readonly answer: (delivery: Delivery) => void; readonly error: Readonly<Record<string, unknown>> }
  >
> = {
  "is released": {
    answer: (delivery) => delivery.release({ delivery_failed: false } as never),
    error: {
      ...{ status: 503, code: "NOT_STORED", unrecoverable: undefined },
      message: "The broker has no place for a message, is there a queue?",
    },
  },
  "is rejected without reason": {
    answer: (delivery) => delivery.reject(),
    error: {
      status: 503,
      code: "NOT_STORED",
      unrecoverable: undefined,
      message: /^The AMQP broker does not take/,
    },
  },
  "is rejected for a reason that may pass": {
    answer: (delivery) => delivery.reject({ condition: "amqp:resource-limit-exceeded", description: "full" }),
    error: {
      status: 503,
      code: "NOT_STORED",
      unrecoverable: undefined,
      message: `${REFUSED}amqp:resource-limit-exceeded full`,
    },
  },
  "is too large": {
    answer: (delivery) =>
      delivery.reject({ condition: "amqp:link:message-size-exceeded", description: "big" }),
    error: {
      status: 500,
      code: "MESSAGE_TOO_LARGE",
      unrecoverable: true,
      message: `${REFUSED}amqp:link:message-size-exceeded big`,
    },
  },
  ...Object.fromEntries(
    ["not-allowed", "unauthorized-access", "not-implemented", "invalid-field"].map((name) => [
      `is rejected as ${name}`,
      {
        answer: (delivery: Delivery) => delivery.reject({ condition: `amqp:${name}`, description: "no" }),
        error: {
          status: 500,
          code: "NOT_ALLOWED",
          unrecoverable: true,
          message: `${REFUSED}amqp:${name} no`,
        },
      },
    ]),
  ),
};

Deno.test("a message that a broker accepts is sent", async () => {
  assert.equal(await sentTo((delivery) => void delivery.accept()), "taken");
});

for (const [how, { answer, error }] of Object.entries(ANSWERS)) {
  Deno.test(`a message that ${how} is not sent, and the error tells whether to try again`, async () => {
    const outcome = await sentTo(answer) as Record<string, unknown>;
    for (const [name, value] of Object.entries(error)) {
      if (value instanceof RegExp) assert.match(String(outcome[name]), value);
      else assert.equal(outcome[name], value, name);
    }
  });
}
