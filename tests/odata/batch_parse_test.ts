import assert from "node:assert/strict";
import { ServiceError } from "../../src/errors/service_error.ts";
import { type BatchPart, checkParts, JsonBody } from "../../src/odata/batch/batch_part.ts";
import { parseJsonBatch } from "../../src/odata/batch/parse_json_batch.ts";
import { parseMultipart } from "../../src/odata/batch/parse_multipart.ts";
import { writeJsonBatch, writeMultipart } from "../../src/odata/batch/write_batch.ts";

const MULTIPART = 'multipart/mixed; boundary="b1"';

function multipart(text: string, contentType = MULTIPART): BatchPart[] {
  return parseMultipart(new TextEncoder().encode(text), contentType);
}

function plain(part: BatchPart): unknown {
  const { body: given } = part;
  const text = given instanceof JsonBody ? given.text : given;
  const body = text instanceof Uint8Array ? new TextDecoder().decode(text) : text;
  const { group, condition, ...others } = part;
  return {
    ...others,
    headers: Object.fromEntries(part.headers),
    body,
    ...(group === undefined ? {} : { group }),
    ...(condition === undefined ? {} : { condition }),
  };
}

function expect400(run: () => unknown, message: RegExp, status = 400): void {
  assert.throws(run, (error: unknown) => {
    assert(error instanceof ServiceError);
    assert.equal(error.status, status);
    assert.match(error.message, message);
    return true;
  });
}

const GET =
  "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nGET Moves(1) HTTP/1.1\r\n\r\n\r\n";

Deno.test("parseMultipart() reads requests, ids and a change set", () => {
  const text = `--b1\r\n${GET}--b1\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n` +
    "--c\r\nContent-Type: application/http\r\nContent-ID: new\r\n\r\n" +
    'post /Notes HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"text":"ä"}\r\n--c--\r\n--b1--\r\n';
  assert.deepEqual(multipart(text).map(plain), [
    { id: "r1", named: false, method: "GET", url: "Moves(1)", headers: {}, body: undefined, dependsOn: [] },
    {
      id: "new",
      named: true,
      method: "POST",
      url: "/Notes",
      headers: { "content-type": "application/json" },
      body: '{"text":"ä"}',
      group: "changeset_1",
      dependsOn: [],
    },
  ]);
});

Deno.test("parseMultipart() takes bare line feeds", () => {
  const [part] = multipart(`--b1\n${GET.replaceAll("\r", "")}--b1--\n`);
  assert.equal(part?.url, "Moves(1)");
});

Deno.test("parseMultipart() reads URLs as UTF-8 and keeps each byte of a body", () => {
  const head = "--b1\r\nContent-Type: application/http\r\n\r\nPUT Moves('ä€')/photo HTTP/1.1\r\n\r\n";
  const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const [before, after] = [head, "\r\n--b1--\r\n"].map((text) => new TextEncoder().encode(text));
  const [part] = parseMultipart(new Uint8Array([...before!, ...body, ...after!]), MULTIPART);
  assert.equal(part?.url, "Moves('ä€')/photo");
  assert.deepEqual(part?.body, body);
});

Deno.test("parts with the same headers are read alike, in both formats", () => {
  const lines = "Content-Type: application/http\r\n\r\nGET Moves(1) HTTP/1.1\r\n";
  const part = (headers: string) => `--b1\r\n${lines}${headers}\r\n\r\n`;
  const parts = multipart(`${part("Accept: a/b\r\n")}${part("Accept: a/b\r\n")}${part("")}--b1--`);
  assert.deepEqual(parts.map(({ headers }) => headers.get("accept")), ["a/b", "a/b", null]);
  const request = (id: number, more: object) => ({ id: `${id}`, method: "POST", url: "A", ...more });
  const requests = [
    { body: {} },
    { headers: { accept: "a/b" } },
    { headers: { accept: "a/b" }, body: {} },
    {},
  ];
  assert.deepEqual(
    parseJsonBatch(JSON.stringify({ requests: requests.map((more, id) => request(id, more)) }))
      .map(({ headers }) => [...headers]),
    [
      [["content-type", "application/json"]],
      [["accept", "a/b"]],
      [["accept", "a/b"], ["content-type", "application/json"]],
      [],
    ],
  );
});

Deno.test("parseMultipart() cuts a body at its Content-Length, where that is a number", () => {
  const bodyOf = (length: string) => {
    const head = `--b1\r\nContent-Type: application/http\r\n\r\nPUT M(1)/c HTTP/1.1\r\n`;
    const [part] = multipart(`${head}Content-Length: ${length}\r\n\r\nabc\r\n\r\n--b1--`);
    return part!.body && new TextDecoder().decode(part!.body as Uint8Array).trim();
  };
  assert.deepEqual(["3", "2", "0", "three", "-1"].map(bodyOf), ["abc", "ab", undefined, "abc", "abc"]);
});

