/** Messages and names in Redis. */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import {
  fieldsOf,
  fromFields,
  RedisNames,
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
