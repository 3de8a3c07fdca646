/** Connections to brokers of AMQP that end. */

import assert from "node:assert/strict";
import type { Connection, Container, EventContext } from "rhea";
import type { ServiceError } from "../../../src/errors/service_error.ts";
import { amqpOptions } from "../../../src/messaging/brokers/amqp/amqp_addresses.ts";
import { AmqpLink } from "../../../src/messaging/brokers/amqp/amqp_link.ts";
import { eventually } from "../../contract/channel.ts";
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

/** Closes a link to a broker that agrees or does something else; `isPatient`: two seconds never pass, else at once. */
async function closing(broker: "agrees" | "breaks" | "is silent", isPatient: boolean): Promise<void> {
  const { setTimeout } = globalThis;
  await withLink(async (link, connections) => {
    await link.get();
    const { socket } = connections[0] as unknown as { readonly socket: Record<string, () => void> };
    if (broker === "is silent") socket.pause!();
    if (broker === "breaks") connections[0]!.on("connection_close", () => socket.destroy!());
    const wait = (run: () => void, ms: number) =>
      setTimeout(run, ms !== 2_000 ? ms : isPatient ? 1_000_000 : 0);
    Object.assign(globalThis, { setTimeout: wait });
    try {
      await within(link.close(), "closing");
    } finally {
      globalThis.setTimeout = setTimeout;
      socket.resume!();
    }
  });
}

Deno.test("closing waits for a broker until it has agreed, its connection breaks, or two seconds are over", async () => {
  await closing("agrees", true);
  await closing("breaks", true);
  await closing("is silent", false);
});

const CONDITIONS: Readonly<Record<string, object>> = {
  "amqp:link:message-size-exceeded": { status: 500, code: "MESSAGE_TOO_LARGE", unrecoverable: true },
  "amqp:not-allowed": { status: 500, code: "NOT_ALLOWED", unrecoverable: true },
  "amqp:unauthorized-access": { status: 500, code: "NOT_ALLOWED", unrecoverable: true },
  "amqp:not-implemented": { status: 500, code: "NOT_ALLOWED", unrecoverable: true },
  "amqp:invalid-field": { status: 500, code: "NOT_ALLOWED", unrecoverable: true },
  "amqp:resource-limit-exceeded": { status: 503, code: "NOT_STORED", unrecoverable: undefined },
  "amqp:internal-error": { status: 503, code: "NOT_STORED", unrecoverable: undefined },
};

/** A connection at the side of the broker. */
interface WithOptions {
  readonly options: { readonly receiver_options: { credit_window: number } };
}

/** Sends messages through a broker that settles them as the test says. */
async function sending(
  settle: (context: EventContext) => void,
  run: (send: (body: string) => Promise<unknown>, link: AmqpLink) => Promise<void>,
  prepare: (broker: Container) => void = () => {},
): Promise<void> {
  await withAmqpBroker((broker) => {
    broker.on("message", settle);
    prepare(broker);
  }, async (url) => {
    const link = new AmqpLink(amqpOptions(channelOptions({ credentials: { url } })));
    const send = async (body: string) => {
      try {
        await within((await link.sender("a")).send({ body }), "sending");
        return "taken";
      } catch (error) {
        const { status, code, unrecoverable, message } = error as ServiceError & {
          readonly unrecoverable?: boolean;
        };
        return { status, code, unrecoverable, message };
      }
    };
    try {
      await run(send, link);
    } finally {
      await link.close();
    }
  });
}

Deno.test("what a broker does not take is tried again, but for what it will never take", () =>
  sending(({ delivery, message }) => {
    const condition = message!.body as string;
    if (condition === "fine") delivery!.accept();
    else if (condition === "released") delivery!.release();
    else if (condition === "nothing") delivery!.reject();
    else delivery!.reject({ condition, description: "as it is" });
  }, async (send) => {
    const says = "The AMQP broker does not take a message:";
    assert.equal(await send("fine"), "taken");
    for (const [condition, expected] of Object.entries(CONDITIONS)) {
      assert.deepEqual(await send(condition), { ...expected, message: `${says} ${condition} as it is` });
    }
    const notStored = { status: 503, code: "NOT_STORED", unrecoverable: undefined };
    assert.deepEqual(await send("nothing"), { ...notStored, message: `${says} amqp:internal-error` });
    assert.deepEqual(await send("released"), {
      ...notStored,
      message: "The broker has no place for a message, is there a queue?",
    });
    assert.equal(await send("fine"), "taken", "the sender is of use still");
  }));

Deno.test("messages wait while the broker has no room, each time it has none, and each for its own answer", () => {
  const waiting: EventContext[] = [];
  return sending((context) => void waiting.push(context), async (send) => {
    const sent = [send("1")];
    for (let count = 1; count < 5; count++) {
      await eventually(() => waiting.length === count);
      // there is room for one at a time
      sent.push(send(String(count + 1)));
      const { delivery, receiver } = waiting.at(-1)!;
      if (count % 2 === 0) delivery!.reject({ condition: "amqp:not-allowed" });
      else delivery!.accept();
      receiver!.add_credit(1);
    }
    await eventually(() => waiting.length === 5);
    waiting.at(-1)!.delivery!.accept();
    const outcomes = (await Promise.all(sent)).map((one) => one === "taken");
    assert.deepEqual(outcomes, [true, false, true, false, true]);
    assert.deepEqual(waiting.map(({ message }) => message!.body), ["1", "2", "3", "4", "5"]);
  }, (broker) => {
    broker.on("connection_open", ({ connection }: EventContext) => {
      (connection as unknown as WithOptions).options.receiver_options.credit_window = 0;
    });
    broker.on("receiver_open", ({ receiver }: EventContext) => void receiver!.add_credit(1));
  });
});

Deno.test("all that waits at an address that is refused is refused", () =>
  sending(({ delivery }) => delivery!.accept(), async (send) => {
    for (const one of await Promise.all([send("a"), send("b")])) {
      assert.deepEqual(one, {
        ...{ status: 503, code: "ADDRESS_REFUSED", unrecoverable: undefined },
        message: "The AMQP broker refuses the address 'a': amqp:not-found no queue",
      });
    }
  }, (broker) => {
    broker.on(
      "receiver_open",
      ({ receiver }: EventContext) =>
        receiver!.close({ condition: "amqp:not-found", description: "no queue" }),
    );
  }));
