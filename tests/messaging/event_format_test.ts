/** Attributes of CloudEvents in headers (CloudEvents HTTP 3.1.3.2). */

import assert from "node:assert/strict";
import {
  decodeAttribute,
  encodeAttribute,
  readEvents,
  withOthers,
  writeBatch,
  writeBinary,
  writeStructured,
} from "../../src/messaging/http/event_format.ts";

const ATTRIBUTES: readonly (readonly [value: unknown, header: string])[] = [
  ["plain", "plain"],
  ["!#$&'()*+,-./:;<=>?@[]^_`{|}~", "!#$&'()*+,-./:;<=>?@[]^_`{|}~"],
  [' "%', "%20%22%25"],
  ["\x7f\x1f\n", "%7F%1F%0A"],
  ["ü€😀", "%C3%BC%E2%82%AC%F0%9F%98%80"],
  ["\ud800", "%EF%BF%BD"],
  ["a%20b", "a%2520b"],
  [7, "7"],
  [true, "true"],
  ["", ""],
];

Deno.test("attributes are percent-encoded UTF-8, and decoded once", () => {
  for (const [value, header] of ATTRIBUTES) {
    assert.equal(encodeAttribute(value), header);
    assert.equal(decodeAttribute(header), String(value).toWellFormed());
  }
});

Deno.test("what others write into headers is read: quotation marks, lower case, characters as they are", () => {
  for (
    const [header, value] of [
      ['"a b"', "a b"],
      ['"a \\"b\\" \\\\ c"', 'a "b" \\ c'],
      ['"%C3%BC"', "ü"],
      ['""', ""],
      ['"', '"'],
      ['a"b"', 'a"b"'],
      ['"a"b"', '"a"b"'],
      ["%c3%bc", "ü"],
      ["%41x%42", "AxB"],
      ["%4%41", "%4A"],
      ["a b", "a b"],
      ["100%", "100%"],
      ["%4", "%4"],
      ["%zz", "%zz"],
      ["\u00c3\u00bc", "ü"],
    ] as const
  ) assert.equal(decodeAttribute(header), value, header);
  for (const header of ["%ff", "\u00ff", "\u0100", "%C3", '"%ff"']) {
    assert.equal(decodeAttribute(header), undefined, header);
  }
});

const STRUCTURED = "application/cloudevents+json";
const BATCH = "application/cloudevents-batch+json";
const EVENT = { specversion: "1.0", id: "1", source: "/s", type: "T.e" };
const IN_HEADERS = { "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "T.e" };

/** What is read of an HTTP message. */
function read(
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array<ArrayBuffer>,
  jsonDepth = 100,
) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return readEvents(new Headers(headers), bytes, { jsonDepth });
}

Deno.test("events are read in the mode that the content type says, whatever its case and parameters (CloudEvents HTTP 3)", () => {
  const one = JSON.stringify({ ...EVENT, data: 1 });
  const message = { topic: "T.e", data: 1, headers: EVENT };
  for (const type of [STRUCTURED, `${STRUCTURED}; charset=utf-8`, " Application/CloudEvents+JSON ;x=y"]) {
    assert.deepEqual(read({ "content-type": type }, one), [message], type);
  }
  for (const type of [BATCH, `${BATCH};charset=UTF-8`]) {
    assert.deepEqual(read({ "content-type": type }, `[${one},${one}]`), [message, message], type);
    assert.deepEqual(read({ "content-type": type }, "[]"), []);
  }
  const json = { ...IN_HEADERS, "content-type": "application/json" };
  assert.deepEqual(read(json, "1"), [{
    ...message,
    headers: { ...EVENT, datacontenttype: "application/json" },
  }]);
});

Deno.test("the payload of a binary message is what its content type says, JSON where it says nothing (CloudEvents HTTP 3.1)", () => {
  const bytes = Uint8Array.of(0xff, 0);
  const cases:
    readonly (readonly [type: string | undefined, body: string | Uint8Array<ArrayBuffer>, data: unknown])[] =
      [
        [undefined, "[1]", [1]],
        [undefined, "", undefined],
        ["application/json", "", undefined],
        ["application/json; charset=utf-8", '{"n":1}', { n: 1 }],
        ["Application/Vnd.x+JSON ; v=1", "1", 1],
        ["text/plain", "Zoë", "Zoë"],
        ["TEXT/x", "1", "1"],
        ["x/text/", "1", new TextEncoder().encode("1")],
        ["image/png", bytes, bytes],
        ["image/png;a=application/json", bytes, bytes],
      ];
  for (const [type, body, data] of cases) {
    const headers: Record<string, string> = type === undefined
      ? IN_HEADERS
      : { ...IN_HEADERS, "content-type": type };
    const expected = type === undefined ? EVENT : { ...EVENT, datacontenttype: type };
    assert.deepEqual(read(headers, body), [{ topic: "T.e", data, headers: expected }], type);
  }
});

