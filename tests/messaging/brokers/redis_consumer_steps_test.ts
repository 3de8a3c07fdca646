/** What a consumer of Redis asks, and how it settles messages, over a server that a test holds. */

import assert from "node:assert/strict";
import type { Redis } from "ioredis";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { brokerOptions } from "../../../src/messaging/brokers/broker_options.ts";
import { RedisConsumer } from "../../../src/messaging/brokers/redis/redis_consumer.ts";
import { RedisNames, type StreamEntry } from "../../../src/messaging/brokers/redis/redis_message.ts";
import type { Delivery } from "../../../src/messaging/channel.ts";
import { eventually } from "../../contract/channel.ts";
import { channelOptions, recordingLog } from "../channels.ts";
import { redisServer } from "./redis_server.ts";

const NAMES = new RedisNames("s");

/** The entries that readers get, by stream, and what they ask. */
interface Readers {
  /** Entries of the messages without key, answers in their order; an error is told. */
  readonly plain: (readonly StreamEntry[] | Error)[];
  readonly keyed: (readonly StreamEntry[] | Error)[];
  /** Whether a wait for messages with a key ends at once with one, by turns. */
  readonly waits: boolean[];
  readonly asked: string[][];
}

async function answerReader([command = "", ...args]: readonly string[], readers: Readers): Promise<unknown> {
  const name = command.toLowerCase();
  if (!["xreadgroup", "xread", "eval"].includes(name)) return "OK";
  readers.asked.push([name, ...name === "eval" ? args.slice(1) : args]);
  if (name === "xread" && readers.waits.shift()) return [[NAMES.keyed, [["9-0", []]]]];
  const stream = name === "xreadgroup" ? "plain" : "keyed";
  const next = name === "xread" ? undefined : readers[stream].shift();
  if (next instanceof Error) return next;
  if (next !== undefined) return [[NAMES[stream], next]];
  if (name !== "eval") await new Promise((go) => setTimeout(go, 2));
  return null;
}

interface Given {
  readonly onDelivery?: (delivery: Delivery) => Promise<void>;
  readonly topics?: readonly string[] | "*";
  readonly ackWaitMs?: number;
  /** What the connection for commands answers; default: as if all goes well. */
  readonly answers?: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
}

/** Runs a test with a consumer that is open; `asked` are its commands beside those of readers. */
async function withConsumer(
  { onDelivery = ({ ack }) => ack(), topics = "*", ackWaitMs = 60_000, answers = {} }: Given,
  run: (given: {
    readonly consumer: RedisConsumer;
    readonly readers: Readers;
    readonly asked: unknown[][];
    readonly of: (name: string) => unknown[][];
    readonly log: ReturnType<typeof recordingLog>;
  }) => Promise<void>,
): Promise<void> {
  const readers: Readers = { plain: [], keyed: [], waits: [], asked: [] };
  const { url, close } = await redisServer((command) => answerReader(command, readers));
  const asked: unknown[][] = [];
  const scripts = { XADD: "dead", PEXPIRE: "renew", DELCONSUMER: "remove", "'DEL'": "release" };
  const well: Given["answers"] = {
    ...{ set: () => "OK", xgroup: () => "OK", xack: () => 1, xclaim: () => [], xpending: () => [] },
    xautoclaim: () => ["0-0", [], []],
    ...{ dead: () => 1, renew: () => 1, remove: () => 1, release: () => 1 },
  };
  const command = (given: string) => (...args: readonly unknown[]) =>
    Promise.try(() => {
      const script = Object.entries(scripts).find(([part]) => String(args[0]).includes(part));
      const name = given === "eval" ? script![1] : given;
      const rest = given === "eval" ? args.slice(1) : args;
      asked.push([name, ...rest]);
      return (answers[name] ?? well[name]!)(...rest);
    });
  const names = ["set", "xgroup", "xack", "xclaim", "xpending", "xautoclaim", "eval"];
  const redis = Object.fromEntries(names.map((name) => [name, command(name)])) as unknown as Redis;
  const log = recordingLog();
  const options = channelOptions({ credentials: { url }, stream: "s", ackWaitMs, retentionMs: 1_000 });
  const consumer = new RedisConsumer({
    ...{ redis, names: NAMES, broker: brokerOptions(options, "redis-messaging"), log, onDelivery },
    ...{ limits: DEFAULT_LIMITS, subscription: { group: "g", topics, concurrency: 1 } },
  });
  const of = (name: string) => asked.filter(([one]) => one === name).map(([, ...args]) => args);
  try {
    await consumer.open();
    await run({ consumer, readers, asked, of, log });
  } finally {
    await consumer.close();
    await close();
  }
}

