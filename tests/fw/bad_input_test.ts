import assert from "node:assert/strict";
import fc from "fast-check";
import type { Runtime } from "../../mod.ts";
import { type Answer, send, type SendOptions } from "../http/fixture.ts";
import { contentOf, openBookshop } from "./bookshop.ts";
import { propertyRuns } from "../property_runs.ts";

const CATALOG = "/odata/v4/catalog";
const ADMIN = "/odata/v4/admin";

/** A wrong request: what it is, path, the rest of it, expected status, and what the error must say. */
type Case = readonly [what: string, path: string, options: SendOptions, status: number, error?: ErrorPattern];
interface ErrorPattern {
  readonly code?: string;
  readonly message?: RegExp;
  readonly target?: string;
}

const alice: SendOptions = { user: "alice" };
const text = (body: string, type = "application/json"): SendOptions => ({
  ...alice,
  method: "POST",
  headers: { "content-type": type },
  body,
});
const json = (body: unknown, method = "POST"): SendOptions => ({ ...alice, method, body });

const URLS: readonly Case[] = [
  ["broken percent code", `${CATALOG}/Books(%zz)`, {}, 400, { message: /offset 24/ }],
  ["percent code that is no UTF-8", `${CATALOG}/Books?$filter=title eq '%ff'`, {}, 400],
  ["NUL", `${CATALOG}/Books?$filter=title eq '%00`, {}, 400],
  ["unknown service", "/odata/v4/nothing/Books", {}, 404, { code: "404" }],
  ["unknown entity set", `${CATALOG}/Boks`, {}, 404],
  ["unknown property in a path", `${CATALOG}/Books(201)/titel`, {}, 404],
  ["unknown property in $filter", `${CATALOG}/Books?$filter=titel eq 'x'`, {}, 400, {
    message: /titel.*title/,
  }],
  ["unknown property in $select", `${CATALOG}/Books?$select=titel`, {}, 400, { message: /titel.*title/ }],
  ["unknown property in $orderby", `${CATALOG}/Books?$orderby=titel`, {}, 400, { message: /titel.*title/ }],
  ["unknown navigation in $expand", `${CATALOG}/Books?$expand=autor`, {}, 400, { message: /autor.*author/ }],
  ["unknown system option", `${CATALOG}/Books?$fliter=ID eq 1`, {}, 400, { message: /fliter.*filter/ }],
  ["unknown function in $filter", `${CATALOG}/Books?$filter=contians(title,'x')`, {}, 400, {
    message: /contians/,
  }],
  ["unknown operation", `${CATALOG}/orderAll`, json({}), 404],
  ["function with wrong number of arguments", `${CATALOG}/Books?$filter=contains(title)`, {}, 400],
  ["wrong type in $filter", `${CATALOG}/Books?$filter=stock eq 'many'`, {}, 400],
  ["incomplete $filter", `${CATALOG}/Books?$filter=stock gt`, {}, 400, { message: /offset|position/i }],
  ["unbalanced parentheses in $filter", `${CATALOG}/Books?$filter=(stock gt 1`, {}, 400],
  ["unterminated string", `${CATALOG}/Books?$filter=title eq 'x`, {}, 400],
  ["unbalanced parentheses in a key", `${CATALOG}/Books(201`, {}, 404],
  ["wrong type of a key", `${CATALOG}/Books(abc)`, {}, 400],
  ["key beyond Int32", `${CATALOG}/Books(99999999999)`, {}, 400],
  ["wrong name of a key", `${CATALOG}/Books(IDX=1)`, {}, 400],
  ["missing row", `${CATALOG}/Books(999999)`, {}, 404],
  ["negative $top", `${CATALOG}/Books?$top=-1`, {}, 400],
  ["$skip that is no number", `${CATALOG}/Books?$skip=x`, {}, 400],
  ["$count that is no Boolean", `${CATALOG}/Books?$count=maybe`, {}, 400],
  ["option twice", `${CATALOG}/Books?$top=1&$top=2`, {}, 400],
  ["unknown $format", `${CATALOG}/Books?$format=pdf`, {}, 400, { message: /offset 14/ }],
  ["URL beyond the limit", `${CATALOG}/Books?$filter=title eq '${"x".repeat(17_000)}'`, {}, 414],
  ["deep $filter", `${CATALOG}/Books?$filter=${"(".repeat(500)}ID eq 1${")".repeat(500)}`, {}, 400],
  ["deep not", `${CATALOG}/Books?$filter=${"not ".repeat(500)}(ID eq 1)`, {}, 400],
  ["long $filter", `${CATALOG}/Books?$filter=${"ID eq 1 or ".repeat(600)}ID eq 2`, {}, 400],
  [
    "deep $expand",
    `${CATALOG}/Genres?$expand=${"children($expand=".repeat(20)}children${")".repeat(20)}`,
    {},
    400,
  ],
  ["deep lambda", `${CATALOG}/Authors?$filter=${lambda(6)}`, {}, 400],
  ["long in list", `${CATALOG}/Books?$filter=ID in (${Array(1500).fill(1)})`, {}, 400],
];

