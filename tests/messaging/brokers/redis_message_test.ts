/** Messages and names in Redis. */

import assert from "node:assert/strict";
import type { Redis } from "ioredis";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import {
  claimPending,
  createGroups,
  fieldsOf,
  fromFields,
  RedisNames,
  removeConsumer,
  streamEntries,
  toFields,
} from "../../../src/messaging/brokers/redis/redis_message.ts";
import type { Message } from "../../../src/messaging/channel.ts";

const message = (given: Partial<Message>): Message => ({
  topic: "T.e",
  data: undefined,
  headers: {},
  ...given,
});
const read = (fields: Record<string, string>) => fromFields({ topic: "T.e", ...fields }, DEFAULT_LIMITS);

Deno.test("fields of an entry hold topic, headers, payload and key", () => {
  assert.deepEqual(toFields(message({ data: { a: 1 }, headers: { b: "c" }, key: "k" }), 100), [
    ...["topic", "T.e", "headers", '{"b":"c"}', "data", '{"a":1}', "key", "k"],
  ]);
  assert.deepEqual(toFields(message({}), 100), ["topic", "T.e", "headers", "{}", "data", ""]);
  assert.deepEqual(toFields(message({ data: new Uint8Array([1, 2]) }), 100).slice(4), [
    "data_base64",
    "AQI=",
  ]);
  assert.deepEqual(toFields(message({ data: null, key: "" }), 100).slice(4), ["data", "null", "key", ""]);
});

Deno.test("fields of an entry count with headers and payload in bytes", () => {
  const given = message({ data: "é", headers: { b: "c" } }); // 4 and 9 bytes
  assert.equal(toFields(given, 13).length, 6);
  assert.throws(() => toFields(given, 12), { code: "MESSAGE_TOO_LARGE" });
});

Deno.test("messages are read from fields as they were written", () => {
  const messages: readonly Partial<Message>[] = [
    { data: { a: [1] }, headers: { b: "ä", c: 1 }, key: "k" },
    { data: new Uint8Array([0, 255]), headers: { b: "c" } },
    { data: new Uint8Array() },
    { data: "", key: "" },
    {},
  ];
  for (const given of messages) {
    const back = fromFields(fieldsOf(toFields(message(given), 100)), DEFAULT_LIMITS);
    assert.deepEqual(back, { message: { key: undefined, ...message(given) } });
  }
});

Deno.test("entries of other programs are read as far as they can be", () => {
  assert.deepEqual(fromFields({ data: "1" }, DEFAULT_LIMITS).message, {
    topic: "",
    data: 1,
    headers: {},
    key: undefined,
  });
  assert.deepEqual(read({ data: "{", headers: '{"a":"b"}' }), {
    message: { topic: "T.e", data: "{", headers: {} },
    fault: "No valid JSON",
  });
  assert.equal(read({ headers: "[]" }).fault, "fw-headers is no JSON object");
  const { message: given, fault } = read({ data_base64: "*", key: "k" });
  assert.deepEqual([given.topic, given.key, fault], ["T.e", "k", "data_base64 is not base64"]);
});

Deno.test("fields are names and values in turn", () => {
  assert.deepEqual(
    { ...fieldsOf(["a", "1", "__proto__", "2", "c"]) },
    Object.fromEntries([["a", "1"], ["__proto__", "2"]]),
  );
  assert.deepEqual({ ...fieldsOf([]) }, {});
  assert.deepEqual(streamEntries(null), []);
  assert.deepEqual(streamEntries([["s", [["1-0", ["a", "b"]]]]]), [["s", [["1-0", ["a", "b"]]]]]);
});

Deno.test("keys of a channel stand in one slot of a cluster", () => {
  const names = new RedisNames("fw");
  assert.deepEqual(
    [names.plain, names.keyed, names.dead("g"), names.lease("g"), names.stored("1")],
    ["{fw}:t", "{fw}:k", "{fw}:dead:g", "{fw}:lease:g", "{fw}:id:1"],
  );
});

