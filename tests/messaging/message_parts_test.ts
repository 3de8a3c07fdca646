/** What messages are made of: payloads in JSON, sizes, topics, keys, headers, dead letters. */

import assert from "node:assert/strict";
import { backlogSince, joinBacklogs } from "../../src/messaging/channel.ts";
import {
  cloudEventFault,
  cloudEventHeaders,
  droppedHeaders,
  sourceOf,
} from "../../src/messaging/cloud_events.ts";
import {
  isReplayable,
  letterId,
  oldestFirst,
  readDeadLetter,
  readReference,
  writeDeadLetter,
  writeReference,
} from "../../src/messaging/dead_letter.ts";
import { assertTopic, partitionKey, topicOf } from "../../src/messaging/event_topic.ts";
import { contextOf, tenantFault } from "../../src/messaging/message_headers.ts";
import {
  assertDataSize,
  assertMessageSize,
  fromDataMember,
  jsonOf,
  logPayload,
  toDataMember,
} from "../../src/messaging/message_json.ts";
import { User } from "../../src/context/user.ts";

const bytes = (...values: readonly number[]) => new Uint8Array(values);

Deno.test("jsonOf() writes large integers as text, and nothing where there is no value", () => {
  assert.equal(jsonOf({ a: 2n ** 64n, b: [1n] }), '{"a":"18446744073709551616","b":["1"]}');
  assert.equal(jsonOf(1n), '"1"');
  assert.equal(jsonOf(undefined), undefined);
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  assert.throws(() => jsonOf(circle), TypeError);
  const own = {
    toJSON: () => {
      throw new RangeError("own");
    },
  };
  assert.throws(() => jsonOf(own), { name: "RangeError", message: "own" });
});

Deno.test("assertMessageSize() and assertDataSize() count bytes in UTF-8", () => {
  assertMessageSize("t", "éé", 4);
  assertMessageSize("t", ["éé", 6], 10);
  const error = { status: 500, code: "MESSAGE_TOO_LARGE", unrecoverable: true };
  assert.throws(() => assertMessageSize("t", "éé", 3), {
    ...error,
    message: "A message of event 't' has more than 3 bytes",
  });
  assert.throws(() => assertMessageSize("t", ["éé", 7], 10), error);
  assertDataSize("t", bytes(1, 2, 3), 3);
  assertDataSize("t", undefined, 0);
  assertDataSize("t", { a: 1n }, 9);
  assert.throws(() => assertDataSize("t", { a: 1n }, 8), error);
  assert.throws(() => assertDataSize("t", bytes(1, 2, 3, 4), 3), error);
});

Deno.test("logPayload() cuts long payloads, and tells of bytes only how many there are", () => {
  assert.equal(logPayload({ a: 1 }), '{"a":1}');
  assert.equal(logPayload(undefined), "");
  assert.equal(logPayload(bytes(1, 2)), "(2 bytes)");
  assert.equal(logPayload("x".repeat(1022)), `"${"x".repeat(1022)}"`);
  assert.equal(logPayload("x".repeat(1023)), `"${"x".repeat(1023)}…`);
});

Deno.test("a payload of bytes stands in JSON as base64, all others as they are", () => {
  assert.deepEqual(toDataMember(bytes(1, 2)), { data_base64: "AQI=" });
  assert.deepEqual(toDataMember({ a: 1 }), { data: { a: 1 } });
  assert.deepEqual(fromDataMember({ data_base64: "AQI=" }), { data: bytes(1, 2) });
  assert.deepEqual(fromDataMember({ data: null }), { data: null });
  assert.deepEqual(fromDataMember({}), { data: undefined });
  assert.deepEqual(fromDataMember({ data_base64: "A" }), { fault: "data_base64 is not base64" });
  assert.deepEqual(fromDataMember({ data: 1, data_base64: "AQI=" }), {
    fault: "data and data_base64 together",
  });
});

Deno.test("assertTopic() refuses names of events that no channel can carry", () => {
  assertTopic("T.e/x", 5);
  const cases: readonly [topic: string, reason: string][] = [
    ["", 'The name of event "" is empty'],
    ["T.e/xy", 'The name of event "T.e/xy" has more than 5 characters'],
    ["a b", 'The name of event "a b" holds white space or control characters'],
    ["a b c", 'The name of event "a b c" holds white space or control characters'],
    ["a\u0007", 'The name of event "a\\u0007" holds white space or control characters'],
    ["x".repeat(101), `The name of event "${"x".repeat(100)}" has more than 5 characters`],
  ];
  for (const [topic, message] of cases) {
    assert.throws(() => assertTopic(topic, 5), {
      status: 500,
      code: "BAD_TOPIC",
      message,
      unrecoverable: true,
    });
  }
});

