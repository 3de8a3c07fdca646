import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";
import { LIBRARY, LIBRARY_ROWS } from "./library.ts";

const integer = { type: "cds.Integer" };
const fn = (returns: object, params: object = {}) => ({ kind: "function" as const, params, returns });
const { "ShopService.Books": books, "ShopService.Authors": authors } = LIBRARY.definitions as Record<
  string,
  object
>;

const MODEL = {
  definitions: {
    ...LIBRARY.definitions,
    "ShopService.Books": {
      ...books,
      actions: {
        isRare: fn({ type: "cds.Boolean" }),
        sales: fn(integer, { days: integer, least: { ...integer, notNull: true } }),
        shelf: fn({ type: "ShopService.Place" }),
        label: fn({ type: "cds.String" }, { prefix: { type: "cds.String" } }),
        secret: { ...fn(integer), "@requires": "admin" },
        twin: fn({ type: "ShopService.Books" }),
        sell: { kind: "action", returns: integer },
      },
    },
    "ShopService.Authors": { ...authors, actions: { age: fn(integer) } },
    "ShopService.plus": fn(integer, { a: integer, b: { ...integer, notNull: true } }),
    "ShopService.least": fn(integer),
    "ShopService.shout": fn({ type: "cds.String" }, { text: { type: "cds.String" } }),
    "ShopService.half": fn({ type: "cds.Decimal" }, { of: { type: "cds.Decimal" } }),
    "ShopService.next": fn({ type: "cds.Date" }, { day: { type: "cds.Date" } }),
    "ShopService.opposite": fn({ type: "cds.Boolean" }, { of: { type: "cds.Boolean" } }),
  },
} as unknown as Csn; // parsed CSN

/** What functions were called with: the name, keys and arguments. */
type Calls = (readonly [string, Row | undefined, Row])[];

async function withFunctions(
  database: DatabaseFactory | undefined,
  run: (shop: Shop, calls: Calls) => Promise<void>,
  limits = {},
): Promise<void> {
  const calls: Calls = [];
  const shop = await openShop({
    model: MODEL,
    data: LIBRARY_ROWS,
    ...(database && { database }),
    limits,
    register(service) {
      const on = (event: string, entity: string | undefined, of: (key: number, data: Row) => unknown) => {
        const handler = (req: ServiceRequest) => {
          const key = req.params.at(-1) as Row | undefined;
          calls.push([event, key, req.data as Row]);
          return of(Number(key?.ID), req.data as Row);
        };
        if (entity) service.on(event, entity, handler);
        else service.on(event, handler);
      };
      on("isRare", "Books", (id) => id > 2);
      on("sales", "Books", (id, { days, least }) => id * Number(days ?? 100) + Number(least));
      on("shelf", "Books", (id) => ({ city: id === 3 ? "Oslo" : "Bonn", floor: id, rooms: [id, 7] }));
      on("label", "Books", (id, { prefix }) => id === 4 ? null : `${prefix} "${id}"`);
      on("age", "Authors", (id) => id * 20);
      on("plus", undefined, (_id, { a, b }) => a === null ? null : Number(a) + Number(b));
      on("least", undefined, () => 5);
      on("shout", undefined, (_id, { text }) => `${String(text).toUpperCase()}!`);
      on("half", undefined, (_id, { of }) => of === null ? -1 : Number(of) / 2);
      on(
        "next",
        undefined,
        (_id, { day }) => day === null ? null : new Date(Date.parse(String(day)) + 864e5),
      );
      on("opposite", undefined, (_id, { of }) => !of);
    },
  });
  try {
    await run(shop, calls);
  } finally {
    await shop.close();
  }
}