const BODIES: readonly Case[] = [
  ["malformed JSON", `${ADMIN}/Books`, text('{"title": '), 400, { message: /\w/ }],
  ["JSON that is no object", `${ADMIN}/Books`, text('"x"'), 400],
  ["array for an entity", `${ADMIN}/Books`, text("[]"), 400],
  [
    "text that is no UTF-8",
    `${ADMIN}/Books`,
    { ...text(""), body: new Uint8Array([123, 255, 125]) as never },
    400,
  ],
  ["wrong content type", `${ADMIN}/Books`, text("title=x", "application/x-www-form-urlencoded"), 415],
  ["no content type", `${ADMIN}/Books`, { ...alice, method: "POST", body: new Blob(["{}"]).stream() }, 415],
  ["unknown property", `${ADMIN}/Books`, json({ title: "x", titel: "y" }), 400, { message: /titel/ }],
  ["text for a number", `${ADMIN}/Books`, json({ title: "x", stock: "many" }), 400, { target: "stock" }],
  ["fraction for a whole number", `${ADMIN}/Books`, json({ title: "x", stock: 1.5 }), 400, {
    target: "stock",
  }],
  ["number for text", `${ADMIN}/Books`, json({ title: 1 }), 400, { target: "title" }],
  ["object for text", `${ADMIN}/Books`, json({ title: { a: 1 } }), 400, { target: "title" }],
  ["text beyond its length", `${ADMIN}/Books`, json({ title: "x".repeat(121) }), 400, { target: "title" }],
  ["day that does not exist", `${ADMIN}/Authors`, json({ name: "x", dateOfBirth: "2023-02-30" }), 400, {
    target: "dateOfBirth",
  }],
  ["missing mandatory element", `${ADMIN}/Books`, json({ stock: 1 }), 400, {
    code: "ASSERT_MANDATORY",
    target: "title",
  }],
  ["number outside its range", `${ADMIN}/Books`, json({ title: "x", stock: -1 }), 400, {
    code: "ASSERT_RANGE",
    target: "stock",
  }],
  ["unknown author", `${ADMIN}/Books`, json({ title: "x", author_ID: 99999 }), 400, {
    code: "ASSERT_TARGET",
    target: "author_ID",
  }],
  ["key that exists", `${ADMIN}/Books`, json({ ID: 201, title: "x" }), 409],
  ["deep JSON", `${ADMIN}/Books`, text('{"title":'.repeat(200) + "1" + "}".repeat(200)), 400],
  ["very deep JSON", `${ADMIN}/Books`, text("[".repeat(100_000) + "]".repeat(100_000)), 400],
  ["body beyond the limit", `${ADMIN}/Books`, text(JSON.stringify({ title: "x".repeat(1_100_000) })), 413],
  ["object for a collection", `${ADMIN}/Books`, json({ title: "x", chapters: { pos: 1 } }), 400],
  [
    "wrong element of a child",
    `${ADMIN}/Books`,
    json({ title: "x", chapters: [{ pos: "one", title: "y" }] }),
    400,
  ],
  ["PATCH of a wrong type", `${ADMIN}/Books(201)`, json({ stock: "x" }, "PATCH"), 400, { target: "stock" }],
  ["DELETE of a missing row", `${ADMIN}/Books(999999)`, { ...alice, method: "DELETE" }, 404],
  ["DELETE of a collection", `${ADMIN}/Books`, { ...alice, method: "DELETE" }, 405],
  ["POST to an instance", `${ADMIN}/Books(201)`, json({}), 405],
  ["write to a read-only entity", `${CATALOG}/Books`, json({ ID: 1, title: "x" }), 405],
  ["unknown method", `${ADMIN}/Books`, { ...alice, method: "PURGE" }, 405],
  ["action without parameter", `${CATALOG}/submitOrder`, json({ book: 201 }), 400, { target: "quantity" }],
  ["action with unknown parameter", `${CATALOG}/submitOrder`, json({ book: 201, quantity: 1, x: 1 }), 400],
  ["action with a wrong type", `${CATALOG}/submitOrder`, json({ book: "x", quantity: 1 }), 400, {
    target: "book",
  }],
  ["action with GET", `${CATALOG}/submitOrder`, alice, 405],
];