Deno.test("topicOf() is @topic of an event where that is a text, else its name", () => {
  assert.equal(topicOf({ name: "T.e" }), "T.e");
  assert.equal(topicOf({ name: "T.e", "@topic": "a/b" }), "a/b");
  for (const topic of ["", 7, null]) assert.equal(topicOf({ name: "T.e", "@topic": topic }), "T.e");
});

Deno.test("partitionKey() is the header, else the values of all key elements", () => {
  const element = (name: string, key?: boolean) => ({ name, key });
  const one = { name: "e", elements: [element("ID", true), element("n")] };
  const two = { name: "e", elements: [element("a", true), element("b", true)] };
  assert.equal(partitionKey({ partitionkey: "p" }, { ID: 1 }, one), "p");
  for (const partitionkey of ["", 7]) assert.equal(partitionKey({ partitionkey }, { ID: 1 }, one), "1");
  assert.equal(partitionKey({}, { a: 1, b: "x" }, two), '[1,"x"]');
  for (const data of [{ a: 1 }, { a: 1, b: null }, "text", null, undefined]) {
    assert.equal(partitionKey({}, data, two), undefined);
  }
  assert.equal(partitionKey({}, { ID: 1 }, { name: "e" }), undefined);
  assert.equal(partitionKey({}, { ID: 1 }), undefined);
});

Deno.test("a CloudEvent has its required attributes, and those of the emitter that are allowed (messaging 5)", () => {
  const defaults = { id: "1", type: "T.e", source: "/s", time: "2026-01-01T00:00:00Z" };
  const filled = { ...defaults, datacontenttype: "application/json", specversion: "1.0" };
  assert.deepEqual(cloudEventHeaders({}, defaults), filled);
  const given = {
    id: "2",
    n: 7,
    half: 1.5,
    list: [1],
    yes: true,
    none: null,
    open: undefined,
    "x-y": "z",
    Big: 1,
  };
  assert.deepEqual(cloudEventHeaders(given, { ...defaults, datacontenttype: "a/b" }), {
    ...filled,
    ...{ datacontenttype: "a/b", id: "2", n: 7, half: "1.5", list: "[1]", yes: true },
  });
  assert.deepEqual(droppedHeaders(given), ["x-y", "Big"]);
  assert.equal(sourceOf("a/b c"), "/a%2Fb%20c");
});

Deno.test("cloudEventFault() tells the first fault of the headers of a CloudEvent", () => {
  const good = { specversion: "1.0", id: "1", source: "/s", type: "t" };
  const cases: readonly [Record<string, unknown>, string | undefined][] = [
    [{}, undefined],
    [{ time: "2026-01-01t00:00:00.5+01:00", n: 7, yes: false }, undefined],
    [{ specversion: "0.3" }, "specversion is '0.3', expected '1.0'"],
    [{ id: "" }, "id is missing"],
    [{ source: 7 }, "source is missing"],
    [{ type: "a\u0000" }, "type holds control characters or half of a surrogate pair"],
    [{ id: "\ud800" }, "id holds control characters or half of a surrogate pair"],
    [{ time: "2026-01-01" }, "time is '2026-01-01', expected RFC 3339"],
    [{ time: 7 }, "time is '7', expected RFC 3339"],
    [{ half: 1.5 }, "half is no string, integer or boolean"],
    [{ none: null }, "none is no string, integer or boolean"],
  ];
  for (const [changes, fault] of cases) assert.equal(cloudEventFault({ ...good, ...changes }), fault);
});

Deno.test("the context of a message has its correlation id, its tenant and the rights of its sender, else all", () => {
  const message = (headers: Record<string, unknown>, sender?: User) => ({
    topic: "t",
    data: 1,
    headers,
    sender,
  });
  const byName = contextOf(message({ "x-correlation-id": "c1", tenant: "t1" }), { tenantHeader: "tenant" });
  assert.deepEqual([byName.id, byName.tenant, byName.user instanceof User.Privileged], ["c1", "t1", true]);
  const ann = new User("ann");
  const event = contextOf(message({ correlationid: "c2", tenant: "t1" }, ann), {});
  assert.deepEqual([event.id, event.tenant, event.user], ["c2", undefined, ann]);
  assert.equal(contextOf(message({ tenant: "../t" }), { tenantHeader: "tenant" }).tenant, undefined);
  assert.match(contextOf(message({ "x-correlation-id": 7 }), {}).id, /^[0-9a-f-]{36}$/);
});