const entry = (id: string, data: unknown, more: readonly string[] = []): StreamEntry => [
  id,
  ["topic", "T.e", "headers", "{}", "data", JSON.stringify(data), ...more],
];
const keyed = (id: string, data: unknown) => entry(id, data, ["key", "k"]);

Deno.test("messages without key are read by group and name, as many as there is room for, and acknowledged", async () => {
  const gate = Promise.withResolvers<void>();
  const got: unknown[] = [];
  const onDelivery = async ({ message, deliveries, ack }: Delivery) => {
    got.push([message.topic, message.data, message.key, deliveries]);
    await gate.promise;
    await ack();
  };
  await withConsumer({ onDelivery }, async ({ readers, of }) => {
    readers.plain.push([entry("1-0", "a"), entry("2-0", "b")]);
    const counts = () => readers.asked.filter(([name]) => name === "xreadgroup").map((one) => one[5]);
    await eventually(() => counts().includes("255"));
    const [, ...first] = readers.asked.find(([name]) => name === "xreadgroup")!;
    const name = first[2]!;
    assert.deepEqual(first, [
      ...["GROUP", "g", name, "COUNT", "257", "BLOCK", "200", "STREAMS", NAMES.plain, ">"],
    ]);
    assert.deepEqual(of("xack"), []);
    gate.resolve();
    await eventually(() => of("xack").length === 2);
    assert.deepEqual(of("xack"), [[NAMES.plain, "g", "1-0"], [NAMES.plain, "g", "2-0"]]);
    await eventually(() => counts().at(-1) === "257");
  });
  assert.deepEqual(got, [["T.e", "a", undefined, 1], ["T.e", "b", undefined, 1]]);
});

Deno.test("messages with a key are taken over before new ones are read, by the holder of the lease alone", async () => {
  let isHeld = false;
  const got: unknown[] = [];
  const answers: Given["answers"] = {
    set: () => isHeld ? "OK" : null,
    xautoclaim: (stream) => ["0-0", stream === NAMES.keyed ? [keyed("1-0", "left")] : [], []],
    xpending: () => [["1-0", "c", 0, 4]],
  };
  const onDelivery = ({ message, deliveries, ack }: Delivery) => {
    got.push([message.data, message.key, deliveries]);
    return ack();
  };
  await withConsumer({ onDelivery, answers, ackWaitMs: 400 }, async ({ readers, of }) => {
    readers.keyed.push([keyed("2-0", "new")]);
    await eventually(() => of("set").length === 2);
    assert.deepEqual([got, readers.keyed.length], [[], 1]);
    isHeld = true;
    await eventually(() => got.length === 2);
    const taken = of("xautoclaim").filter(([stream]) => stream === NAMES.keyed);
    assert.deepEqual(taken.map((args) => [args[1], args[3]]), [["g", 0]]);
    const read = readers.asked.find(([name]) => name === "eval")!;
    assert.deepEqual(read, ["eval", "2", NAMES.lease("g"), NAMES.keyed, read[4], "g", read[6]]);
    assert.ok(["256", "257"].includes(read[6]!), "what was taken over may be here still");
    const [lease] = of("set");
    assert.deepEqual(lease, [NAMES.lease("g"), read[4], "PX", 400, "NX"]);
    await eventually(() => of("xack").length === 2);
    assert.deepEqual(of("xack"), [[NAMES.keyed, "g", "1-0"], [NAMES.keyed, "g", "2-0"]]);
  });
  assert.deepEqual(got, [["left", "k", 4], ["new", "k", 1]]);
});

Deno.test("whoever has nothing to read waits for what comes behind the last message, or from now on after a wait that ended", async () => {
  await withConsumer({}, async ({ readers }) => {
    const waits = () => readers.asked.filter(([name]) => name === "xread");
    await eventually(() => waits().length > 0);
    assert.deepEqual(waits()[0], ["xread", "COUNT", "1", "BLOCK", "200", "STREAMS", NAMES.keyed, "$"]);
    readers.keyed.push([keyed("3-0", 1), keyed("4-0", 2)]);
    await eventually(() => waits().at(-1)!.at(-1) === "4-0");
    readers.waits.push(true);
    await eventually(() => waits().at(-1)!.at(-1) === "$");
  });
});

