import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { createRedisChannel } from "../../../src/messaging/brokers/redis/redis_channel.ts";
import { RedisNames } from "../../../src/messaging/brokers/redis/redis_message.ts";
import type { Channel, Message } from "../../../src/messaging/channel.ts";
import { eventually } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions, recordingLog } from "../channels.ts";
import { removeRedis } from "./redis_cleaning.ts";

const { address, isThere } = await findService("redis");

interface Setting {
  readonly channel: Channel;
  readonly names: RedisNames;
  readonly redis: Redis;
}

function testRedis(
  rule: string,
  run: (setting: Setting) => Promise<void>,
  options: Readonly<Record<string, unknown>> = {},
): void {
  Deno.test({
    name: rule,
    ignore: !isThere,
    fn: async () => {
      const stream = uniqueName();
      const entry = { kind: "redis-messaging", credentials: { url: address }, stream, ...options };
      const channel = createRedisChannel(channelOptions(entry));
      const redis = new Redis(`redis://${address}`);
      try {
        await channel.connect();
        await run({ channel, names: new RedisNames(stream), redis });
      } finally {
        await channel.close();
        await redis.quit();
        await removeRedis(address, stream);
      }
    },
  });
}

/**
 * Hands over each command that the server takes, as `MONITOR` prints it. The driver fails where the answer to
 * `MONITOR` and the first command come together, so this connection does without it.
 */
function monitorRedis(take: (line: string) => void): Socket {
  const [host, port] = address.split(":");
  const socket = connect(Number(port), host);
  createInterface({ input: socket }).on("line", take);
  socket.write("MONITOR\r\n");
  return socket;
}

testRedis("the same event published twice counts as one", async ({ channel, names, redis }) => {
  const event = { specversion: "1.0", id: "1", source: "/s", type: "T.e" };
  for (const headers of [event, event, { ...event, source: "/t" }, { id: "1" }, { id: "1" }]) {
    await channel.publish([{ topic: "T.e", data: 1, headers }]);
  }
  assert.equal(await redis.xlen(names.plain), 4);
  const headers = { "x-message-id": "m1" };
  for (const topic of ["T.e", "T.e", "T.f"]) await channel.publish([{ topic, data: 1, headers }]);
  assert.equal(await redis.xlen(names.plain), 6);
});

testRedis("reads entries of other programs", async ({ channel, names, redis }) => {
  const got: Message[] = [];
  await channel.subscribe({ group: "g", topics: ["T.e"], concurrency: 1 }, async ({ message, ack }) => {
    got.push(message);
    await ack();
  });
  await redis.xadd(names.plain, "*", "nothing", "known");
  await redis.xadd(names.plain, "*", "topic", "T.e", "data", "[1]");
  await eventually(() => got.length === 1);
  assert.deepEqual(got, [{ topic: "T.e", data: [1], headers: {}, key: undefined }]);
});

testRedis(
  "a dead letter keeps the message, its error and its attempts",
  async ({ channel, names, redis }) => {
    let isDone = false;
    await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ message, ack, nack }) => {
      isDone = message.data === "last";
      await (isDone ? ack() : nack({ dead: true, reason: "broken" }));
    });
    await channel.publish([{ topic: "T.e", data: { n: 1 }, headers: { a: "b" } }]);
    await redis.xadd(names.plain, "*", "topic", "T.e", "data", "{no json");
    await channel.publish([{ topic: "T.e", data: "last", headers: {} }]);
    await eventually(() => isDone);
    await channel.close();
    const letters = (await redis.xrange(names.dead("g"), "-", "+")).map(([, fields]) =>
      JSON.parse(fields[1])
    );
    const [broken, ours] = letters.toSorted((x, y) => x.lastError < y.lastError ? -1 : 1);
    assert.deepEqual([broken.data, broken.lastError, broken.attempts], ["{no json", "No valid JSON", 1]);
    assert.deepEqual([ours.topic, ours.data, ours.headers, ours.lastError, ours.attempts], [
      ...["T.e", { n: 1 }, { a: "b" }, "broken", 1],
    ]);
    assert.equal((await redis.xpending(names.plain, "g"))[0], 0);
  },
);

testRedis("the age of what waits is that of its oldest message", async ({ channel, names, redis }) => {
  const { close } = await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, ({ ack }) => ack());
  await close();
  const stored = Date.now() - 3_600_000;
  for (const id of [`${stored}-0`, "*"]) await redis.xadd(names.plain, id, "topic", "T.e", "data", "1");
  const { waiting, oldestAgeMs = 0 } = (await channel.backlog!("g"))!;
  assert.equal(waiting, 2);
  assert.ok(oldestAgeMs >= 3_600_000 && oldestAgeMs <= Date.now() - stored, String(oldestAgeMs));
});

testRedis("closing leaves no consumer behind", async ({ channel, names, redis }) => {
  await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, ({ ack }) => ack());
  await channel.publish([{ topic: "t", data: 1, headers: {} }, {
    topic: "t",
    data: 1,
    headers: {},
    key: "k",
  }]);
  await channel.close();
  for (const stream of [names.plain, names.keyed]) {
    const consumers = await redis.call("XINFO", "CONSUMERS", stream, "g") as unknown[];
    assert.ok(consumers.length <= 1, Deno.inspect(consumers));
  }
  assert.equal(await redis.exists(names.lease("g")), 0);
});