/** IDs of books by conditions. */
const FILTERS: Readonly<Record<string, readonly number[]>> = {
  // bound to the row
  "ShopService.isRare()": [3, 4],
  "isRare()": [3, 4],
  "not isRare()": [1, 2],
  "isRare() eq false or ID eq 3": [1, 2, 3],
  "ShopService.sales(days=10,least=1) gt 21": [3, 4],
  "$it/ShopService.sales(days=10,least=1) eq 21": [2],
  "sales(least=1) gt 201 and stock gt 0": [3],
  "label(prefix='no') eq 'no \"2\"'": [2],
  "label(prefix='no') eq null": [4],
  "shelf()/city eq 'Oslo'": [3],
  "shelf()/rooms/any(r:r eq ID)": [1, 2, 3, 4],
  "shelf()/rooms/$count eq 2 and shelf()/floor lt 2": [1],
  // bound to what a path leads to, or to the row of a lambda expression
  "author/ShopService.age() ge 40": [2, 3],
  "author/age() eq null": [4],
  "author/books/any(b:b/ShopService.isRare())": [2, 3],
  "author/books/any(b:b/sales(days=1,least=0) gt ID)": [2],
  // values of the row as arguments
  "plus(a=stock,b=1) gt 13": [3],
  "plus(a=stock,b=ID) eq 13": [1],
  "plus(a=stock add ID,b=least()) eq 12": [2],
  "plus(a=author_ID,b=0) eq null": [4],
  "plus(a=@s,b=@one) eq 6": [2],
  "shout(text=title) eq 'THE RAVEN!'": [2],
  "shout(text=author/name) in ('EMILY!','EDGAR!')": [1, 2, 3],
  [`shout(text=concat(title,'"\\''')) eq 'EMILY"\\''!'`]: [4],
  "shout(text=case(ID eq 1:'__proto__',true:title)) eq '__PROTO__!'": [1],
  "half(of=price) eq 6.5": [2],
  "half(of=price) eq -1": [4],
  "next(day=published) eq 1847-12-02": [1],
  "opposite(of=stock gt 10) and ID lt 4": [2],
  "sales(days=stock,least=ID) eq 12": [2],
  "plus(a=plus(a=stock,b=1),b=1) eq 7": [2],
  "loans/any(l:plus(a=l/days,b=0) gt 20)": [3],
  "author/books/$count($filter=ShopService.isRare()) eq 1": [2, 3],
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`own functions bound to a row or with values of rows are values of expressions, on ${engine} (URL 4.5, 5.1.1.15)`, () =>
    withFunctions(database, async (shop) => {
      for (const [filter, expected] of Object.entries(FILTERS)) {
        const url = `Books?$select=ID&@one=1&@s=stock&$orderby=ID&$filter=${filter}`;
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, `${filter}: ${JSON.stringify(body)}`);
        assert.deepEqual((body as { value: { ID: number }[] }).value.map(({ ID }) => ID), expected, filter);
      }
      assert.deepEqual(shop.logged, []);
    }));

  Deno.test(`functions of rows stand in all options and levels of a URL that reads entities, on ${engine} (URL 5.1)`, () =>
    withFunctions(database, async (shop) => {
      const bodies: Readonly<Record<string, unknown>> = {
        "Books?$compute=sales(days=2,least=stock) as s&$select=ID,s&$orderby=s desc&$top=2": {
          value: [{ ID: 3, s: 26 }, { ID: 1, s: 14 }],
        },
        "Books(2)?$compute=isRare() as r,shelf()/city as c,next(day=published) as d&$select=r,c,d": {
          ID: 2,
          r: false,
          c: "Bonn",
          d: null,
        },
        "Books?$orderby=isRare() desc,ID&$select=ID&$top=2": { value: [{ ID: 3 }, { ID: 4 }] },
        "Authors(2)?$select=ID&$expand=books($filter=isRare();$select=ID)": { ID: 2, books: [{ ID: 3 }] },
        "Authors(2)/books?$filter=isRare()&$select=ID": { value: [{ ID: 3 }] },
        "Books(3)/author?$compute=age() as a&$select=ID,a": { ID: 2, a: 40 },
        "Books?$apply=filter(isRare())/aggregate($count as n)": { value: [{ n: 2 }] },
        "Books?$apply=compute(plus(a=stock,b=1) as p)/aggregate(p with sum as s)": { value: [{ s: 41 }] },
        "Books?$search=Raven&$filter=not isRare()&$select=ID&$count=true": { value: [{ ID: 2 }] },
      };
      for (const [url, expected] of Object.entries(bodies)) {
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
        const { "@odata.context": _context, "@odata.count": _count, ...rest } = body as Record<
          string,
          unknown
        >;
        assert.deepEqual(rest, expected, url);
      }
      assert.equal((await shop.send("GET", "Books/$count?$filter=isRare()")).body, "2");
    }));

  Deno.test(`a function is called once for rows that give it the same, and for no others than the URL is about, on ${engine} (URL 5.1.1)`, () =>
    withFunctions(database, async (shop, calls) => {
      const calledFor = async (url: string) => {
        calls.length = 0;
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, JSON.stringify(body));
        return calls.map(([, key, data]) => key ? key.ID : data.a).sort();
      };
      assert.deepEqual(await calledFor("Books?$filter=isRare()"), [1, 2, 3, 4]);
      assert.deepEqual(await calledFor("Books?$filter=stock gt 0 and (isRare() and ID lt 3)"), [1, 2]);
      assert.deepEqual(await calledFor("Books?$filter=stock gt 10 or isRare()"), [1, 2, 3, 4]);
      assert.deepEqual(await calledFor("Books?$filter=stock gt 10 and not isRare()"), [1, 3]);
      assert.deepEqual(await calledFor("Books(2)?$compute=isRare() as r"), [2]);
      assert.deepEqual(await calledFor("Books?$compute=isRare() as r&$orderby=ID desc&$top=1&$skip=1"), [3]);
      assert.deepEqual(await calledFor("Books?$search=Raven&$filter=isRare()"), [2]);
      assert.deepEqual(await calledFor("Authors(2)/books?$filter=isRare()"), [2, 3]);
      assert.deepEqual(await calledFor("Books?$filter=plus(a=author_ID,b=1) gt 2"), [1, 2, null]);
      assert.deepEqual(await calledFor("Books?$filter=author/age() gt 2"), [1, 2]);
    }));
}