/** A connection that answers as a test says, and the commands that it got. */
function redisOf(answers: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>) {
  const commands: unknown[][] = [];
  const command = (name: string) => (...args: readonly unknown[]): Promise<unknown> => {
    commands.push([name, ...args]);
    return Promise.try(() => answers[name]!(...args));
  };
  const redis = Object.fromEntries(Object.keys(answers).map((name) => [name, command(name)]));
  return { redis: redis as unknown as Redis, commands };
}

Deno.test("a group begins with the oldest message; one that exists stays, and other failures are told", async () => {
  const failing = (message: string) =>
    redisOf({
      xgroup: (_, stream) => {
        if (stream === "a") throw new Error(message);
      },
    });
  const { redis, commands } = failing("BUSYGROUP Consumer Group name already exists");
  await createGroups(redis, ["a", "b"], "g");
  assert.deepEqual(commands, ["a", "b"].map((stream) => ["xgroup", "CREATE", stream, "g", "0", "MKSTREAM"]));
  await assert.rejects(createGroups(failing("WRONGTYPE").redis, ["a"], "g"), /WRONGTYPE/);
});

Deno.test("messages are taken over in pieces until there are no more, with how often they were delivered", async () => {
  const entries = ["1-0", "2-0", "3-0"].map((id) => [id, ["a", id]]);
  const pieces: Readonly<Record<string, unknown>> = {
    "0-0": ["2-5", entries.slice(0, 2), []],
    "2-5": ["0-0", entries.slice(2), ["9-0"]],
  };
  const deliveries: Readonly<Record<string, unknown>> = {
    "1-0": [["1-0", "c", 0, 4]],
    "2-0": [],
    "3-0": [["3-0", "c", 0, 2]],
  };
  const { redis, commands } = redisOf({
    xautoclaim: (_stream, _group, _consumer, _idle, from) => pieces[from as string],
    xpending: (_stream, _group, id) => deliveries[id as string],
  });
  const claimed = await claimPending(redis, { stream: "s", group: "g", consumer: "c", idleMs: 5 });
  assert.deepEqual(claimed, [4, 1, 2].map((deliveries, at) => ({ entry: entries[at], deliveries })));
  assert.deepEqual(commands.filter(([name]) => name === "xautoclaim"), [
    ["xautoclaim", "s", "g", "c", 5, "0-0", "COUNT", 64],
    ["xautoclaim", "s", "g", "c", 5, "2-5", "COUNT", 64],
  ]);
  assert.deepEqual(commands[1], ["xpending", "s", "g", "1-0", "1-0", 1]);
});

Deno.test("a consumer that leaves gives back its messages, which anybody may take at once", async () => {
  const left: Record<string, unknown[]> = { a: [["1-0"], ["2-0"]], b: [] };
  const { redis, commands } = redisOf({
    eval: (_script, _keys, stream) => left[stream as string]!.length > 0 ? 0 : 1,
    xpending: (stream) => left[stream as string],
    xclaim: (stream) => void (left[stream as string] = []),
  });
  await removeConsumer(redis, { streams: ["a", "b"], group: "g", consumer: "c" });
  const week = 604_800_000;
  assert.deepEqual(commands.filter(([name]) => name !== "eval"), [
    ["xpending", "a", "g", "-", "+", 64, "c"],
    ["xclaim", "a", "g", "-", 0, "1-0", "2-0", "IDLE", week, "JUSTID"],
  ]);
  assert.deepEqual(commands.filter(([name]) => name === "eval").map((command) => command.slice(2)), [
    ...[[1, "a", "g", "c"], [1, "a", "g", "c"], [1, "b", "g", "c"]],
  ]);
});

Deno.test("where others took the messages of a consumer that leaves meanwhile, none is claimed", async () => {
  let asked = 0;
  const { redis, commands } = redisOf({ eval: () => asked++, xpending: () => [] });
  await removeConsumer(redis, { streams: ["a"], group: "g", consumer: "c" });
  assert.deepEqual(commands.map(([name]) => name), ["eval", "xpending", "eval"]);
});