Deno.test("what is of no interest to a group, or was removed, is acknowledged without its handler", async () => {
  const got: unknown[] = [];
  const onDelivery = ({ message, ack }: Delivery) => (got.push(message.data), ack());
  await withConsumer({ onDelivery, topics: ["T.e"] }, async ({ readers, of }) => {
    readers.plain.push([
      ["1-0", ["topic", "T.other", "data", "1"]],
      ["2-0", ["data", "1"]],
      ["3-0", null],
      entry("4-0", "of h", ["group", "h"]),
      entry("5-0", "of g", ["group", "g"]),
      entry("6-0", "of all"),
    ]);
    await eventually(() => of("xack").length === 6);
    assert.deepEqual(
      new Set(of("xack").map(([, , id]) => id)),
      new Set([1, 2, 3, 4, 5, 6].map((n) => `${n}-0`)),
    );
  });
  assert.deepEqual(got, ["of g", "of all"]);
});

Deno.test("an entry that comes again while it is here is handled once, and again when it was settled", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let handled = 0;
  const onDelivery = async ({ ack }: Delivery) => {
    await gates[handled++]!.promise;
    await ack();
  };
  await withConsumer({ onDelivery }, async ({ readers, of }) => {
    readers.plain.push([entry("1-0", 1)], [entry("1-0", 1)]);
    await eventually(() => readers.plain.length === 0 && handled === 1);
    gates[0]!.resolve();
    await eventually(() => of("xack").length === 1);
    gates[1]!.resolve();
    readers.plain.push([entry("1-0", 1)]);
    await eventually(() => of("xack").length === 2);
  });
  assert.equal(handled, 2);
});

Deno.test("a dead letter is stored with the end of its message, and the oldest ones beyond the retention go", async () => {
  const onDelivery = async ({ extend, nack }: Delivery) => {
    await extend();
    await nack({ dead: true, reason: "broken" });
  };
  await withConsumer({ onDelivery }, async ({ readers, of, log }) => {
    const before = Date.now();
    readers.plain.push([entry("1-0", 1)]);
    await eventually(() => of("dead").length === 1);
    const [[keys, dead, stream, oldest, letter, group, id]] = of("dead") as [unknown[]];
    assert.deepEqual([keys, dead, stream, group, id], [2, NAMES.dead("g"), NAMES.plain, "g", "1-0"]);
    assert.ok(Number(oldest) >= before - 1_000 && Number(oldest) <= Date.now() - 1_000);
    const { topic, data, attempts, lastError } = JSON.parse(letter as string);
    assert.deepEqual([topic, data, attempts, lastError], ["T.e", 1, 1, "broken"]);
    assert.deepEqual(log.lines, [["Gave up message T.e after 1 deliveries: broken"]]);
    const [[, , name, ...claim]] = of("xclaim") as [unknown[]];
    assert.deepEqual([of("xclaim")[0]!.slice(0, 2), claim], [[NAMES.plain, "g"], [0, "1-0", "JUSTID"]]);
    assert.equal(name, readers.asked.find(([name]) => name === "xreadgroup")![3]);
    assert.deepEqual(of("xack"), []);
  });
});

Deno.test("what cannot be settled with a key is taken over again, with all that is left; without one it is not", async () => {
  for (const kind of ["plain", "keyed"] as const) {
    let failures = 1;
    const answers: Given["answers"] = {
      xack: () => {
        if (failures-- > 0) throw new Error("away");
        return 1;
      },
    };
    await withConsumer({ answers }, async ({ readers, of, log }) => {
      const taken = () => of("xautoclaim").filter(([stream]) => stream === NAMES.keyed).length;
      await eventually(() => taken() === 1);
      readers[kind].push([kind === "plain" ? entry("1-0", 1) : keyed("1-0", 1)]);
      await eventually(() => log.lines.length === 1);
      assert.match(String(log.lines[0]![0]), /^Cannot settle message T\.e/);
      if (kind === "keyed") await eventually(() => taken() === 2);
      readers[kind].push([kind === "plain" ? entry("1-0", 1) : keyed("1-0", 1)]);
      await eventually(() => of("xack").length === 2);
      assert.equal(taken(), kind === "keyed" ? 2 : 1, kind);
    });
  }
});