Deno.test("parseMultipart() rejects what is no batch", () => {
  expect400(() => multipart("garbage"), /does not hold its boundary "b1"/);
  expect400(() => multipart(`--b1\r\n${GET}`), /does not end with its boundary/);
  expect400(() => multipart("x", "multipart/mixed"), /needs a boundary/);
  expect400(() => multipart(`--b1\r\nContent-Type: text/plain\r\n\r\nx\r\n--b1--`), /found "text\/plain"/);
  expect400(
    () => multipart(`--b1\r\nContent-Type: application/http\r\n\r\nx\r\n--b1--`),
    /not a request line/,
  );
  expect400(() => multipart(`--b1\r\n${GET.replace("GET", "FOO")}--b1--`), /"FOO" is not one of/);
});

Deno.test("parseJsonBatch() reads requests with embedded bodies", () => {
  const parts = parseJsonBatch(
    '{"requests":[{"id":"1","method":"post","url":"Notes","body":{"n":9007199254740993},"atomicityGroup":"g"},' +
      '{"id":"2","method":"GET","url":"/Notes","dependsOn":["g"],"headers":{"Accept-Language":"de"}}]}',
  );
  assert.deepEqual(parts.map(plain), [
    {
      id: "1",
      named: true,
      method: "POST",
      url: "Notes",
      headers: { "content-type": "application/json" },
      body: '{"n":9007199254740993}',
      group: "g",
      dependsOn: [],
    },
    {
      id: "2",
      named: true,
      method: "GET",
      url: "/Notes",
      headers: { "accept-language": "de" },
      body: undefined,
      dependsOn: ["g"],
    },
  ]);
  checkParts(parts, 2);
});

Deno.test("bodies of a JSON batch are JSON, text, or bytes as base64url; what is none of them is taken as JSON (JSON Format 19.1)", () => {
  const bodyOf = (type: string | undefined, body: unknown) => {
    const headers = type === undefined ? {} : { "content-type": type };
    const requests = [{ id: "1", method: "PUT", url: "A", headers, body }];
    const { body: read } = parseJsonBatch(JSON.stringify({ requests }))[0]!;
    return read instanceof JsonBody ? { json: read.value } : read instanceof Uint8Array ? [...read] : read;
  };
  const cases: readonly (readonly [type: string | undefined, body: unknown, expected: unknown])[] = [
    ["text/plain", "_-8", "_-8"],
    ["Text/Plain;charset=utf-8", "a", "a"],
    ["image/png", "_-8", [255, 239]],
    ["image/png", "AQI=", [1, 2]],
    ["image/png", "a b", { json: "a b" }],
    ["image/png", { a: 1 }, { json: { a: 1 } }],
    ["application/json", "_-8", { json: "_-8" }],
    [undefined, "_-8", { json: "_-8" }],
    ["image/png", null, undefined],
  ];
  for (const [type, body, expected] of cases) {
    assert.deepEqual(bodyOf(type, body), expected, JSON.stringify([type, body]));
  }
});

Deno.test("requests of a JSON batch with the same headers share what is read of them, wherever they stand", () => {
  const requests = [
    { headers: { a: "1" } },
    { headers: { a: "2" } },
    { headers: { a: "1" } },
    { headers: { a: "1" }, body: {} },
    {},
    { body: {} },
    { headers: { a: "1" }, body: {} },
    { headers: null },
  ].map((more, at) => ({ id: `${at}`, method: "POST", url: "A", ...more }));
  const given = parseJsonBatch(JSON.stringify({ requests })).map(({ headers }) => headers);
  const first = given.map((headers) => given.indexOf(headers));
  assert.deepEqual(first, [0, 1, 0, 3, 4, 5, 3, 4]);
  assert.deepEqual(given.map((headers) => [headers.get("a"), headers.get("content-type")].join()), [
    ...["1,", "2,", "1,", "1,application/json", ",", ",application/json", "1,application/json", ","],
  ]);
});

Deno.test("both formats take a hundred headers of a request and refuse more, which would cost seconds (fw.limits.partHeaders)", () => {
  const headers = (count: number) => Array.from({ length: count }, (_, at) => `h${at}`);
  const json = (count: number) => {
    const entries = Object.fromEntries(headers(count).map((name) => [name, "v"]));
    return parseJsonBatch(
      JSON.stringify({ requests: [{ id: "1", method: "GET", url: "A", headers: entries }] }),
    );
  };
  const lines = (count: number) => headers(count).map((name) => `${name}: v\r\n`).join("");
  const own = (count: number) =>
    multipart(
      `--b1\r\nContent-Type: application/http\r\n\r\nGET A HTTP/1.1\r\n${lines(count)}\r\n\r\n--b1--`,
    );
  const around = (count: number) => multipart(`--b1\r\n${lines(count - 1)}${GET}--b1--`);
  for (const parse of [json, own, around]) {
    assert.equal(parse(98).length, 1);
    expect400(() => parse(102), /may have at most 100 headers/);
    expect400(() => parse(50_000), /may have at most 100 headers/);
  }
});

