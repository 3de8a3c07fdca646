import assert from "node:assert/strict";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { ENGINES } from "./engines.ts";
import { expectAnswers, HEADERS } from "./expect_answers.ts";
import { openShop, type Shop } from "./fixture_host.ts";
import { LIBRARY, LIBRARY_ROWS } from "./library.ts";

const many = (type: string) => ({ items: { type } });

const MODEL: Csn = {
  definitions: {
    ...LIBRARY.definitions,
    "ShopService.places": { kind: "function", returns: many("ShopService.Place") },
    "ShopService.place": { kind: "function", returns: { type: "ShopService.Place" } },
    "ShopService.move": { kind: "action", returns: many("ShopService.Place") },
    "ShopService.numbers": { kind: "function", returns: many("cds.Integer") },
    "ShopService.instants": { kind: "function", returns: many("cds.Timestamp") },
    "ShopService.words": { kind: "function", returns: many("cds.String") },
    "ShopService.amounts": { kind: "function", returns: many("cds.Decimal") },
  },
};

const PLACES = [
  { city: "Rome", floor: 3, rooms: [1, 2], secret: true },
  { city: "Oslo", floor: null, rooms: [] },
  { city: "Bonn", floor: 1, rooms: [7] },
];

async function withValues(database: DatabaseFactory | undefined, run: (shop: Shop) => Promise<void>) {
  const shop = await openShop({
    model: MODEL,
    data: LIBRARY_ROWS,
    ...(database && { database }),
    register(service) {
      service.on("places", () => PLACES);
      service.on("move", () => PLACES);
      service.on("place", () => PLACES[0]);
      service.on("numbers", () => [7, 5, null, 6]);
      service.on("instants", () => [new Date("2020-01-01"), "2022-01-01T10:00:00.5Z"]);
      service.on("words", () => ["b", "ä", "Z", "a"]);
      service.on("amounts", () => ["0.10", 2.5, "12345678901.25"]);
    },
  });
  try {
    await run(shop);
    assert.deepEqual(shop.logged, []);
  } finally {
    await shop.close();
  }
}

const [ROME, OSLO, BONN] = PLACES.map(({ city, floor, rooms }) => ({ city, floor, rooms }));

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`options see the structures that a function returns on ${engine} (Part 1, 11.5.4.1)`, () =>
    withValues(database, (shop) =>
      expectAnswers(shop, {
        "places()?$filter=floor gt 0 and city ne 'Bonn'": { value: [ROME] },
        "places()?$filter=floor eq null": { value: [OSLO] },
        "places()?$filter=rooms/any(r:r eq 7)": { value: [BONN] },
        "places()?$filter=rooms/$count eq 2": { value: [ROME] },
        "places()?$filter=city eq $root/Authors(1)/name or $root/Books/$count gt 1&$top=1": { value: [ROME] },
        "places()?$orderby=floor desc,city": { value: [ROME, BONN, OSLO] },
        "places()?$orderby=floor": { value: [OSLO, BONN, ROME] },
        "places()?$search=OM": { value: [ROME] },
        "places()?$filter=floor ge 1&$orderby=city&$top=1&$count=true": { "@odata.count": 2, value: [BONN] },
        "places()?$orderby=city&$skip=1&$top=1": { value: [OSLO] },
        "places()?$select=city": { value: [{ city: "Rome" }, { city: "Oslo" }, { city: "Bonn" }] },
        "places()?$compute=floor mul 2 as twice&$filter=twice gt 2&$select=city,twice": {
          value: [{ city: "Rome", twice: 6 }],
        },
        "places()?$compute=floor gt 1 as high&$top=1": { value: [{ ...ROME, high: true }] },
        "place()?$select=city": { city: "Rome" },
        "place()?$compute=length(city) as letters&$select=letters": { letters: 4 },
      })));

  Deno.test(`options see the primitive values that a function returns on ${engine} (Part 1, 11.5.4.1)`, () =>
    withValues(database, (shop) =>
      expectAnswers(shop, {
        "numbers()?$filter=$this gt 5": { value: [7, 6] },
        "numbers()?$filter=$it ne null&$orderby=$it": { value: [5, 6, 7] },
        "numbers()?$orderby=$it&$top=2": { value: [null, 5] },
        "instants()?$filter=$it ge 2021-01-01T00:00:00Z": { value: ["2022-01-01T10:00:00.5Z"] },
        "instants()?$orderby=$it desc&$top=1": { value: ["2022-01-01T10:00:00.5Z"] },
        "words()?$orderby=$it": { value: ["Z", "a", "b", "ä"] },
        "words()?$filter=$it lt 'a'": { value: ["Z"] },
        "amounts()?$filter=$it ge 2.5&$orderby=$it desc": { value: [12345678901.25, 2.5] },
      })));

  Deno.test(`options of actions apply to the values they return on ${engine} (Part 1, 11.5.5.1)`, () =>
    withValues(database, async (shop) => {
      const url = "move?$filter=floor%20ge%203&$select=city";
      const { status, body } = await shop.send("POST", url, { body: {}, headers: HEADERS });
      assert.deepEqual([status, body], [200, {
        "@odata.context": "$metadata#Collection(ShopService.Place)(city)",
        value: [{ city: "Rome" }],
      }]);
    }));
}

