/** Messages in parts for brokers: attributes, headers of our own, content type and body. */

import assert from "node:assert/strict";
import {
  fromProperties,
  fromWire,
  messageId,
  textOf,
  toProperties,
  toWire,
  type WireInput,
} from "../../../src/messaging/brokers/wire_message.ts";
import type { Message } from "../../../src/messaging/channel.ts";

const LIMITS = { messageBytes: 100, jsonDepth: 3 };
const EVENT = { specversion: "1.0", id: "1", source: "/s", type: "t" };

const message = (given: Partial<Message>): Message => ({
  topic: "T.e",
  data: undefined,
  headers: {},
  ...given,
});
const wireOf = (given: Partial<Message>) => toWire(message(given), 1000);
const read = (given: Partial<WireInput>) =>
  fromWire({ topic: "T.e", attributes: {}, own: {}, body: "", ...given }, LIMITS);
const bytes = (...values: readonly number[]) => new Uint8Array(values);

Deno.test("toWire() writes payloads as JSON, as text or as bytes, and names the form where the content type does not", () => {
  const json = "application/json";
  const cases: readonly [
    data: unknown,
    type: string | undefined,
    contentType: string,
    body: unknown,
    form?: string,
  ][] = [
    [undefined, undefined, json, ""],
    [{ a: 1 }, undefined, json, '{"a":1}'],
    ["x", undefined, json, '"x"'],
    [null, undefined, json, "null"],
    [bytes(1, 2), undefined, "application/octet-stream", bytes(1, 2), "bytes"],
    [bytes(1, 2), "image/png", "image/png", bytes(1, 2)],
    [bytes(1, 2), json, json, bytes(1, 2), "bytes"],
    [bytes(), undefined, "application/octet-stream", bytes(), "bytes"],
    ["x", "text/plain", "text/plain", "x"],
    ["", "text/plain", "text/plain", "", "text"],
    ["x", "application/xml", "application/xml", "x", "text"],
    ["x", "application/x+json", "application/x+json", '"x"'],
    [{ a: 1 }, "text/plain", "text/plain", '{"a":1}', "json"],
    [undefined, "text/plain", "text/plain", ""],
  ];
  for (const [data, datacontenttype, contentType, body, form] of cases) {
    const headers = datacontenttype === undefined ? { ...EVENT } : { ...EVENT, datacontenttype };
    const { contentType: type, body: written, own } = wireOf({ data, headers });
    assert.deepEqual([type, written], [contentType, body]);
    assert.deepEqual(own, form === undefined ? {} : { "fw-data": form }, contentType);
  }
});

Deno.test("toWire() makes attributes of what a CloudEvent may have, and keeps all else in a header of our own", () => {
  const headers = {
    ...EVENT,
    n: 7,
    yes: true,
    half: 1.5,
    "x-y": "z",
    Big: "b",
    list: [1],
    nothing: undefined,
    none: null,
  };
  const { attributes, own } = wireOf({ headers });
  assert.deepEqual(attributes, { ...EVENT, n: "7", yes: "true" });
  assert.deepEqual(JSON.parse(own["fw-headers"]!), {
    n: 7,
    yes: true,
    half: 1.5,
    "x-y": "z",
    Big: "b",
    list: [1],
    none: null,
  });
  const plain = wireOf({ headers: { a: "b", datacontenttype: "text/plain" }, data: "x" });
  assert.deepEqual(plain, {
    attributes: {},
    own: { "fw-headers": '{"a":"b","datacontenttype":"text/plain"}' },
    contentType: "application/json",
    body: '"x"',
  });
  assert.deepEqual(wireOf({ headers: { ...EVENT } }).own, {});
  assert.deepEqual(wireOf({ headers: { ...EVENT, specversion: "0.3" } }).attributes, {});
});

