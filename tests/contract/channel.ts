/**
 * The contract of message channels: every implementation passes the same suite.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Channel, Delivery, Message } from "../../src/messaging/channel.ts";
import { testBacklog, testDeadLetters } from "./dead_letters.ts";
import { PATIENCE_MS, within } from "./within.ts";

/** One transport, to which several channels can be opened. */
export interface Transport {
  open(): Promise<Channel>;
  /** Cuts the connections of all channels; they may connect again. */
  cut?(): void;
  /** A channel whose process can be taken for dead: `kill` ends its connection without a word, for good. */
  openMortal?(): Promise<{ channel: Channel; kill(): void }>;
  dispose(): Promise<void>;
}

/** What a test asks of a transport. */
export interface TransportSetting {
  /** Time after which a message of an instance that is gone comes to another one, where the channel has such a time. */
  readonly ackWaitMs?: number;
}

/** For tests that wait for messages of an instance that is gone; too short for all others on a machine that stands still for a moment. */
const SHORT_WAIT: TransportSetting = { ackWaitMs: 1_500 };

/** What not every channel that stores messages can do. */
export type Capability =
  | "headers of all types"
  | "messages for closed receivers"
  | "dead letters"
  | "backlog";

/** What an implementation is and lacks. */
export interface ChannelContract {
  readonly name: string;
  readonly create: (setting?: TransportSetting) => Promise<Transport>;
  /** Whether messages wait for a group that subscribes later. */
  readonly isStored: boolean;
  /** What it cannot do: the tests of it are left out. */
  readonly lacks?: readonly Capability[];
  /** Tests are registered, but not run. */
  readonly ignore?: boolean;
}

/** Every group that a test of the suite subscribes with. */
export const CONTRACT_GROUPS: readonly string[] = ["g", "a", "b"];

