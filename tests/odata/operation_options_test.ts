import assert from "node:assert/strict";
import fc from "fast-check";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { propertyRuns } from "../property_runs.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";
import { LIBRARY, LIBRARY_ROWS } from "./library.ts";
import { soundUrls } from "./random_library_urls.ts";

const many = (type: string) => ({ items: { type } });

const MODEL: Csn = {
  definitions: {
    ...LIBRARY.definitions,
    "ShopService.allBooks": { kind: "function", returns: many("ShopService.Books") },
    "ShopService.someBooks": { kind: "action", returns: many("ShopService.Books") },
    "ShopService.oneBook": { kind: "function", returns: { type: "ShopService.Books" } },
    "ShopService.madeBooks": { kind: "function", returns: many("ShopService.Books") },
    "ShopService.madeAuthors": { kind: "function", returns: many("ShopService.Authors") },
    "ShopService.numbers": { kind: "function", returns: many("cds.Integer") },
  },
};

const NEWEST = { "odata-maxversion": "4.01" };

const MADE: readonly Row[] = [
  { ID: 70, title: "Zadig", stock: 3, author: { ID: 2 }, published: new Date("1747-01-01") },
  { ID: 71, title: "Candide", price: "1.50", author_ID: 1, tags: ["new", "old"], other: true },
  { title: "émile", stock: 3 },
];

const MADE_AUTHORS: readonly Row[] = [
  { ID: 90, name: "New", books: [{ ID: 70, title: "Zadig" }], favourite: { ID: 70, title: "Zadig" } },
  { ID: 91, name: "Idle", books: [], favourite: null },
  { ID: 1, name: "Bare" },
  { ID: 1, name: "Emily", books: [{ ID: 70, title: "Zadig" }], favourite: { ID: 1, title: "Own" } },
];

async function withOperations(database: DatabaseFactory | undefined, run: (shop: Shop) => Promise<void>) {
  const shop = await openShop({
    model: MODEL,
    data: LIBRARY_ROWS,
    ...(database && { database }),
    register(service) {
      service.on(
        "allBooks",
        () => service.host.db!.run({ SELECT: { from: { ref: ["ShopService.Books"] } } }),
      );
      service.on(
        "someBooks",
        () => service.host.db!.run({ SELECT: { from: { ref: ["ShopService.Books"] } } }),
      );
      service.on("oneBook", () => ({ ID: 1, title: "Mine", stock: 4, author_ID: 1 }));
      service.on("madeBooks", () => MADE);
      service.on("madeAuthors", () => MADE_AUTHORS);
      service.on("numbers", () => [5, 6, 7]);
    },
  });
  try {
    await run(shop);
  } finally {
    await shop.close();
  }
}

const onEachEngine = async (run: (shop: Shop) => Promise<void>): Promise<void> => {
  for (const factory of Object.values(ENGINES)) await withOperations(factory, run);
};

async function valuesOf(shop: Shop, url: string): Promise<Record<string, unknown>> {
  const { status, body } = await shop.send("GET", encodeURI(url), { headers: NEWEST });
  assert.equal(status, 200, `${url} ${JSON.stringify(body)}`);
  const { "@odata.context": _context, ...rest } = body as Record<string, unknown>;
  return rest;
}

Deno.test("options of functions mean what they mean for entity sets, on each engine (Part 1, 11.5.4.1)", () =>
  onEachEngine(async (shop) => {
    let [answered, refused] = [0, 0];
    const urls = soundUrls.filter((url) => url.startsWith("Books?"));
    const property = fc.asyncProperty(urls, async (url) => {
      const [set, called] = await Promise.all(
        ["Books?", "allBooks()?"].map((start) =>
          shop.send("GET", encodeURI(url.replace("Books?", start)), { headers: NEWEST })
        ),
      );
      if (called!.status === 501) return void refused++;
      answered++;
      assert.equal(called!.status, set!.status, JSON.stringify(called!.body));
      if (set!.status !== 200) return;
      const bodies = [set, called].map((answer) => {
        const { "@odata.context": _context, ...body } = answer!.body as Record<string, unknown>;
        return body;
      });
      assert.deepEqual(bodies[1], bodies[0]);
    });
    await fc.assert(property, propertyRuns(60, 5));
    assert.ok(answered > refused, `${answered} answered, ${refused} refused`);
    assert.deepEqual(shop.logged, []);
  }));