const BATCHES: readonly Case[] = [
  ["batch that is no JSON", `${ADMIN}/$batch`, text("{"), 400],
  ["batch without requests", `${ADMIN}/$batch`, json({}), 400],
  ["batch request without URL", `${ADMIN}/$batch`, json({ requests: [{ id: "1", method: "GET" }] }), 400],
  [
    "batch request with an id twice",
    `${ADMIN}/$batch`,
    json({ requests: twice({ id: "1", method: "GET", url: "Books" }) }),
    400,
  ],
  ["batch with too many requests", `${ADMIN}/$batch`, json({ requests: many(101) }), 429],
  ["multipart without boundary", `${ADMIN}/$batch`, text("--x--", "multipart/mixed"), 400],
  ["multipart without its boundary", `${ADMIN}/$batch`, text("nothing", "multipart/mixed; boundary=x"), 400],
  [
    "multipart cut off",
    `${ADMIN}/$batch`,
    text("--x\r\nContent-Type: application/http\r\n\r\nPOST Bo", "multipart/mixed; boundary=x"),
    400,
  ],
  ["batch of another type", `${ADMIN}/$batch`, text("x", "text/plain"), 415],
];

const LOGINS: readonly Case[] = [
  ["no login", `${ADMIN}/Books`, {}, 401, { code: "401", message: /^Unauthorized$/ }],
  ["login that is no Base64", `${ADMIN}/Books`, { headers: { authorization: "Basic %%%" } }, 401],
  ["login without colon", `${ADMIN}/Books`, { headers: { authorization: `Basic ${btoa("alice")}` } }, 401],
  ["two logins", `${ADMIN}/Books`, { headers: { authorization: "Basic YWxpY2U6, Basic YWxpY2U6" } }, 401],
  ["missing role", `${ADMIN}/Books`, { user: "bob" }, 403, { code: "403", message: /^Forbidden$/ }],
  ["missing role and a wrong URL", `${ADMIN}/Nothing?$filter=(`, { user: "bob" }, 403],
  ["no login and a wrong URL", `${ADMIN}/Nothing?$filter=(`, {}, 401],
];

function lambda(depth: number): string {
  return depth === 0 ? "ID eq 1" : `books/any(b${depth}:b${depth}/author/${lambda(depth - 1)})`;
}

function twice<T>(value: T): T[] {
  return [value, value];
}

function many(count: number): unknown[] {
  return Array.from({ length: count }, (_, i) => ({ id: String(i), method: "GET", url: "Books(201)" }));
}

