/** What `send` makes a request from (api 6). */

import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import { printQuery } from "../../src/cqn/print_query.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { ApplicationService } from "../../src/service/application_service.ts";
import {
  eventName,
  sendArguments,
  type SendProperties,
  sendProperties,
} from "../../src/service/requests/send_properties.ts";
import { createHost } from "./fixture.ts";

const host = createHost(parseCdl(`service S {
  entity Books { key ID : Integer; title : String; } actions { action rate(stars : Integer); }
  entity Pairs { key a : String; key b : Integer; key open : Boolean; }
  entity Names { key name : String; }
  action order(book : Integer, note : String); function total(least : Integer, open : Boolean) returns Integer;
  event sold { ID : Integer; }
}`));
const service = new ApplicationService({ name: "S", definition: host.model.service("S"), host });

/** The event, the entity, the operation, the query, the keys and the data of a request. */
function sent(given: SendProperties): readonly unknown[] {
  const { event, target, operation, query, params, data } = sendProperties(service, given);
  const text = query && printQuery(query).replaceAll("S.", "");
  return [event, target?.name, operation?.name, text, params, data];
}

const BODY = { title: "x" };
const ROWS = "SELECT from Books";
const ROW = "SELECT one from Books where ID = 1";
const KEY = [{ ID: 1 }];

/** Method and path of a request, and its event and query; keys and data, where they are not those that were given. */
const ON_ROWS:
  readonly (readonly [call: string, event: string, query: string, keys?: readonly Row[], data?: unknown])[] =
    [
      ["GET Books", "READ", ROWS],
      ["GET /Books", "READ", ROWS],
      ["get Books", "READ", ROWS],
      ["GET S.Books", "READ", ROWS],
      ["GET Books()", "READ", ROWS],
      ["GET Books/1", "READ", ROW, KEY],
      ["GET Books(1)", "READ", ROW, KEY],
      ["GET Books(ID=1)", "READ", ROW, KEY],
      ["POST Books", "CREATE", 'INSERT into Books entries [{"title":"x"}]', undefined, BODY],
      ["POST Books", "CREATE", 'INSERT into Books entries [{"title":"x"}]', undefined, [BODY]],
      ["PUT Books", "UPSERT", 'UPSERT into Books entries [{"title":"x"}]', undefined, [BODY]],
      ["PUT Books", "UPSERT", 'UPSERT into Books entries [{"title":"x"}]', undefined, BODY],
      ["PATCH Books/1", "UPDATE", 'UPDATE Books set title = "x" where ID = 1', KEY, BODY],
      ["PATCH Books", "UPDATE", 'UPDATE Books set title = "x"', undefined, BODY],
      ["DELETE Books/1", "DELETE", "DELETE from Books where ID = 1", KEY],
      ["DELETE Books", "DELETE", "DELETE from Books"],
    ];

Deno.test("a path names an entity or one of its rows, which the method reads or writes", () => {
  for (const [call, event, query, keys, data] of ON_ROWS) {
    const [method, path] = call.split(" ");
    const expected = [event, "S.Books", undefined, query, keys, data ?? {}];
    assert.deepEqual(sent({ method, path, data }), expected, call);
  }
  const put = sent({ method: "PUT", path: "Books/1", data: BODY });
  assert.deepEqual(put.slice(4), [KEY, { title: "x", ID: 1 }]);
});

Deno.test("keys in a path have the types of the entity", () => {
  const cases: readonly (readonly [path: string, key: Row])[] = [
    ["Pairs(a='x',b=2,open=true)", { a: "x", b: 2, open: true }],
    ["Pairs(a='it''s, so', b = -2.5, open=false)", { a: "it's, so", b: -2.5, open: false }],
    ["Pairs(a=null,b=1,open=true)", { a: null, b: 1, open: true }],
    ["Names/a%20b", { name: "a b" }],
    ["Names/1", { name: "1" }],
    ["Names('a=b')", { name: "a=b" }],
    ["Names('')", { name: "" }],
  ];
  for (const [path, key] of cases) {
    assert.deepEqual(sendProperties(service, { method: "GET", path }).params, [key], path);
  }
});

Deno.test("a path names an operation, with parameters of its own or behind those of the data", () => {
  const rated = ["rate", "S.Books", "rate", "SELECT one from Books[ID = 1]", KEY, { stars: 5 }];
  for (const path of ["Books/1/rate", "Books(1)/S.rate"]) {
    assert.deepEqual(sent({ method: "POST", path, data: { stars: 5 } }), rated, path);
  }
  const total = (path: string, data?: unknown) => sent({ method: "GET", path, data }).at(-1);
  assert.deepEqual(total("total(least=2,open=true)"), { least: 2, open: true });
  assert.deepEqual(total("total(least=2)", { least: 1, open: false }), { least: 2, open: false });
  assert.equal(total("total()"), undefined);
  assert.deepEqual(sent({ method: "POST", path: "order", data: { book: 1 } }), [
    ...["order", undefined, "S.order", undefined, undefined],
    { book: 1 },
  ]);
});