Deno.test("toWire() tells the key where the headers do not, and writes headers of our own in ASCII", () => {
  assert.deepEqual(wireOf({ key: "k" }).own, { "fw-key": '"k"' });
  assert.deepEqual(wireOf({ key: "é€" }).own, { "fw-key": '"\\u00e9\\u20ac"' });
  assert.deepEqual(wireOf({ key: "k", headers: { ...EVENT, partitionkey: "k" } }).own, {});
  assert.deepEqual(wireOf({ key: "", headers: { ...EVENT, partitionkey: "k" } }).own, { "fw-key": '""' });
  assert.deepEqual(wireOf({ headers: { a: "\x7f\x80" } }).own, { "fw-headers": '{"a":"\x7f\\u0080"}' });
});

Deno.test("toWire() counts bytes of headers and payload", () => {
  const given = { headers: { a: "b" }, data: "é" }; // 9 bytes of headers, 4 of the payload
  assert.equal(toWire(message(given), 13).body, '"é"');
  assert.throws(() => toWire(message(given), 12), {
    code: "MESSAGE_TOO_LARGE",
    message: "A message of event 'T.e' has more than 12 bytes",
    unrecoverable: true,
  });
  const binary = { headers: { a: "b" }, data: bytes(1, 2, 3) };
  assert.equal(toWire(message(binary), 12).body.length, 3);
  assert.throws(() => toWire(message(binary), 11), { code: "MESSAGE_TOO_LARGE" });
});

Deno.test("fromWire() reads what toWire() wrote", () => {
  const messages: readonly Partial<Message>[] = [
    {},
    { data: { a: [1, "ä"] }, headers: { b: 1 }, key: "k" },
    { data: "x", headers: { ...EVENT, datacontenttype: "text/plain", n: 7 }, key: "é" },
    { data: "", headers: { ...EVENT, datacontenttype: "text/plain" } },
    { data: bytes(1, 255), headers: { ...EVENT, partitionkey: "p" }, key: "p" },
    { data: bytes(), headers: {} },
    { data: null, headers: { ...EVENT, "x-y": ["z"] } },
  ];
  for (const given of messages) {
    const { attributes, own, contentType, body } = wireOf(given);
    const back = read({ attributes, own, contentType, body });
    assert.deepEqual(back, { message: { key: undefined, ...message(given) } });
    const inBytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    assert.deepEqual(read({ attributes, own, contentType, body: inBytes }), back);
  }
});

Deno.test("fromWire() reads messages of other programs by their content type", () => {
  const cases: readonly [contentType: unknown, body: WireInput["body"], data: unknown][] = [
    [undefined, '{"a":1}', { a: 1 }],
    ["application/json; charset=utf-8", "[1]", [1]],
    ["text/plain", "x", "x"],
    ["TEXT/csv", bytes(120), "x"],
    ["application/context/x", "x", bytes(120)],
    ["image/png", bytes(0, 255), bytes(0, 255)],
    ["image/png", "", undefined],
  ];
  for (const [contentType, body, data] of cases) {
    assert.deepEqual(read({ contentType, body }).message.data, data);
  }
  const told = read({ attributes: { partitionkey: "p" }, own: { "fw-data": "text" }, body: "[1]" });
  assert.deepEqual([told.message.data, told.message.key], ["[1]", "p"]);
  assert.equal(read({ own: { "fw-data": "other" }, body: "[1]" }).fault, undefined);
  assert.deepEqual(read({ own: { "fw-data": "none" }, body: "[1]" }).message.data, undefined);
  assert.equal(read({ attributes: { partitionkey: 7 } }).message.key, undefined);
  assert.equal(read({ attributes: { partitionkey: "p" }, own: { "fw-key": "7" } }).message.key, undefined);
});

