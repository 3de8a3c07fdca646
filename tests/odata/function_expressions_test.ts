import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";
import { LIBRARY, LIBRARY_ROWS } from "./library.ts";

const integer = { type: "cds.Integer" };
const fn = (returns: object, params: object = {}) => ({ kind: "function" as const, params, returns });

const MODEL = {
  definitions: {
    ...LIBRARY.definitions,
    "ShopService.least": fn(integer),
    "ShopService.plus": fn(integer, { a: integer, b: { ...integer, notNull: true } }),
    "ShopService.word": fn({ type: "cds.String" }),
    "ShopService.since": fn({ type: "cds.Date" }),
    "ShopService.isOpen": fn({ type: "cds.Boolean" }, { on: { type: "cds.Boolean" } }),
    "ShopService.rate": fn({ type: "cds.Decimal" }),
    "ShopService.nothing": fn(integer),
    "ShopService.numbers": fn({ items: integer }),
    "ShopService.place": fn({ type: "ShopService.Place" }),
    "ShopService.sites": fn({ items: { type: "ShopService.Place" } }),
    "ShopService.book": fn({ type: "ShopService.Books" }),
    "ShopService.refusing": fn(integer),
    "ShopService.secret": { ...fn(integer), "@requires": "admin" },
    "ShopService.act": { kind: "action" as const, returns: integer },
  },
} as unknown as Csn; // parsed CSN

async function withFunctions(
  database: DatabaseFactory | undefined,
  run: (shop: Shop, calls: { count: number }) => Promise<void>,
): Promise<void> {
  const calls = { count: 0 };
  const shop = await openShop({
    model: MODEL,
    data: LIBRARY_ROWS,
    ...(database && { database }),
    limits: { functionCalls: 3 },
    register(service) {
      service.on("least", () => (calls.count++, 5));
      service.on("plus", ({ data }) => Number((data as Row).a) + Number((data as Row).b));
      service.on("word", () => "The Raven");
      service.on("since", () => new Date("1847-01-01"));
      service.on("isOpen", ({ data }) => (data as Row).on);
      service.on("rate", () => "1.5");
      service.on("nothing", () => null);
      service.on("numbers", () => [2, 3]);
      service.on("place", () => ({ city: "Oslo", floor: 2, rooms: [1] }));
      service.on("sites", () => [{ city: "Oslo", floor: 2 }, { city: "Bonn", floor: 12 }]);
      service.on("refusing", (req) => req.reject(418, "No tea"));
      service.on("secret", () => 1);
    },
  });
  try {
    await run(shop, calls);
  } finally {
    await shop.close();
  }
}