Deno.test("attributes are headers, without those that are null; partition key and topic are those of the message", () => {
  const given = { ...EVENT, partitionkey: "k", topic: "other/topic", subject: null, n: 7 };
  const headers = { ...EVENT, partitionkey: "k", n: 7 };
  assert.deepEqual(read({ "content-type": STRUCTURED }, JSON.stringify({ ...given, data: null })), [
    { topic: "other/topic", data: null, headers, key: "k" },
  ]);
  assert.deepEqual(
    read({ "content-type": STRUCTURED }, JSON.stringify({ ...EVENT, topic: 1, data_base64: "/wA=" })),
    [
      { topic: "T.e", data: Uint8Array.of(0xff, 0), headers: EVENT },
    ],
  );
  assert.deepEqual(read({ "content-type": STRUCTURED }, JSON.stringify(EVENT)), [
    { topic: "T.e", data: undefined, headers: EVENT },
  ]);
});

Deno.test("what is no CloudEvent is refused with its reason", () => {
  const structured = { "content-type": STRUCTURED };
  const batch = { "content-type": BATCH };
  const json = { ...IN_HEADERS, "content-type": "application/json" };
  const expected =
    `expected ${STRUCTURED}, ${BATCH}, or any other with the attributes of the event in headers ` +
    "(ce-id, ce-source, ce-specversion, ce-type)";
  const cases: readonly (readonly [
    Readonly<Record<string, string>>,
    string | Uint8Array<ArrayBuffer>,
    number,
    string,
  ])[] = [
    [structured, "[]", 400, "An event must be a JSON object"],
    [structured, "{", 400, "The body is not valid JSON"],
    [structured, Uint8Array.of(0xff), 400, "The body is not valid JSON"],
    [
      structured,
      JSON.stringify({ ...EVENT, data: 1, data_base64: "" }),
      400,
      "An event has either data or data_base64",
    ],
    [structured, JSON.stringify({ ...EVENT, data_base64: "?" }), 400, "data_base64 is not base64"],
    [structured, JSON.stringify({ ...EVENT, "a-b": 1 }), 400, "'a-b' is no name of an attribute"],
    [structured, '{"data":1e999}', 400, "A number of the data is beyond those of JavaScript"],
    [batch, "{}", 400, "A batch must be a JSON array"],
    [json, "1e999", 400, "A number of the data is beyond those of JavaScript"],
    [{ ...json, "ce-datacontenttype": "x" }, "1", 400, "The header ce-datacontenttype is not allowed"],
    [{ ...json, "ce-x": "%ff" }, "1", 400, "The header ce-x is not percent-encoded UTF-8"],
    [{ ...IN_HEADERS, "content-type": "text/plain" }, Uint8Array.of(0xff), 400, "The body is not UTF-8"],
    [{ "content-type": "text/plain" }, "1", 415, `The content type is "text/plain", ${expected}`],
    [
      { ...IN_HEADERS, "content-type": "application/cloudevents+xml" },
      "1",
      415,
      `The content type is "application/cloudevents+xml", ${expected}`,
    ],
  ];
  for (const [headers, body, status, message] of cases) {
    assert.throws(() => read(headers, body), { status, message }, message);
  }
});

Deno.test("data may be as deep as a limit says, in all modes", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const json = { ...IN_HEADERS, "content-type": "application/json" };
  const event = (depth: number) => `${JSON.stringify(EVENT).slice(0, -1)},"data":${nested(depth)}}`;
  const modes: readonly (readonly [most: number, read: (depth: number) => unknown])[] = [
    [3, (depth) => read(json, nested(depth), 3)],
    [3, (depth) => read({ "content-type": BATCH }, `[${event(depth)}]`, 3)],
    // as in a batch, whose brackets count
    [4, (depth) => read({ "content-type": STRUCTURED }, event(depth), 3)],
  ];
  for (const [most, one] of modes) {
    one(most);
    assert.throws(() => one(most + 1), {
      status: 400,
      message: /^The data is nested deeper than \d levels$/,
    });
  }
});