Deno.test("fromWire() says why something is no message, and gives what can be read of it", () => {
  const long = "x".repeat(101);
  const deep = { a: { b: { c: { d: {} } } } };
  const cases: readonly [Partial<WireInput>, fault: string, data: unknown, headers?: object][] = [
    [{ body: long, attributes: { a: "b" } }, "More than 100 bytes", undefined, { a: "b" }],
    [{ body: new Uint8Array(101) }, "More than 100 bytes", undefined],
    [{ body: "é".repeat(51) }, "More than 100 bytes", undefined],
    [{ attributes: deep, body: "1" }, "Nested deeper than 3 levels", "1", {}],
    [{ body: "[[[[1]]]]" }, "Nested deeper than 3 levels", "[[[[1]]]]"],
    [{ own: { "fw-headers": '{"a":{"b":{"c":{}}}}' } }, "Nested deeper than 3 levels", ""],
    [{ body: "{" }, "No valid JSON", "{"],
    [{ body: bytes(123) }, "No valid JSON", "{"],
    [{ body: bytes(255) }, "No UTF-8", bytes(255)],
    [{ contentType: "text/plain", body: bytes(255) }, "No UTF-8", bytes(255)],
    [{ body: "1e999" }, "A number is beyond those of JavaScript", "1e999"],
    [{ own: { "fw-headers": '{"a":1e999}' } }, "A number is beyond those of JavaScript", ""],
    [{ own: { "fw-headers": "[]" } }, "fw-headers is no JSON object", ""],
    [{ own: { "fw-headers": "{" } }, "No valid JSON", ""],
    [{ own: { "fw-key": "k" } }, "No valid JSON", ""],
  ];
  for (const [input, fault, data, headers = {}] of cases) {
    assert.deepEqual(read(input), { message: { topic: "T.e", data, headers }, fault });
  }
});

Deno.test("fromWire() takes what just fits", () => {
  const fits: readonly Partial<WireInput>[] = [
    { body: `"${"x".repeat(98)}"` },
    { body: new TextEncoder().encode(`"${"é".repeat(49)}"`) },
    { body: "[[[1]]]" },
    { attributes: { a: { b: { c: {} } } } },
    { own: { "fw-headers": '{"a":{"b":{}}}' } },
  ];
  for (const input of fits) assert.equal(read(input).fault, undefined, JSON.stringify(input));
});

Deno.test("messageId() is source and id of a CloudEvent, else topic and id of the message, in ASCII", () => {
  const idOf = (headers: Record<string, unknown>) => messageId(message({ headers }));
  assert.equal(idOf(EVENT), "/s 1");
  assert.equal(idOf({ ...EVENT, source: "/ä" }), "/\\u00e4 1");
  assert.equal(idOf({ specversion: "1.0", id: "1" }), " 1");
  assert.equal(idOf({ "x-message-id": "7", id: "1" }), "T.e 7");
  for (const headers of [{}, { id: "1" }, { ...EVENT, id: "" }, { ...EVENT, id: 7 }, { "x-message-id": 7 }]) {
    assert.equal(idOf(headers), undefined);
  }
});

Deno.test("toProperties() and fromProperties() name attributes as the AMQP binding of CloudEvents does", () => {
  const attributes = { id: "1", datacontenttype: "text/plain" };
  const wire = { attributes, own: { "fw-key": '"k"' }, contentType: "text/plain", body: "" };
  const written = toProperties(wire);
  assert.deepEqual(written, {
    properties: { cloudEvents_id: "1", "fw-key": '"k"' },
    contentType: "text/plain",
  });
  const given = {
    ...written.properties,
    "cloudEvents:specversion": "1.0",
    "x-death": [],
    "X-Own": "x",
    "fw-headers": "{}",
    "fw-data": "text",
    "fw-other": "o",
  };
  assert.deepEqual(fromProperties(given, "text/plain"), {
    attributes: { id: "1", specversion: "1.0", datacontenttype: "text/plain", "X-Own": "x", "fw-other": "o" },
    own: { "fw-key": '"k"', "fw-headers": "{}", "fw-data": "text" },
  });
  assert.deepEqual(fromProperties({ a: "b" }, "text/plain").attributes, { a: "b" });
  assert.deepEqual(fromProperties({ cloudEvents_specversion: "1.0" }, undefined).attributes, {
    specversion: "1.0",
  });
  const own = { cloudEvents_specversion: "1.0", cloudEvents_datacontenttype: "a/b" };
  assert.equal(fromProperties(own, "text/plain").attributes.datacontenttype, "a/b");
});

Deno.test("textOf() shows any body as text", () => {
  assert.deepEqual([textOf("ä"), textOf(bytes(0xc3, 0xa4)), textOf(bytes(255))], ["ä", "ä", "\ufffd"]);
});