/** IDs by conditions. */
const FILTERS: Readonly<Record<string, readonly number[]>> = {
  "stock gt ShopService.least()": [1, 3],
  "stock gt least()": [1, 3],
  "stock gt $root/least()": [1, 3],
  "stock eq plus(a=2,b=3)": [2],
  "stock eq plus(a=5,b=7)": [1],
  "stock eq plus(a=@two,b=3)": [2],
  "title eq word()": [2],
  "contains(title,word()) or ID eq 1": [1, 2],
  "published gt since()": [1],
  "isOpen(on=true) and ID lt 3": [1, 2],
  "isOpen(on=false) or ID eq 1": [1],
  "not isOpen(on=true)": [],
  "nothing() eq null and ID lt 3": [1, 2],
  "nothing() ne null": [],
  "stock div 2 gt rate() mul 2": [1, 3],
  "ID in numbers()": [2, 3],
  "numbers()/any(n:n eq ID)": [2, 3],
  "numbers()/$count eq 2 and ID eq 1": [1],
  "places/any(p:p/city eq place()/city)": [1, 3],
  "sites()/any(s:s/floor eq stock)": [1],
  "author/books/any(b:b/stock gt plus(a=5,b=7))": [2, 3],
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`own functions with arguments that are the same for all rows are values of expressions, on ${engine} (URL 5.1.1)`, () =>
    withFunctions(database, async (shop) => {
      for (const [filter, expected] of Object.entries(FILTERS)) {
        const url = `Books?$select=ID&@two=2&$filter=${filter}`;
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, `${filter}: ${JSON.stringify(body)}`);
        assert.deepEqual((body as { value: { ID: number }[] }).value.map(({ ID }) => ID), expected, filter);
      }
      assert.deepEqual(shop.logged, []);
    }));

  Deno.test(`own functions stand in all options and levels of a URL that reads entities, on ${engine} (URL 5.1)`, () =>
    withFunctions(database, async (shop) => {
      const bodies: Readonly<Record<string, unknown>> = {
        "Books?$compute=word() as x,since() as d,isOpen(on=true) as o&$select=ID,x,d,o&$top=1": {
          value: [{ ID: 1, x: "The Raven", d: "1847-01-01", o: true }],
        },
        "Books?$orderby=stock mul least() desc&$select=ID&$top=2": { value: [{ ID: 3 }, { ID: 1 }] },
        "Books(1)?$compute=least() as x&$select=x": { ID: 1, x: 5 },
        "Authors(1)?$select=ID&$expand=books($filter=stock gt least();$select=ID)": {
          ID: 1,
          books: [{ ID: 1 }],
        },
        "Books?$apply=filter(stock gt least())/aggregate($count as n)": { value: [{ n: 2 }] },
        "Books?$apply=groupby((author_ID),aggregate(stock with sum as s))/filter(s gt plus(a=10,b=10))": {
          value: [{ author_ID: 2, s: 25 }],
        },
      };
      for (const [url, expected] of Object.entries(bodies)) {
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
        const { "@odata.context": _context, ...rest } = body as Record<string, unknown>;
        assert.deepEqual(rest, expected, url);
      }
      assert.equal((await shop.send("GET", "Books/$count?$filter=stock%20gt%20least()")).body, "2");
    }));
}

Deno.test("a function is called once for each place it stands at, before the query runs (URL 5.1.1)", () =>
  withFunctions(ENGINES.memory, async (shop, calls) => {
    await shop.send("GET", encodeURI("Books?$filter=stock gt least() and least() eq null"));
    assert.equal(calls.count, 2);
  }));

Deno.test("what a function refuses, or whom, refuses the request (URL 5.1.1, authorization)", () =>
  withFunctions(ENGINES.memory, async (shop) => {
    assert.equal((await shop.send("GET", "Books?$filter=refusing()%20eq%201")).status, 418);
    assert.equal((await shop.send("GET", "Books?$filter=secret()%20eq%201")).status, 401);
    assert.equal((await shop.send("GET", "secret()")).status, 401);
  }));

Deno.test("calls that cannot be evaluated before the query are refused with their place (URL 5.1.1)", () =>
  withFunctions(ENGINES.memory, async (shop) => {
    const messages: Readonly<Record<string, readonly [number, RegExp]>> = {
      "Books?$filter=plus(a=1) eq 1": [400, /parameter "b" of "plus" is missing/],
      "Books?$filter=plus(a=1,c=2) eq 1": [400, /no parameter "c"/],
      "Books?$filter=act() eq 1": [400, /"act" is an action/],
      "Books?$filter=least()/x eq 1": [400, /Nothing can follow the value of "least"/],
      "Books?$filter=leest() eq 1": [400, /no function "leest"/],
      "Books?$filter=$root/least eq 1": [400, /A call needs parentheses/],
      "Books?$filter=least() add least() add least() add least() gt 1": [400, /limited to 3 calls/],
      "Books?$filter=book()/ID eq 1": [501, /returns entities .* \(offset 14\)/],
      "Books/$filter(stock gt least())": [501, /A function in an expression here .* \(offset 27\)/],
      "Books(1)/tags?$filter=$this eq word()": [501, /A function in an expression here/],
      "numbers()?$filter=$this gt least()": [501, /A function in an expression here/],
    };
    for (const [url, [status, message]] of Object.entries(messages)) {
      const answer = await shop.send("GET", encodeURI(url));
      assert.equal(answer.status, status, `${url}: ${JSON.stringify(answer.body)}`);
      assert.match((answer.body as { error: { message: string } }).error.message, message, url);
    }
  }));