/** Waits until a condition holds; `TEST_PATIENCE_MS` in the environment says how long. */
export async function eventually(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !condition();) {
    if (Date.now() > end) throw new Error(`Still not so after ${PATIENCE_MS} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function message(topic: string, data: unknown, key?: string): Message {
  return { topic, data, headers: key === undefined ? {} : { partitionkey: key }, key };
}

/** Registers the tests. */
export function testChannel(contract: ChannelContract): void {
  const test: Register = (rule, run, setting) =>
    Deno.test({
      name: `${contract.name}: ${rule}`,
      ignore: contract.ignore ?? false,
      fn: async () => {
        const transport = await contract.create(setting);
        try {
          await within(run(transport), rule);
        } finally {
          await within(transport.dispose(), "closing the channels");
        }
      },
    });

  test("delivers data and headers of the subscribed topics, in order", async (transport) => {
    const channel = await transport.open();
    const got: Message[] = [];
    await channel.subscribe({ group: "g", topics: ["a", "b/c"], concurrency: 1 }, async (delivery) => {
      got.push(delivery.message);
      await delivery.ack();
    });
    await channel.publish([{ topic: "a", data: { n: 1 }, headers: { x: "y" } }, message("other", 0)]);
    await channel.publish([message("b/c", [2]), message("a", { n: 3 })]);
    await eventually(() => got.length === 3);
    assert.deepEqual(got.map(({ topic, data }) => [topic, data]), [["a", { n: 1 }], ["b/c", [2]], ["a", {
      n: 3,
    }]]);
    assert.equal(got[0].headers.x, "y");
  });

  test("bytes arrive as bytes, beside text and nothing", async (transport) => {
    const channel = await transport.open();
    const got: unknown[] = [];
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ message, ack }) => {
      got.push(message.data);
      await ack();
    });
    const type = (datacontenttype: string) => ({
      ...{ specversion: "1.0", source: "/s", type: "t", id: crypto.randomUUID(), datacontenttype },
    });
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
    const sent: readonly [unknown, Record<string, unknown>][] = [
      [bytes, {}],
      [bytes.subarray(250), type("application/octet-stream")],
      [bytes, type("image/png")],
      [new TextEncoder().encode('{"n":1}'), { x: "y" }],
      ["Zoë ☃", type("text/plain")],
      ["123", {}],
      [null, {}],
    ];
    for (const [data, headers] of sent) await channel.publish([{ topic: "t", data, headers }]);
    await eventually(() => got.length === sent.length);
    assert.deepEqual(got.map((data) => data instanceof Uint8Array ? [...data] : data), [
      ...sent.map(([data]) => data instanceof Uint8Array ? [...data] : data),
    ]);
    assert.deepEqual(got.map((data) => data instanceof Uint8Array), [
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("'*' gets every message", async (transport) => {
    const channel = await transport.open();
    const got: string[] = [];
    await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async (delivery) => {
      got.push(delivery.message.topic);
      await delivery.ack();
    });
    await channel.publish([message("a/b", 1), message("T.e", 2)]);
    await eventually(() => got.length === 2);
    assert.deepEqual(got, ["a/b", "T.e"]);
  });

  test("every group gets every message, consumers of one group share them", async (transport) => {
    const got: Record<string, unknown[]> = { a: [], b: [] };
    const collect = (group: string) => async ({ message, ack }: Delivery) => {
      got[group].push(message.data);
      await ack();
    };
    const channels = await Promise.all([transport.open(), transport.open(), transport.open()]);
    for (const [i, group] of ["a", "b", "b"].entries()) {
      await channels[i].subscribe({ group, topics: ["t"], concurrency: 1 }, collect(group));
    }
    const all = Array.from({ length: 50 }, (_, n) => n);
    await Promise.all(all.map((n) => channels[0].publish([message("t", n)])));
    await eventually(() => got.a.length >= 50 && got.b.length >= 50);
    const ascending = (values: unknown[]) => (values as number[]).toSorted((x, y) => x - y);
    assert.deepEqual(ascending(got.a), all);
    assert.deepEqual(ascending(got.b), all);
  });

  test("delivers again after the delay when asked to, and counts", async (transport) => {
    const channel = await transport.open();
    const deliveries: [number, number][] = [];
    const start = Date.now();
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async (delivery) => {
      deliveries.push([delivery.deliveries, Date.now() - start]);
      await (delivery.deliveries < 3 ? delivery.nack({ delayMs: 60 }) : delivery.ack());
    });
    await channel.publish([message("t", 1)]);
    await eventually(() => deliveries.length === 3);
    assert.deepEqual(deliveries.map(([count]) => count), [1, 2, 3]);
    assert.ok(deliveries[2][1] >= 115, `third delivery after ${deliveries[2][1]} ms`);
  });

  test("a message that waits for its next delivery blocks no others", async (transport) => {
    const channel = await transport.open();
    const got: unknown[] = [];
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ message, ack, nack }) => {
      if (message.data === 0) return await nack({ delayMs: 60_000 });
      got.push(message.data);
      await ack();
    });
    await channel.publish([message("t", 0), message("t", 1), message("t", 2)]);
    await eventually(() => got.length === 2);
    assert.deepEqual(got, [1, 2]);
  });

  test("a dead letter is not delivered again", async (transport) => {
    const channel = await transport.open();
    let deliveries = 0;
    const got: unknown[] = [];
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ message, ack, nack }) => {
      got.push(message.data);
      if (message.data === "dead" && ++deliveries) await nack({ dead: true, reason: "no use" });
      else await ack();
    });
    await channel.publish([message("t", "dead"), message("t", "good")]);
    await eventually(() => got.includes("good"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(deliveries, 1);
  });

  test("a consumer that throws gets the message again", async (transport) => {
    if (!contract.isStored) return;
    const channel = await transport.open();
    let calls = 0;
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ ack }) => {
      if (++calls === 1) throw new Error("first");
      await ack();
    });
    await channel.publish([message("t", 1)]);
    await eventually(() => calls === 2);
  });

  test("after close nothing is delivered", async (transport) => {
    const channel = await transport.open();
    let calls = 0;
    const subscription = await channel.subscribe(
      { group: "g", topics: ["t"], concurrency: 1 },
      async ({ ack }) => {
        calls++;
        await ack();
      },
    );
    await subscription.close();
    await channel.publish([message("t", 1)]);
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.equal(calls, 0);
  });

  test("what it stores waits for its receiver, in order", async (transport) => {
    if (!contract.isStored) return;
    const sender = await transport.open();
    const start = { group: "g", topics: ["t"], concurrency: 1 };
    for (let n = 1; n <= 3; n++) await sender.publish([message("t", n)]);
    const receiver = await transport.open();
    const got: unknown[] = [];
    await receiver.subscribe(start, async ({ message, ack }) => {
      got.push(message.data);
      await ack();
    });
    await eventually(() => got.length === 3);
    assert.deepEqual(got, [1, 2, 3]);
  });

  test("messages of one key keep their order while one of them waits", async (transport) => {
    if (!contract.isStored) return;
    const channel = await transport.open();
    const got: string[] = [];
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 4 }, async (delivery) => {
      const { message: { data, key }, deliveries } = delivery;
      if (data === 1 && deliveries < 3) return await delivery.nack({ delayMs: 20 });
      got.push(`${key}${data}`);
      await delivery.ack();
    });
    await channel.publish([message("t", 1, "a"), message("t", 2, "a"), message("t", 3, "a")]);
    await eventually(() => got.length === 3);
    assert.deepEqual(got, ["a1", "a2", "a3"]);
  });

  test("declares its guarantees", async (transport) => {
    const { guarantees, notice } = await transport.open();
    assert.equal(guarantees.survives === "nothing", !contract.isStored);
    assert.equal(guarantees.delivery, contract.isStored ? "at-least-once" : "at-most-once");
    assert.ok(guarantees.maxMessageBytes >= 64 * 1024);
    assert.ok(notice);
  });

  test("refuses messages that are too large", async (transport) => {
    const channel = await transport.open();
    const data = "x".repeat(channel.guarantees.maxMessageBytes + 1);
    await assert.rejects(channel.publish([message("t", data)]), {
      code: "MESSAGE_TOO_LARGE",
      unrecoverable: true,
    });
  });
  test("shows the dead letters that it keeps", async (transport) => {
    const channel = await transport.open();
    assert.equal(channel.deadLetters?.("g") !== undefined, channel.guarantees.deadLetters);
  });
  if (contract.isStored) testStored(test, contract.lacks ?? []);
  if (contract.isStored && !contract.lacks?.includes("dead letters")) testDeadLetters(test);
  if (contract.isStored && !contract.lacks?.includes("backlog")) testBacklog(test);
}

type Register = (
  rule: string,
  run: (transport: Transport) => Promise<void>,
  setting?: TransportSetting,
) => void;

/** What channels promise that store messages. */
function testStored(register: Register, lacks: readonly Capability[]): void {
  const test = (rule: string, run: (transport: Transport) => Promise<void>, needs?: Capability) => {
    if (needs === undefined || !lacks.includes(needs)) register(rule, run);
  };
  const testLoss = (rule: string, run: (transport: Transport) => Promise<void>) =>
    register(rule, run, SHORT_WAIT);

  test("headers and data arrive as they were sent", async (transport) => {
    const channel = await transport.open();
    const got: Message[] = [];
    await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ message, ack }) => {
      got.push(message);
      await ack();
    });
    const plain = {
      "x-correlation-id": "c-1",
      "Naïve header": "ünï ☃ 🦊 %41",
      n: 7,
      deep: { list: [1, "Ω"] },
    };
    const event = {
      ...{ specversion: "1.0", id: "1", source: "/ä b", type: "T.e", time: "2026-11-21T00:00:00Z" },
      ...{ datacontenttype: "application/json", correlationid: 'Zoë "%"', tenantid: "t1", n: 7, flag: true },
    };
    const data = { text: "日本語 \u0000 \u2028", empty: null, list: [], n: 1.5 };
    await channel.publish([{ topic: "Über/all.e", data, headers: plain }]);
    await channel.publish([{ topic: "T.e", data: "text", headers: event }]);
    await eventually(() => got.length === 2);
    assert.deepEqual(got.map(({ topic }) => topic), ["Über/all.e", "T.e"]);
    assert.deepEqual(got.map(({ headers }) => ({ ...headers })), [plain, event]);
    assert.deepEqual(got.map(({ data }) => data), [data, "text"]);
  }, "headers of all types");

  test("messages of one key keep their order over two instances of a group", async (transport) => {
    const channels = [await transport.open(), await transport.open()];
    if (channels[0].guarantees.order === "none") return;
    const got: Record<string, number[]> = {};
    const running = new Set<string>();
    for (const channel of channels) {
      await channel.subscribe({ group: "g", topics: ["t"], concurrency: 4 }, async ({ message, ack }) => {
        const { key, data } = message;
        assert.ok(!running.has(key!), `two messages of ${key} at once`);
        running.add(key!);
        await new Promise((resolve) => setTimeout(resolve, 1));
        (got[key!] ??= []).push(data as number);
        running.delete(key!);
        await ack();
      });
    }
    const keys = ["a", "b", "c", "d", "e"];
    for (let n = 0; n < 20; n++) await channels[0].publish(keys.map((key) => message("t", n, key)));
    await eventually(() => keys.every((key) => got[key]?.length >= 20));
    const ascending = Array.from({ length: 20 }, (_, n) => n);
    assert.deepEqual(got, Object.fromEntries(keys.map((key) => [key, ascending])));
  });

  test("a message of a key that waits keeps back no other key", async (transport) => {
    const channel = await transport.open();
    const got: unknown[] = [];
    await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ message, ack, nack }) => {
      if (message.key === "a") return await nack({ delayMs: 60_000 });
      got.push(message.data);
      await ack();
    });
    await channel.publish([message("t", 1, "a"), message("t", 2, "b"), message("t", 3, "b")]);
    await eventually(() => got.length === 2);
    assert.deepEqual(got, [2, 3]);
  });

  test("messages that come while the receiver is closed wait for it", async (transport) => {
    const sender = await transport.open();
    const got: unknown[] = [];
    const receive = async () => {
      const channel = await transport.open();
      await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ message, ack }) => {
        got.push(message.data);
        await ack();
      });
      return channel;
    };
    const first = await receive();
    await sender.publish([message("t", 1)]);
    await eventually(() => got.length === 1);
    await first.close();
    await sender.publish([message("t", 2)]);
    await sender.publish([message("t", 3)]);
    await receive();
    await eventually(() => got.length === 3);
    assert.deepEqual(got, [1, 2, 3]);
  }, "messages for closed receivers");

  testLoss("what a dead consumer has not acknowledged comes to another one", async (transport) => {
    if (!transport.openMortal) return;
    const { channel: mortal, kill } = await transport.openMortal();
    const sender = await transport.open();
    const subscription = { group: "g", topics: ["t"], concurrency: 1 };
    let hasTaken = false;
    const { promise: forever, resolve: release } = Promise.withResolvers<void>();
    await mortal.subscribe(subscription, () => {
      hasTaken = true;
      return forever;
    });
    await sender.publish([message("t", "left behind")]);
    await eventually(() => hasTaken);
    kill();
    const got: [unknown, boolean][] = [];
    await sender.subscribe(subscription, async ({ message, deliveries, ack }) => {
      got.push([message.data, deliveries > 1]);
      await ack();
    });
    await eventually(() => got.length > 0);
    release();
    assert.deepEqual(got, [["left behind", true]]);
  });

  test("closing waits for the running handler, and gives back what has not begun", async (transport) => {
    const first = await transport.open();
    const subscription = { group: "g", topics: ["t"], concurrency: 1 };
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const handled: unknown[] = [];
    let hasBegun = false;
    await first.subscribe(subscription, async ({ message, ack }) => {
      hasBegun = true;
      await gate;
      handled.push(message.data);
      await ack();
    });
    const sender = await transport.open();
    await sender.publish([message("t", 1), message("t", 2), message("t", 3)]);
    await eventually(() => hasBegun);
    await new Promise((resolve) => setTimeout(resolve, 50));
    let isOver = false;
    const closing = first.close({ drainMs: 5_000 }).then(() => void (isOver = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(isOver, false);
    open();
    await closing;
    const before = handled.length;
    assert.ok(before <= 3);
    await sender.subscribe(subscription, async ({ message, ack }) => {
      handled.push(message.data);
      await ack();
    });
    await eventually(() => handled.length >= 3);
    assert.deepEqual(handled.toSorted(), [1, 2, 3]);
  }, "messages for closed receivers");

  testLoss("goes on by itself after its connection was cut", async (transport) => {
    if (!transport.cut) return;
    const [sender, receiver] = [await transport.open(), await transport.open()];
    const got = new Set<unknown>();
    await receiver.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, async ({ message, ack }) => {
      got.add(message.data);
      await ack();
    });
    for (let n = 0; n < 60; n++) {
      if (n % 20 === 10) transport.cut();
      await sender.publish([message("t", n)]);
    }
    await eventually(() => got.size === 60);
  });
}