testRedis("what is older than the retention goes", async ({ channel, names, redis }) => {
  // Redis removes whole nodes of a stream, of 100 entries each.
  const old = Array.from({ length: 150 }, (_, n) => `${n + 1}-0`);
  for (const id of old) await redis.xadd(names.plain, id, "topic", "t");
  await channel.publish([{ topic: "t", data: 1, headers: {} }]);
  assert.ok(await redis.xlen(names.plain) < 100);
}, { retentionMs: 60_000 });

testRedis(
  "only one instance of a group handles messages with a key; another takes over when it leaves",
  async ({ channel, names }) => {
    const options = { kind: "redis-messaging", credentials: { url: address } };
    const stream = names.plain.slice(1, names.plain.indexOf("}"));
    const instances = [1, 2].map(() => createRedisChannel(channelOptions({ ...options, stream })));
    const got: [number, unknown][] = [];
    for (const [n, instance] of instances.entries()) {
      await instance.subscribe({ group: "g", topics: "*", concurrency: 2 }, async ({ message, ack }) => {
        got.push([n, message.data]);
        await ack();
      });
    }
    for (let n = 0; n < 10; n++) await channel.publish([{ topic: "t", data: n, headers: {}, key: `k${n}` }]);
    await eventually(() => got.length === 10);
    const [[first]] = got;
    assert.ok(got.every(([n]) => n === first));
    await instances[first].close();
    await channel.publish([{ topic: "t", data: "next", headers: {}, key: "k" }]);
    await eventually(() => got.length === 11);
    assert.deepEqual(got[10], [1 - first, "next"]);
    await instances[1 - first].close();
  },
);

testRedis(
  "an instance that starts when everything with a key was handled waits for the next message without asking again and again",
  async ({ channel, names }) => {
    const stream = names.plain.slice(1, names.plain.indexOf("}"));
    const got: unknown[] = [];
    const open = async () => {
      const options = { kind: "redis-messaging", credentials: { url: address }, stream };
      const instance = createRedisChannel(channelOptions(options));
      await instance.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ message, ack }) => {
        got.push(message.data);
        await ack();
      });
      return instance;
    };
    const publish = (data: unknown) => channel.publish([{ topic: "t", data, headers: {}, key: "k" }]);
    await publish(1);
    const first = await open();
    await eventually(() => got.length === 1);
    await first.close();
    const second = await open();
    const asked = { xread: 0, xreadgroup: 0 };
    const monitor = monitorRedis((line) => {
      if (/"xread"/i.test(line) && line.includes(names.keyed)) asked.xread++;
      if (/"xreadgroup"/i.test(line) && line.includes(names.plain)) asked.xreadgroup++;
    });
    try {
      // Each of them waits as long for messages without key.
      await eventually(() => asked.xreadgroup >= 5);
      assert.ok(asked.xread > 0 && asked.xread <= 20, `${asked.xread} reads`);
      await publish(2);
      await eventually(() => got.length === 2);
    } finally {
      monitor.destroy();
      await second.close();
    }
  },
);

/** Runs a test with the address of what answers like Redis, and tells these settings or that the command is not allowed. */
async function withSettings(
  settings: Readonly<Record<string, string>> | undefined,
  run: (url: string) => Promise<void>,
): Promise<void> {
  const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
  const told = Object.entries(settings ?? {}).flat();
  const answers: Readonly<Record<string, string>> = {
    info: bulk("redis_version:7.2.0"),
    config: settings ? `*${told.length}\r\n${told.map(bulk).join("")}` : "-NOPERM no permission\r\n",
  };
  const server = createServer((socket) => {
    createInterface({ input: socket }).on("line", (line) => {
      const command = /^(?:info|config|client)$/i.exec(line)?.[0].toLowerCase();
      if (command) socket.write(answers[command] ?? "+OK\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await run(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

Deno.test("what survives follows from the append-only file of the server, and a server without one is warned of (messaging 4)", async () => {
  const warning = "Redis keeps messages in memory only: a crash of the server loses them";
  for (
    const [settings, survives, lines] of [
      [{ appendonly: "no", appendfsync: "always" }, "process crash", [[warning]]],
      [{ appendonly: "yes", appendfsync: "everysec" }, "process crash", []],
      [{ appendfsync: "always", appendonly: "yes" }, "host crash", []],
      [{}, "process crash", []],
      [undefined, "process crash", []],
    ] as const
  ) {
    await withSettings(settings, async (url) => {
      const log = recordingLog();
      const channel = createRedisChannel({ ...channelOptions({ credentials: { url } }), log });
      assert.equal(channel.guarantees.survives, "process crash");
      try {
        await channel.connect();
        assert.deepEqual([channel.guarantees.survives, log.lines], [survives, lines]);
      } finally {
        await channel.close();
      }
    });
  }
});
