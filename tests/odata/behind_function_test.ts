import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { ENGINES } from "./engines.ts";
import { expectAnswers, HEADERS } from "./expect_answers.ts";
import { openShop, type Shop } from "./fixture_host.ts";
import { LIBRARY, LIBRARY_ROWS } from "./library.ts";

const integer = { type: "cds.Integer" };
const books = { items: { type: "ShopService.Books" } };
const fn = (returns: object, params: object = {}) => ({ kind: "function" as const, params, returns });
const { "ShopService.Books": own, ...others } = LIBRARY.definitions!;

const MODEL = {
  definitions: {
    ...others,
    "ShopService.Books": {
      ...own,
      actions: {
        isRare: fn({ type: "cds.Boolean" }),
        sell: { kind: "action", params: { by: integer }, returns: integer },
        others: fn(books),
        total: fn(integer, { in: { items: { type: "$self" } } }),
      },
    },
    "ShopService.all": fn(books, { least: integer, text: { type: "cds.String" } }),
    "ShopService.one": fn({ type: "ShopService.Books" }),
    "ShopService.numbers": fn({ items: integer }),
    "ShopService.number": fn(integer),
    "ShopService.nothing": fn(integer),
    "ShopService.place": fn({ type: "ShopService.Place" }),
    "ShopService.places": fn({ items: { type: "ShopService.Place" } }),
  },
} as unknown as Csn; // parsed CSN

async function withFunctions(
  database: DatabaseFactory | undefined,
  run: (shop: Shop) => Promise<void>,
): Promise<void> {
  const shop = await openShop({
    model: MODEL,
    data: LIBRARY_ROWS,
    ...(database && { database }),
    register(service) {
      const read = async (query: unknown = { SELECT: { from: { ref: ["ShopService.Books"] } } }) =>
        await service.host.db!.run(query as ServiceRequest["query"] & object) as Row[];
      const last = (req: unknown) => (req as ServiceRequest).params.at(-1) as Row;
      service.on("all", async ({ data }) => {
        const { least = 0 } = data as { least?: number };
        return (await read()).filter(({ ID }) => Number(ID) >= least);
      });
      service.on("one", () => ({ ID: 2 }));
      service.on("numbers", () => [5, 6, 7]);
      service.on("number", () => 42);
      service.on("nothing", () => null);
      service.on("place", () => ({ city: "Oslo", floor: null, rooms: [1, 2] }));
      service.on("places", () => [{ city: "Oslo", floor: 1 }, { city: "Bonn" }]);
      service.on("isRare", "Books", async (req) => {
        const row = await read((req as ServiceRequest).query) as unknown as Row;
        return Number(row.stock) < 6;
      });
      service.on("sell", "Books", (req) => Number((req.data as Row).by) + Number(last(req).ID));
      service.on("others", "Books", async (req) => (await read()).filter(({ ID }) => ID !== last(req).ID));
      service.on(
        "total",
        "Books",
        async (req) =>
          (await read((req as ServiceRequest).query)).reduce((sum, { stock }) => sum + Number(stock), 0),
      );
    },
  });
  try {
    await run(shop);
    assert.deepEqual(shop.logged, []);
  } finally {
    await shop.close();
  }
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`a key behind a function picks one of what it returns, on ${engine} (URL 4.5.1)`, () =>
    withFunctions(database, (shop) =>
      expectAnswers(shop, {
        "all()(2)?$select=title": { ID: 2, title: "The Raven" },
        "all(least=2)(ID=3)/title": { value: "Eleonora" },
        "all(text='a)(b',least=1)(3)/title/$value": "Eleonora",
        "all()(1)/author/name": { value: "Emily" },
        "Books(1)/others()(2)?$select=title": { ID: 2, title: "The Raven" },
        "all()(99)": 404,
        "all(least=3)(1)": 404,
        "Books(1)/others()(1)": 404,
        "one()(1)": 400,
        "number()(1)": 400,
        "all()(1)(2)": 400,
      })));

  Deno.test(`operations behind a function are bound to what it returns, on ${engine} (URL 4.5.1; Part 1, 11.5)`, () =>
    withFunctions(database, async (shop) => {
      await expectAnswers(shop, {
        "all()(2)/isRare()": { value: true },
        "all()(3)/isRare()": { value: false },
        "one()/isRare()": { value: true },
        "all(least=3)/total()": { value: 20 },
        "all(least=99)/total()": { value: 0 },
        "all()/$filter(stock gt 10)/total()": { value: 32 },
        "all()(1)/others()?$select=ID&$filter=ID gt 2": { value: [{ ID: 3 }, { ID: 4 }] },
        "all()(99)/isRare()": 404,
        "one()/sell": 405,
        "all()(1)/others()/$count": 501,
        "all()(1)/others()(2)": 501,
      });
      const { status, body } = await shop.send("POST", "all()(3)/sell", {
        body: { by: 10 },
        headers: HEADERS,
      });
      assert.deepEqual([status, (body as Row).value], [200, 13]);
    }));
}

const PARTS: Readonly<Record<string, unknown>> = {
  "numbers()/0": { value: 5 },
  "numbers()/-1/$value": "7",
  "numbers()/$count": "3",
  "numbers()/9": 404,
  "number()/$value": "42",
  "nothing()/$value": 204,
  "place()/city": { value: "Oslo" },
  "place()/city/$value": "Oslo",
  "place()/floor": 204,
  "place()/rooms": { value: [1, 2] },
  "place()/rooms/1": { value: 2 },
  "places()/1": { city: "Bonn" },
  "places()/0/city": { value: "Oslo" },
  "places()/$count": "2",
  "place()/cty": 404,
  "number()/x": 400,
  "place()/$value": 400,
  "place()/city?$select=x": 501,
  "numbers()/$count?$filter=$this gt 5": 501,
};

Deno.test("paths lead to parts of values that a function returns, with and without a database (URL 4.5.1)", async () => {
  for (const database of [undefined, ENGINES.memory]) {
    await withFunctions(database, async (shop) => {
      await expectAnswers(shop, PARTS);
      assert.equal((await shop.send("PUT", "number()/$value", { body: "1" })).status, 405);
    });
  }
});

Deno.test("the context URL of a part of a value is that of its type (Part 1, 10.14, 10.15)", () =>
  withFunctions(undefined, async (shop) => {
    const contexts = {
      "place()/city": "../$metadata#Edm.String",
      "place()/rooms": "../$metadata#Collection(Edm.Int32)",
      "places()/0": "../$metadata#ShopService.Place",
    };
    for (const [url, context] of Object.entries(contexts)) {
      assert.equal(((await shop.send("GET", url)).body as Row)["@odata.context"], context);
    }
  }));

Deno.test("entities behind a function need a database (URL 4.5.1)", () =>
  withFunctions(undefined, (shop) => expectAnswers(shop, { "one()/title": 501, "one()/isRare()": 501 })));