Deno.test("a failed read is repeated: a group that is gone is created again, and what an answer held is taken over", async () => {
  await withConsumer({}, async ({ readers, of }) => {
    const taken = () => of("xautoclaim").filter(([stream]) => stream === NAMES.keyed).length;
    await eventually(() => taken() === 1);
    assert.deepEqual(of("xgroup").map((args) => [args[1], args[2]]), [[NAMES.plain, "g"], [
      NAMES.keyed,
      "g",
    ]]);
    readers.plain.push(new Error("ERR other"), [entry("1-0", 1)]);
    await eventually(() => of("xack").length === 1);
    assert.equal(of("xgroup").length, 2);
    readers.plain.push(new Error("NOGROUP no such group"), [entry("2-0", 1)]);
    await eventually(() => of("xack").length === 2);
    assert.deepEqual([of("xgroup").length, taken()], [4, 1]);
    readers.keyed.push(new Error("ERR other"), [keyed("3-0", 1)]);
    await eventually(() => of("xack").length === 3);
    assert.deepEqual([of("xgroup").length, taken()], [4, 2]);
  });
});

Deno.test("messages of instances that are gone are looked for four times in the time to acknowledge, whatever fails", async () => {
  let care = 0;
  const got: unknown[] = [];
  const answers: Given["answers"] = {
    xautoclaim: (stream) => {
      if (stream === NAMES.keyed) return ["0-0", [], []];
      if (++care === 2) throw new Error("away");
      return ["0-0", care === 3 ? [entry("1-0", "left")] : [], []];
    },
    xpending: () => [["1-0", "c", 0, 5]],
  };
  const onDelivery = ({ message, deliveries, ack }: Delivery) => {
    got.push([message.data, deliveries]);
    return ack();
  };
  await withConsumer({ answers, onDelivery, ackWaitMs: 400 }, async ({ of }) => {
    const begun = performance.now();
    await eventually(() => of("xack").length === 1);
    const ms = performance.now() - begun;
    assert.ok(ms > 150 && ms < 1_900, `${ms} ms for two times a hundred`);
    const plain = of("xautoclaim").filter(([stream]) => stream === NAMES.plain);
    assert.deepEqual(plain[0]!.slice(0, 2).concat(plain[0]!.slice(3)), [
      ...[NAMES.plain, "g", 400, "0-0", "COUNT", 64],
    ]);
  });
  assert.deepEqual(got, [["left", 5]]);
});