Deno.test("an event is written with its attributes in headers, or as one JSON object (CloudEvents HTTP 3)", () => {
  const bytes = Uint8Array.of(0xff, 0);
  const cases: readonly (readonly [type: string | undefined, data: unknown, said: string, body: unknown])[] =
    [
      [undefined, { n: 1 }, "application/json", '{"n":1}'],
      [undefined, undefined, "application/json", "null"],
      [undefined, bytes, "application/octet-stream", bytes],
      ["application/json", bytes, "application/octet-stream", bytes],
      ["image/png", bytes, "image/png", bytes],
      ["text/plain", "Zoë", "text/plain", "Zoë"],
      ["text/x+json", "a", "text/x+json", '"a"'],
    ];
  for (const [datacontenttype, data, type, body] of cases) {
    const headers = { ...EVENT, source: "/ä", ...datacontenttype === undefined ? {} : { datacontenttype } };
    assert.deepEqual(writeBinary({ topic: "T.e", data, headers }), {
      headers: { ...IN_HEADERS, "ce-source": "/%C3%A4", "content-type": type },
      body,
    });
  }
  const { headers, body } = writeStructured({ topic: "T.e", data: 1, headers: EVENT });
  assert.deepEqual(headers, { "content-type": `${STRUCTURED}; charset=utf-8` });
  assert.deepEqual(JSON.parse(body as string), { ...EVENT, data: 1 });
});

Deno.test("a batch is written as a JSON array of events (CloudEvents JSON 4)", () => {
  const messages = [
    { topic: "T.e", data: { n: 1 }, headers: EVENT },
    { topic: "T.e", data: Uint8Array.of(0xff, 0), headers: EVENT },
    { topic: "T.e", data: undefined, headers: EVENT },
  ];
  const { headers, body } = writeBatch(messages);
  assert.deepEqual(headers, { "content-type": `${BATCH}; charset=utf-8` });
  assert.deepEqual(JSON.parse(body as string), [{ ...EVENT, data: { n: 1 } }, {
    ...EVENT,
    data_base64: "/wA=",
  }, EVENT]);
  assert.deepEqual(read(headers as Record<string, string>, body as string), messages);
});

Deno.test("headers that are no attributes travel in an extension, the correlation id in one of its own", () => {
  const cases: readonly (readonly [
    more: Readonly<Record<string, unknown>>,
    added: Readonly<Record<string, unknown>>,
  ])[] = [
    [{}, {}],
    [{ "x-correlation-id": "c" }, { correlationid: "c" }],
    [{ "x-correlation-id": "c", correlationid: "d" }, {}],
    [{ "x-y": { n: 1 }, Big: 2 }, { fwheaders: '{"x-y":{"n":1},"Big":2}' }],
    [{ "x-y": 1, "x-correlation-id": "c" }, { correlationid: "c", fwheaders: '{"x-y":1}' }],
  ];
  for (const [more, added] of cases) {
    assert.deepEqual(withOthers({ ...EVENT, ...more }), { ...EVENT, ...more, ...added });
  }
});

Deno.test("the extension gives back headers that are no attributes, and nothing else; what is none stays as it is", () => {
  const headersOf = (fwheaders: unknown) =>
    read({ "content-type": STRUCTURED }, JSON.stringify({ ...EVENT, fwheaders }))[0]!.headers;
  const restored = headersOf('{"x-y":{"n":1},"id":"other","type":"other"}');
  assert.deepEqual(restored, { ...EVENT, "x-y": { n: 1 } });
  assert.deepEqual(Object.keys(restored).includes("x-y"), true);
  for (const other of ["[1]", "{", "1", 7, true]) {
    assert.deepEqual(headersOf(other), { ...EVENT, fwheaders: other });
  }
});

Deno.test("events in another encoding of characters than UTF-8 are refused, in all modes", () => {
  for (const type of [STRUCTURED, BATCH, "application/json", "text/plain"]) {
    const body = type === BATCH ? "[]" : JSON.stringify(EVENT);
    const headers = (charset: string) => ({ ...IN_HEADERS, "content-type": `${type}; charset=${charset}` });
    assert.throws(() => read(headers("iso-8859-1"), body), { status: 415 }, type);
    assert.equal(read(headers("UTF-8"), body).length, type === BATCH ? 0 : 1, type);
  }
});