Deno.test("tenantFault() tells what is no id of a tenant", () => {
  const faultOf = (tenant: unknown, tenantHeader: string | undefined = "x-tenant") =>
    tenantFault({ topic: "t", data: 1, headers: { "x-tenant": tenant } }, { tenantHeader });
  for (const tenant of ["t1", undefined, null]) assert.equal(faultOf(tenant), undefined);
  for (const tenant of ["../t", "", 7]) assert.equal(faultOf(tenant), "x-tenant is no id of a tenant");
  assert.equal(
    tenantFault({ topic: "t", data: 1, headers: { "x-tenant": 7 } }, { tenantHeader: undefined }),
    undefined,
  );
});

Deno.test("a dead letter is read as it was written", () => {
  const messages = [
    { topic: "T.e", data: { a: 1n }, headers: { b: "c" }, key: "k" },
    { topic: "T.e", data: bytes(1, 2), headers: {} },
  ];
  const [first, second] = messages.map((message) =>
    readDeadLetter("1", writeDeadLetter(message, 3, "broken"))
  );
  assert.match(first!.at!, /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.deepEqual({ ...first, at: "" }, {
    ...{ id: "1", attempts: 3, lastError: "broken", at: "" },
    message: { topic: "T.e", data: { a: "1" }, headers: { b: "c" }, key: "k" },
  });
  assert.deepEqual(second!.message, messages[1]);
});

Deno.test("what is no dead letter can still be looked at", () => {
  for (const text of ["{", "[]", '{"topic":7}']) {
    const letter = readDeadLetter("1", text);
    assert.deepEqual(letter, {
      ...{ id: "1", attempts: 0, lastError: "No dead letter" },
      message: { topic: "", data: text, headers: {} },
    });
    assert.equal(isReplayable(letter), false);
  }
  const bare = readDeadLetter(
    "1",
    '{"topic":"t","attempts":"3","lastError":1,"headers":{"partitionkey":"p"},"at":1}',
  );
  assert.deepEqual(bare, {
    ...{ id: "1", attempts: 0, lastError: "" },
    message: { topic: "t", data: undefined, headers: { partitionkey: "p" }, key: "p" },
  });
  assert.equal(isReplayable(bare), true);
  assert.deepEqual(readDeadLetter("1", '{"topic":"t","key":7,"headers":[]}').message, {
    topic: "t",
    data: undefined,
    headers: {},
  });
});

Deno.test("a message that is too large to be written again is kept as its number", () => {
  const text = writeReference(7, 2, `${"x".repeat(999)}\ud83d\ude00`);
  assert.equal(readReference(text), 7);
  const { at: _, ...kept } = JSON.parse(text);
  assert.deepEqual(kept, { topic: "", original: 7, attempts: 2, lastError: `${"x".repeat(999)}\ufffd` });
  assert.deepEqual(readDeadLetter("1", text).attempts, 2);
  for (const other of ["{", "[]", '{"original":"7"}', '{"original":1.5}', "{}"]) {
    assert.equal(readReference(other), undefined);
  }
});

Deno.test("dead letters are listed oldest first, and equal texts have equal ids", () => {
  const letter = (id: string, at?: string) => ({
    id,
    attempts: 1,
    lastError: "",
    message: { topic: "t", data: 1, headers: {} },
    at,
  });
  const letters = [
    letter("c", "2026-01-03"),
    letter("a", "2026-01-01"),
    letter("b", "2026-01-02"),
    letter("none"),
  ];
  const ids = (limit: number) => oldestFirst(letters, limit).map(({ id }) => id);
  assert.deepEqual(ids(9), ["none", "a", "b", "c"]);
  assert.deepEqual(ids(2), ["none", "a"]);
  // SHA-256 of "abc" (FIPS 180-4)
  assert.equal(letterId("abc"), "ba7816bf8f01cfea");
});

Deno.test("backlogs are told with the age of the oldest message, as far as that is known", () => {
  const now = Date.now;
  Date.now = () => 10_000;
  try {
    assert.deepEqual(backlogSince(3, [9_000, undefined, 8_000]), { waiting: 3, oldestAgeMs: 2_000 });
    assert.deepEqual(backlogSince(3, [11_000]), { waiting: 3, oldestAgeMs: 0 });
    assert.deepEqual(backlogSince(0, [undefined]), { waiting: 0 });
  } finally {
    Date.now = now;
  }
  assert.deepEqual(
    joinBacklogs([{ waiting: 1, oldestAgeMs: 5 }, undefined, { waiting: 2, oldestAgeMs: 7 }]),
    {
      waiting: 3,
      oldestAgeMs: 7,
    },
  );
  assert.deepEqual(joinBacklogs([{ waiting: 0 }]), { waiting: 0 });
  assert.equal(joinBacklogs([undefined]), undefined);
});