Deno.test("options see the rows that a handler made, wherever they are stored (Part 1, 11.5.4.1)", () =>
  onEachEngine(async (shop) => {
    const idsOf = async (options: string) =>
      ((await valuesOf(shop, `madeBooks()?${options}`)).value as Row[]).map(({ title }) => title);
    assert.deepEqual(await idsOf("$orderby=title"), ["Candide", "Zadig", "émile"]);
    assert.deepEqual(await idsOf("$filter=stock eq 3"), ["Zadig", "émile"]);
    assert.deepEqual(await idsOf("$filter=price lt 2"), ["Candide"]);
    assert.deepEqual(await idsOf("$filter=author/name eq 'Edgar'"), ["Zadig"]);
    assert.deepEqual(await idsOf("$filter=year(published) eq 1747"), ["Zadig"]);
    assert.deepEqual(await idsOf("$filter=tags/any(t:t eq 'old')"), ["Candide"]);
    assert.deepEqual(await idsOf("$orderby=title desc&$skip=1&$top=1"), ["Zadig"]);
    assert.deepEqual(await idsOf("$search=cand"), ["Candide"]);
    assert.deepEqual(
      await valuesOf(shop, "madeBooks()?$filter=stock eq 3&$count=true&$top=1&$select=title"),
      {
        "@odata.count": 2,
        value: [{ ID: 70, title: "Zadig" }],
      },
    );
    assert.deepEqual(await valuesOf(shop, "madeBooks()?$compute=stock mul 2 as twice&$select=twice&$top=1"), {
      value: [{ ID: 70, twice: 6 }],
    });
    assert.deepEqual(await valuesOf(shop, "madeBooks()?$apply=aggregate(stock with sum as total)"), {
      value: [{ total: 6 }],
    });
    assert.deepEqual(await valuesOf(shop, "oneBook()?$select=title&$expand=author($select=name)"), {
      ID: 1,
      title: "Mine",
      author: { ID: 1, name: "Emily" },
    });
    assert.deepEqual(shop.logged, []);
  }));

Deno.test("related rows are those that are stored, else those that a handler made (Part 1, 11.5.4.1)", () =>
  onEachEngine(async (shop) => {
    const stored = { ID: 1, title: "Wuthering Heights" };
    const made = { ID: 70, title: "Zadig" };
    const { value } = await valuesOf(
      shop,
      "madeAuthors()?$select=name&$expand=books($select=title),favourite($select=title)",
    );
    assert.deepEqual(value, [
      { ID: 90, name: "New", books: [made], favourite: made },
      { ID: 91, name: "Idle", books: [], favourite: null },
      { ID: 1, name: "Bare", books: [stored], favourite: null },
      { ID: 1, name: "Emily", books: [stored], favourite: stored },
    ]);
  }));

Deno.test("options of actions apply to their results (Part 1, 11.5.5.1)", () =>
  onEachEngine(async (shop) => {
    const url = "someBooks?$filter=ID%20gt%203&$select=title";
    const { status, body } = await shop.send("POST", url, { body: {}, headers: NEWEST });
    assert.equal(status, 200);
    assert.deepEqual((body as { value: unknown }).value, [{ ID: 4, title: "Emily" }]);
  }));

Deno.test("groups of what an operation returns show no entities (Aggregation 3.2.3.1)", () =>
  withOperations(ENGINES.memory, async (shop) => {
    const url = "allBooks()?$apply=groupby((author),aggregate($count%20as%20n))&$expand=author";
    assert.equal((await shop.send("GET", url)).status, 501);
  }));

Deno.test("options of rows need a database, those of pages do not (Part 1, 11.2.1)", async () => {
  await withOperations(undefined, async (shop) => {
    assert.deepEqual(await valuesOf(shop, "numbers()?$skip=1&$top=1&$count=true"), {
      "@odata.count": 3,
      value: [6],
    });
    assert.equal((await shop.send("GET", "numbers()?$filter=true")).status, 501);
    assert.deepEqual(await valuesOf(shop, "madeBooks()?$top=1&$select=title"), {
      value: [{ ID: 70, title: "Zadig" }],
    });
    assert.equal((await shop.send("GET", "madeBooks()?$filter=true")).status, 501);
    assert.equal((await shop.send("GET", "madeBooks()?$orderby=nothing")).status, 400);
  });
});

Deno.test("clients of OData 4.0 get all that a handler returned, more than they select (Part 1, 11.2.5.1)", async () => {
  await withOperations(undefined, async (shop) => {
    const { body } = await shop.send("GET", "madeBooks()?$top=1&$select=title");
    const [book] = (body as { value: Row[] }).value;
    assert.deepEqual([book!.title, book!.stock], ["Zadig", 3]);
  });
});