Deno.test("what is selected of values is in the context URL (Part 1, 10.14, 10.15)", () =>
  withValues(ENGINES.memory, async (shop) => {
    const contexts: Readonly<Record<string, string>> = {
      "places()?$select=city": "Collection(ShopService.Place)(city)",
      "place()?$select=city,rooms": "ShopService.Place(city,rooms)",
      "place()?$compute=1 as one": "ShopService.Place(*,one)",
      "numbers()?$filter=$it gt 5": "Collection(Edm.Int32)",
    };
    for (const [url, fragment] of Object.entries(contexts)) {
      const { body } = await shop.send("GET", encodeURI(url), { headers: HEADERS });
      assert.equal((body as Record<string, unknown>)["@odata.context"], `$metadata#${fragment}`);
    }
  }));

Deno.test("clients of OData 4.0 get all of a structure, more than they select (Part 1, 11.2.5.1)", () =>
  withValues(ENGINES.memory, async (shop) => {
    const { body } = await shop.send("GET", "place()?$select=city");
    assert.deepEqual(body, { "@odata.context": "$metadata#ShopService.Place", ...ROME });
  }));

Deno.test("options that values do not have are refused with their place (Part 1, 11.5.4.1)", () =>
  withValues(ENGINES.memory, async (shop) => {
    const messages: Readonly<Record<string, readonly [number, RegExp]>> = {
      "places()?$filter=cty eq 'x'": [400, /no property "cty" \(offset 17\); did you mean "city"\?/],
      "places()?$select=cty": [400, /did you mean "city"\?/],
      "places()?$compute=1 as city": [400, /The name "city" is taken/],
      "numbers()?$select=x": [400, /has no properties/],
      "numbers()?$search=x": [400, /\$search needs texts/],
      "places()?$expand=x": [501, /\$expand for values that an operation returns .* \(offset 9\)/],
      "places()?$apply=identity": [501, /\$apply for values that an operation returns .* \(offset 9\)/],
    };
    for (const [url, [status, message]] of Object.entries(messages)) {
      const answer = await shop.send("GET", encodeURI(url));
      assert.equal(answer.status, status, `${url}: ${JSON.stringify(answer.body)}`);
      assert.match((answer.body as { error: { message: string } }).error.message, message, url);
    }
  }));

Deno.test("options of values need a database (Part 1, 11.2.1)", () =>
  withValues(undefined, async (shop) => {
    const { status, body } = await shop.send("GET", "places()?$orderby=city");
    assert.deepEqual([status, (body as { error: { message: string } }).error.message], [
      501,
      "Options of a result need a database",
    ]);
  }));
