/** What a channel over Redis asks, over a server that a test holds. */

import assert from "node:assert/strict";
import { createRedisChannel } from "../../../src/messaging/brokers/redis/redis_channel.ts";
import { RedisNames } from "../../../src/messaging/brokers/redis/redis_message.ts";
import type { Channel, Message } from "../../../src/messaging/channel.ts";
import { channelOptions } from "../channels.ts";
import { redisServer } from "./redis_server.ts";

const NAMES = new RedisNames("s");

/** Runs a test with a channel; `asked` are its commands, and `answers` what they get, by their name and first key. */
async function withChannel(
  answers: Readonly<Record<string, unknown>>,
  run: (channel: Channel, asked: string[][]) => Promise<void>,
): Promise<void> {
  const asked: string[][] = [];
  const server = await redisServer(([command = "", ...args]) => {
    const name = command.toLowerCase();
    if (["client", "config", "select"].includes(name)) return "OK";
    asked.push([name, ...args]);
    const key = name === "xinfo" ? args[1] : args[0];
    const answer = answers[`${name} ${key}`] ?? answers[name];
    return typeof answer === "function" ? answer() : answer;
  });
  const options = { credentials: { url: server.url }, stream: "s", retentionMs: 5_000, timeoutMs: 3_000 };
  const channel = createRedisChannel(channelOptions(options));
  try {
    await run(channel, asked);
  } finally {
    await channel.close();
    await server.close();
  }
}

/** A group as the server tells it. */
const group = (name: string, pending: number, lag: number | null, last: string) => [
  ...["name", name, "consumers", 2, "pending", pending],
  ...["last-delivered-id", last, "entries-read", 7, "lag", lag],
];

Deno.test("what waits for a group is what was not given to it and what it has not settled, as old as the oldest (messaging 7)", async () => {
  const { plain, keyed } = NAMES;
  const id = (ageMs: number) => `${Date.now() - ageMs}-3`;
  for (
    const [found, waiting, age] of [
      [{}, undefined, undefined],
      [{ [`xinfo ${plain}`]: [group("other", 1, 1, "1-0")] }, undefined, undefined],
      [{ [`xinfo ${plain}`]: [group("g", 0, 0, "1-0")] }, 0, undefined],
      [{ [`xinfo ${plain}`]: [group("h", 9, 9, "1-0"), group("g", 2, 3, "1-0")] }, 5, undefined],
      [{ [`xinfo ${plain}`]: [group("g", 2, null, "1-0")] }, 2, undefined],
      [{ [`xinfo ${plain}`]: [group("g", 2, null, "1-0")], xrange: [[id(60_000), ["a", "b"]]] }, 3, 60_000],
      [{ [`xinfo ${plain}`]: [group("g", 2, 4, "1-0")], xrange: [[id(60_000), ["a", "b"]]] }, 6, 60_000],
      [
        {
          [`xinfo ${plain}`]: [group("g", 1, 4, "1-0")],
          xpending: [1, id(90_000), id(90_000), []],
          xrange: [[id(60_000), ["a", "b"]]],
        },
        5,
        90_000,
      ],
      [
        {
          [`xinfo ${plain}`]: [group("g", 1, 0, "1-0")],
          [`xinfo ${keyed}`]: [group("g", 2, 4, "1-0")],
          [`xrange ${keyed}`]: [[id(70_000), ["a", "b"]]],
        },
        7,
        70_000,
      ],
    ] as [Record<string, unknown>, number | undefined, number | undefined][]
  ) {
    const answers = { xpending: [0, null, null, null], xrange: [], ...found };
    for (const name of [plain, keyed]) {
      Object.assign(answers, { [`exists ${name}`]: `xinfo ${name}` in found ? 1 : 0 });
    }
    await withChannel(answers, async (channel, asked) => {
      const backlog = await channel.backlog!("g");
      assert.equal(backlog?.waiting, waiting, JSON.stringify(found));
      const { oldestAgeMs } = backlog ?? {};
      const isNear = age !== undefined && oldestAgeMs !== undefined && oldestAgeMs >= age &&
        oldestAgeMs < age + 5_000;
      assert.ok(age === undefined ? oldestAgeMs === undefined : isNear, `${oldestAgeMs} ms of ${age}`);
      const of = (name: string) => asked.filter(([one]) => one === name);
      assert.deepEqual(
        of("xinfo").map((one) => one[2]),
        [plain, keyed].filter((name) => `xinfo ${name}` in found),
      );
      for (const [, ...args] of of("xrange")) assert.deepEqual(args.slice(1), ["(1-0", "+", "COUNT", "1"]);
    });
  }
});

Deno.test("messages are stored once by their id, in the stream of their kind, and those beyond the retention go", async () => {
  const event = (id: string): Message["headers"] => ({ specversion: "1.0", id, source: "/s", type: "T.e" });
  for (
    const [given, stream, stored] of [
      [{ headers: {} }, NAMES.plain, undefined],
      [{ headers: {}, key: "k" }, NAMES.keyed, undefined],
      [{ headers: event("1") }, NAMES.plain, NAMES.stored("/s 1")],
      [{ headers: event("2"), key: "k" }, NAMES.keyed, NAMES.stored("/s 2")],
      [{ headers: { "x-message-id": "3" } }, NAMES.plain, NAMES.stored("T.e 3")],
    ] as const
  ) {
    await withChannel({ xadd: "1-0", eval: 1 }, async (channel, asked) => {
      const before = Date.now();
      await channel.publish([{ topic: "T.e", data: 1, ...given }]);
      const [[command, ...args]] = asked as [string[]];
      assert.equal(asked.length, 1);
      const fields = command === "eval" ? args.slice(6) : args.slice(5);
      const oldest = Number(command === "eval" ? args[5] : args[3]);
      assert.ok(oldest >= before - 5_000 && oldest <= Date.now() - 5_000, String(oldest));
      assert.deepEqual(fields.slice(0, 2), ["topic", "T.e"]);
      if (stored === undefined) {
        assert.deepEqual([command, ...args.slice(0, 3), args[4]], ["xadd", stream, "MINID", "~", "*"]);
      } else assert.deepEqual([command, ...args.slice(1, 5)], ["eval", "2", stream, stored, "120000"]);
    });
  }
});

Deno.test("what could not be stored is tried again, for as long as the server may take", async () => {
  let failures = 2;
  const xadd = () => failures-- > 0 ? new Error("ERR busy") : "1-0";
  await withChannel({ xadd }, async (channel, asked) => {
    await channel.publish([{ topic: "T.e", data: 1, headers: {} }]);
    assert.equal(asked.length, 3);
  });
});