function assertError(
  what: string,
  answer: Answer,
  [status, expected]: readonly [number, ErrorPattern],
): void {
  const shown = `${what}: ${answer.status} ${JSON.stringify(answer.body)}`;
  assert.equal(answer.status, status, shown);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/, shown);
  const { code, message, target, details } = answer.body.error;
  assert.ok(typeof code === "string" && code !== "" && typeof message === "string" && message !== "", shown);
  if (expected.code) assert.equal(code, expected.code, shown);
  if (expected.message) assert.match(message, expected.message, shown);
  if (expected.target) assert.equal(target ?? details?.[0].target, expected.target, shown);
}

const GROUPS = { URLs: URLS, bodies: BODIES, batches: BATCHES, logins: LOGINS };
for (const [name, cases] of Object.entries(GROUPS)) {
  Deno.test(`wrong ${name} are answered by a 4xx JSON error and change nothing`, async (t) => {
    const shop = await openBookshop();
    const before = await contentOf(shop);
    for (const [what, path, options, status, expected = {}] of cases) {
      await t.step(what, async () => assertError(what, await send(shop, path, options), [status, expected]));
    }
    assert.equal(await contentOf(shop), before);
    await shop.close();
  });
}

/** Pieces from which URLs are put together, right and wrong ones. */
const PIECES = [
  ..."Books,Authors,Genres,Orders,(201),(,),/,$filter=,$expand=,$select=,$orderby=,$top=,$skip=,$count=true"
    .split(","),
  ..."$apply=,$search=,$compute=,$value,$count,$ref,$metadata,?,&,;,=,',',-1,1e400,null,true,title,author,stock"
    .split(","),
  ..." eq , and , or , not , in , gt ,any(x:x/,all(,contains(,substring(,aggregate(,groupby((,$it,$root,@p,%,%00"
    .split(","),
  ..."%zz,\\,..,//,é,😀,2024-02-30,duration'P1D',geography'POINT(1 2)',$batch,submitOrder,has ,div ,/$all"
    .split(","),
];

async function assertNever5xx(shop: Runtime, path: string, options: SendOptions): Promise<void> {
  const { status, body } = await send(shop, path, options);
  const shown = `${options.method ?? "GET"} ${path} ${status} ${JSON.stringify(body)}`;
  // 501: what the standard has and this server has not
  assert.ok(status < 500 || status === 501, shown);
}

Deno.test("random URLs never give a 5xx but 501", async () => {
  const shop = await openBookshop();
  const url = fc.array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 5 })),
    {
      maxLength: 12,
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(CATALOG, ADMIN), url, async (root, pieces) => {
      const path = `${root}/${pieces.join("")}`;
      if (URL.canParse(`http://localhost${path}`)) await assertNever5xx(shop, path, alice);
    }),
    propertyRuns(1500, 20),
  );
  await shop.close();
});

Deno.test("random bodies never give a 5xx but 501", async () => {
  const shop = await openBookshop();
  const names = [
    "ID",
    "title",
    "stock",
    "price",
    "author",
    "author_ID",
    "chapters",
    "descr",
    "createdAt",
    "currency",
  ];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      null,
      -1,
      1e300,
      "2024-13-01",
      { ID: 101 },
      [{ pos: 1 }],
      [{ pos: 1, title: "x" }],
      "AAAA",
    ),
  );
  const body = fc.dictionary(fc.constantFrom(...names, "title@odata.type", "author@odata.bind", "x"), value);
  const target = fc.constantFrom(
    ["POST", `${ADMIN}/Books`],
    ["PATCH", `${ADMIN}/Books(201)`],
    ["PUT", `${ADMIN}/Books(207)`],
    ["POST", `${ADMIN}/Books(201)/chapters`],
    ["POST", `${CATALOG}/submitOrder`],
    ["POST", `${ADMIN}/$batch`],
  );
  await fc.assert(
    fc.asyncProperty(
      target,
      body,
      ([method, path], data) => assertNever5xx(shop, path, { ...alice, method, body: data }),
    ),
    propertyRuns(600, 21),
  );
  await shop.close();
});
