/** Connections to brokers of AMQP that end. */

import assert from "node:assert/strict";
import type { Connection, EventContext } from "rhea";
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