Deno.test("a path that names nothing is not found, with the nearest name where its first one is unknown", () => {
  const nothing = [
    "",
    "Books?x=1",
    "Books(1)/rate/x",
    "Books/1/unknown",
    "order/1",
    "order(book=1)/x",
    "Unknown1",
  ];
  const notValues = ["Books/x", "Books(ID=x)", "Pairs(a='x',b=1,open=maybe)"];
  const unknown: readonly (readonly [path: string, hint: string])[] = [
    ...[...nothing, ...notValues].map((path) => [path, ""] as const),
    ["Book", '; did you mean "Books"?'],
    ["ordr", '; did you mean "order"?'],
  ];
  for (const [path, hint] of unknown) {
    const message = `Service "S" has no resource "${path}"${hint}`;
    assert.throws(() => sent({ method: "POST", path }), { status: 404, message }, path);
  }
  assert.throws(() => sent({ method: "HEAD", path: "Books" }), { status: 404 });
});

Deno.test("a request is about an event, of a row where entity and keys are given, or about a query", () => {
  const query = { SELECT: { from: { ref: ["S.Books"] } } };
  const cases: readonly (readonly [given: SendProperties, expected: readonly unknown[]])[] = [
    [{ event: "sold", data: KEY }, ["sold", undefined, undefined, undefined, undefined, KEY]],
    [{ event: "toString" }, ["toString", undefined, undefined, undefined, undefined, undefined]],
    [{ event: "S.order" }, ["order", undefined, "S.order", undefined, undefined, undefined]],
    [{ method: "order" }, ["order", undefined, "S.order", undefined, undefined, undefined]],
    [{ path: "Books", event: "sold" }, ["sold", undefined, undefined, undefined, undefined, undefined]],
    [{ event: "READ", entity: "Books" }, ["READ", "S.Books", undefined, ROWS, undefined, undefined]],
    [{ event: "READ", entity: "S.Books", params: KEY }, ["READ", "S.Books", undefined, ROW, KEY, undefined]],
    [{ event: "READ", entity: "None" }, ["READ", undefined, undefined, undefined, undefined, undefined]],
    [{ event: "other", entity: "Books" }, ["other", "S.Books", undefined, undefined, undefined, undefined]],
    [{ query }, ["READ", "S.Books", undefined, ROWS, undefined, undefined]],
    [{ query, data: BODY }, ["READ", "S.Books", undefined, ROWS, undefined, BODY]],
  ];
  for (const [given, expected] of cases) assert.deepEqual(sent(given), expected, JSON.stringify(given));
  assert.throws(() => sent({ data: BODY }), { message: "A request needs event, method and path, or query" });
});

Deno.test("arguments of send are data and headers of an event, or path and data of a method", () => {
  const cases: readonly (readonly [given: Parameters<typeof sendArguments>, expected: SendProperties])[] = [
    [["order", BODY, { h: 1 }], { event: "order", data: BODY, headers: { h: 1 } }],
    [["order", "Books"], { event: "order", data: "Books", headers: undefined }],
    [["read", "Books"], { event: "read", data: "Books", headers: undefined }],
    [["READ", BODY], { event: "READ", data: BODY, headers: undefined }],
    [[{ name: "order" }, BODY], { event: "order", data: BODY, headers: undefined }],
    [["READ", "Books/1"], { method: "GET", path: "Books/1" }],
    [["get", "Books"], { method: "GET", path: "Books" }],
    [["POST", "Books", BODY], { method: "POST", path: "Books", data: BODY }],
    [["READ", service.entities.Books], { method: "GET", path: "S.Books" }],
    [["READ", class Books {}], { method: "GET", path: "Books" }],
    [[{ event: "CREATE", path: "Books" }], { event: "CREATE", method: "POST", path: "Books" }],
    [[{ method: "post", path: "Books" }], { method: "POST", path: "Books" }],
    [[{ method: "HEAD", path: "Books" }], { method: "HEAD", path: "Books" }],
    [[{ path: "Books" }], { path: "Books" }],
    [[{ event: "CREATE" }], { event: "CREATE" }],
  ];
  for (const [given, expected] of cases) assert.deepEqual(sendArguments(...given), expected);
});

Deno.test("events are named by texts, and by definitions", () => {
  assert.deepEqual(["a", { name: "b" }].map(eventName), ["a", "b"]);
  const others: readonly (readonly [event: unknown, found: string])[] = [
    [null, "null"],
    ["", "an empty text"],
    [1, "number"],
    [undefined, "undefined"],
    [{}, "object"],
    [{ name: "" }, "object"],
  ];
  for (const [event, found] of others) {
    const message = `The name of an event is expected, but found ${found}`;
    assert.throws(() => eventName(event), { name: "TypeError", message });
  }
});