Deno.test("parseJsonBatch() rejects broken requests", () => {
  const parse = (requests: string) => () => parseJsonBatch(`{"requests":${requests}}`);
  expect400(() => parseJsonBatch("{}"), /must be an object with an array "requests"/);
  expect400(parse('[{"method":"GET","url":"A"}]'), /"id" of request 0 is missing/);
  expect400(parse('[{"id":1,"method":"GET","url":"A"}]'), /"id" of request 0 must be a text/);
  expect400(parse('[{"id":"1","method":"GET"}]'), /"url" of request 0 is missing/);
  expect400(parse('[{"id":"1","method":"FOO","url":"A"}]'), /Method "FOO"/);
  expect400(parse('[{"id":"1","method":"GET","url":"A","headers":{"a b":"c"}}]'), /Header "a b"/);
});

function part(id: string, more: Partial<BatchPart> = {}): BatchPart {
  return {
    id,
    named: true,
    method: "GET",
    url: "A",
    headers: new Headers(),
    body: undefined,
    dependsOn: [],
    ...more,
  };
}

Deno.test("checkParts() refuses nesting, duplicates, split groups, forward references and too many parts", () => {
  expect400(() => checkParts([part("1"), part("1")], 9), /"1" is not unique/);
  expect400(() => checkParts([part("1", { url: "/$batch" })], 9), /another batch/);
  expect400(
    () => checkParts([part("1", { group: "g" }), part("2"), part("3", { group: "g" })], 9),
    /group "g" must follow each other/,
  );
  expect400(() => checkParts([part("1", { dependsOn: ["2"] }), part("2")], 9), /depends on "2"/);
  expect400(() => checkParts([part("1"), part("2")], 1), /at most 1 requests/, 429);
  checkParts([part("1", { group: "g" }), part("2", { dependsOn: ["g", "1"] })], 2);
});

const OK = {
  status: 200,
  headers: new Headers({ "odata-version": "4.0", "content-type": "application/json", "x-custom": "1" }),
  body: '{"a":1}',
};
const COUNT = {
  status: 200,
  headers: new Headers({ "content-type": "text/plain;charset=utf-8" }),
  body: "3",
};
const NOTHING = {
  status: 204,
  headers: new Headers({ "content-type": "x/y", location: "A(1)" }),
  body: null,
};

Deno.test("writeJsonBatch() embeds JSON, quotes text and names only headers of the parts", () => {
  const answers = [
    { id: "1", named: true, answer: OK },
    { id: "2", named: true, group: "g", answer: COUNT },
    { id: "3", named: true, answer: NOTHING },
  ];
  assert.deepEqual(JSON.parse(writeJsonBatch(answers, "fw-messages")), {
    responses: [
      {
        id: "1",
        status: 200,
        headers: { "odata-version": "4.0", "content-type": "application/json" },
        body: { a: 1 },
      },
      {
        id: "2",
        status: 200,
        headers: { "content-type": "text/plain;charset=utf-8" },
        atomicityGroup: "g",
        body: "3",
      },
      { id: "3", status: 204, headers: { location: "A(1)" } },
    ],
  });
});

Deno.test("writeMultipart() keeps the bytes of bodies between texts", () => {
  const bytes = {
    status: 200,
    headers: new Headers({ "content-type": "x/y" }),
    body: new Uint8Array([0, 255, 128]),
  };
  const answers = [OK, bytes, OK].map((answer, id) => ({ id: `${id}`, named: false, answer }));
  const text = String.fromCharCode(...writeMultipart(answers, "fw-messages", "x"));
  const head =
    "--x\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 200 OK\r\n";
  const json = `${head}content-type: application/json\r\nodata-version: 4.0\r\n\r\n{"a":1}\r\n`;
  assert.equal(text, `${json}${head}content-type: x/y\r\n\r\n\0\xff\x80\r\n${json}--x--\r\n`);
});

Deno.test("writeMultipart() wraps the answers of a group in a change set", () => {
  const answers = [
    { id: "r1", named: false, answer: COUNT },
    { id: "a", named: true, group: "g", answer: NOTHING },
  ];
  assert.equal(
    new TextDecoder().decode(writeMultipart(answers, "fw-messages", "x")),
    "--x\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
      "HTTP/1.1 200 OK\r\ncontent-type: text/plain;charset=utf-8\r\n\r\n3\r\n" +
      "--x\r\nContent-Type: multipart/mixed;boundary=changeset_1_x\r\n\r\n" +
      "--changeset_1_x\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: a\r\n\r\n" +
      "HTTP/1.1 204 No Content\r\nlocation: A(1)\r\n\r\n\r\n--changeset_1_x--\r\n--x--\r\n",
  );
});