Deno.test("a consumer that ends waits for its handler, then gives back its messages and its lease; a failure is told", async () => {
  for (const fails of [false, true]) {
    const [gate, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const onDelivery = async ({ ack }: Delivery) => {
      begun.resolve();
      await gate.promise;
      await ack();
    };
    const answers: Given["answers"] = fails
      ? {
        remove: () => {
          throw new Error("away");
        },
      }
      : {};
    await withConsumer({ onDelivery, answers }, async ({ consumer, readers, asked, log }) => {
      readers.plain.push([entry("1-0", 1), entry("2-0", 2)]);
      await begun.promise;
      asked.splice(0);
      const closing = consumer.close();
      await new Promise((go) => setTimeout(go, 10));
      assert.equal(asked.length, 0);
      gate.resolve();
      await closing;
      const name = asked.find(([name]) => name === "remove")![4];
      const removal = (stream: string) => ["remove", 1, stream, "g", name];
      const rest = fails ? [] : [removal(NAMES.keyed), ["release", 1, NAMES.lease("g"), name]];
      assert.deepEqual(asked, [["xack", NAMES.plain, "g", "1-0"], removal(NAMES.plain), ...rest]);
      assert.deepEqual(log.lines, fails ? [["Cannot take leave of Redis:", "away"]] : []);
      const reads = readers.asked.length;
      await new Promise((go) => setTimeout(go, 10));
      assert.equal(readers.asked.length, reads, "nothing is read behind the end");
    });
  }
});

Deno.test("an instance cares once a second, or more often where the time to acknowledge is short", async () => {
  for (const [ackWaitMs, every] of [[60_000, 1_000], [4_000, 1_000], [2_000, 500]]) {
    const { setTimeout } = globalThis;
    const delays = new Set<number | undefined>();
    globalThis.setTimeout = ((work: () => void, ms?: number) => {
      delays.add(ms);
      return setTimeout(work, ms);
    }) as typeof setTimeout;
    try {
      await withConsumer({ ackWaitMs }, () => Promise.resolve());
    } finally {
      globalThis.setTimeout = setTimeout;
    }
    assert.deepEqual([500, 1_000, 15_000].filter((ms) => delays.has(ms)), [every]);
  }
});

Deno.test("what waits with a key comes as it is taken over again, in its place; what waits without one stays", async () => {
  const gate = Promise.withResolvers<void>();
  const got: unknown[] = [];
  let times = 0;
  const answers: Given["answers"] = {
    xautoclaim: (stream) => {
      const left = stream === NAMES.keyed && ++times === 2 ? [keyed("1-0", "k1"), keyed("2-0", "k2")] : [];
      return ["0-0", left, []];
    },
    xpending: () => [["2-0", "c", 0, 2]],
  };
  const onDelivery = async ({ message: { data }, deliveries, ack }: Delivery) => {
    got.push([data, deliveries]);
    await gate.promise;
    await ack();
  };
  await withConsumer({ onDelivery, answers }, async ({ readers, of }) => {
    readers.keyed.push([keyed("1-0", "k1"), keyed("2-0", "k2")]);
    await eventually(() => got.length === 1);
    readers.plain.push([entry("3-0", "p")]);
    await eventually(() => readers.plain.length === 0);
    readers.keyed.push(new Error("ERR lost"));
    await eventually(() => times === 2);
    gate.resolve();
    await eventually(() => of("xack").length === 3);
  });
  assert.deepEqual(got, [["k1", 1], ["p", 1], ["k2", 2]]);
});

Deno.test("as many messages are read as there is room for, one for one, and none while there is none", async () => {
  const gate = Promise.withResolvers<void>();
  const onDelivery = async ({ ack }: Delivery) => {
    await gate.promise;
    await ack();
  };
  await withConsumer({ onDelivery }, async ({ readers, of }) => {
    const reads = () => readers.asked.filter(([name]) => name === "xreadgroup");
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => entry(`${from + n}-0`, n));
    readers.plain.push(many(1, 256));
    await eventually(() => reads().at(-1)?.[5] === "1");
    readers.plain.push(many(257, 1));
    await eventually(() => readers.plain.length === 0);
    const { length } = reads();
    await new Promise((go) => setTimeout(go, 10));
    assert.equal(reads().length, length);
    gate.resolve();
    await eventually(() => of("xack").length === 257);
  });
});

Deno.test("a consumer does not open while its group cannot be created, or the server does not answer", async () => {
  for (const name of ["xgroup", "set", "xautoclaim"]) {
    const answers = {
      [name]: () => {
        throw new Error("WRONGTYPE");
      },
    };
    const opening = withConsumer({ answers }, () => Promise.reject(new Error("It is open")));
    await assert.rejects(opening, /WRONGTYPE/, name);
  }
});

Deno.test("a handler that asks for more time waits for it, and the server is asked three times in the time to acknowledge", async () => {
  const { setInterval } = globalThis;
  const every: (number | undefined)[] = [];
  globalThis.setInterval = ((work: () => void, ms?: number) => {
    every.push(ms);
    return setInterval(work, ms);
  }) as typeof setInterval;
  const steps: string[] = [];
  const gate = Promise.withResolvers<void>();
  const onDelivery = async ({ extend, ack }: Delivery) => {
    await extend();
    steps.push("more time");
    await ack();
  };
  const answers: Given["answers"] = { xclaim: () => gate.promise };
  try {
    await withConsumer({ onDelivery, answers, ackWaitMs: 60_000 }, async ({ readers, of }) => {
      readers.plain.push([entry("1-0", 1)]);
      await eventually(() => of("xclaim").length === 1);
      await new Promise((go) => setTimeout(go, 5));
      assert.deepEqual(steps, []);
      gate.resolve();
      await eventually(() => of("xack").length === 1);
    });
  } finally {
    globalThis.setInterval = setInterval;
  }
  assert.ok(every.includes(20_000), every.join());
});

Deno.test("a consumer that has ended asks nothing more", async () => {
  await withConsumer({ ackWaitMs: 80 }, async ({ consumer, asked, readers }) => {
    await eventually(() => readers.asked.length > 2);
    await consumer.close();
    asked.splice(0);
    await new Promise((go) => setTimeout(go, 50));
    assert.deepEqual(asked, []);
  });
});