Deno.test("a function gets keys and arguments as from a request of its own (URL 4.5)", () =>
  withFunctions(ENGINES.memory, async (shop, calls) => {
    await shop.send("GET", encodeURI("Books?$filter=sales(days=stock,least=7) gt 0 and ID eq 1"));
    assert.deepEqual(calls, [["sales", { ID: 1 }, { days: 12, least: 7 }]]);
  }));

Deno.test("a function is called for few rows, and by nobody who may not (fw.limits.functionRows, authorization)", () =>
  withFunctions(ENGINES.memory, async (shop) => {
    const { status, body } = await shop.send("GET", "Books?$filter=isRare()");
    assert.equal(status, 400);
    const { message } = (body as { error: { message: string } }).error;
    assert.equal(message, '"isRare" is called for more than 3 rows');
    assert.equal((await shop.send("GET", "Books?$filter=isRare()%20and%20ID%20lt%204")).status, 200);
    assert.equal((await shop.send("GET", "Books?$filter=secret()%20eq%201%20and%20ID%20eq%201")).status, 401);
  }, { functionRows: 3 }));

Deno.test("calls for rows that make no sense or are not evaluated are refused with their place (URL 5.1.1)", () =>
  withFunctions(ENGINES.memory, async (shop) => {
    const messages: Readonly<Record<string, readonly [number, RegExp]>> = {
      "Books?$filter=sell() eq 1": [400, /"sell" is an action/],
      "Books?$filter=isRare(x=1)": [400, /no parameter "x"/],
      "Books?$filter=sales(days=1) gt 1": [400, /parameter "least" of "sales" is missing/],
      "Books?$filter=isRare()/x": [400, /Nothing can follow the value of "isRare"/],
      "Books?$filter=plus(a=title,b=1) gt 1": [400, /does not fit the type of "a" \(offset 21\)/],
      "Books?$filter=plus(a=nope,b=1) gt 1": [400, /no property "nope"/],
      "Books?$filter=author/isRare()": [400, /no function "isRare"|has no property/],
      "Books?$filter=twin()/ID eq 1": [501, /returns entities .* \(offset 14\)/],
      "Books?$filter=marks/any(m:plus(a=m,b=1) gt 1)": [501, /values that are not those of one entity/],
      "Authors?$filter=books/any(b:plus(a=b/stock,b=$it/rank) gt 1)": [501, /not those of one entity/],
      "Books?$apply=groupby((author_ID))/filter(plus(a=author_ID,b=1) gt 2)": [
        501,
        /not those of one entity/,
      ],
      "Books/$filter(isRare())": [501, /A function in an expression here/],
    };
    for (const [url, [status, message]] of Object.entries(messages)) {
      const answer = await shop.send("GET", encodeURI(url));
      assert.equal(answer.status, status, `${url}: ${JSON.stringify(answer.body)}`);
      assert.match((answer.body as { error: { message: string } }).error.message, message, url);
    }
  }));
