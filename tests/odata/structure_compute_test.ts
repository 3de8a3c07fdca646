import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { toMany, toOne } from "./associations.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";

const key = { key: true, type: "cds.Integer" };
const integer = { type: "cds.Integer" };
const text = { type: "cds.String", length: 40 };

const MODEL = {
  definitions: {
    "ShopService.house": { kind: "function", returns: { type: "ShopService.Houses" } },
    "ShopService": { kind: "service" },
    "ShopService.Place": {
      kind: "type",
      elements: { city: text, floor: integer, plan: { elements: { rooms: integer, doors: integer } } },
    },
    "ShopService.Houses": {
      kind: "entity",
      elements: {
        ID: key,
        name: text,
        size: {
          "@odata.nested": true,
          elements: {
            width: integer,
            depth: integer,
            built: { type: "cds.Date" },
            roof: { elements: { height: integer, name: text } },
          },
        },
        places: { items: { type: "ShopService.Place" } },
        street: toOne("ShopService.Streets"),
      },
    },
    "ShopService.Streets": {
      kind: "entity",
      elements: { ID: key, houses: toMany("houses", "ShopService.Houses", "street") },
    },
  },
} as unknown as Csn; // parsed CSN

const ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["ShopService.Streets", [{ ID: 1 }]],
  ["ShopService.Houses", [
    {
      ID: 1,
      name: "Villa",
      size_width: 10,
      size_depth: 20,
      size_built: "1999-12-31",
      size_roof_height: 3,
      size_roof_name: "Gable",
      places: [{ city: "Oslo", floor: 2, plan: { rooms: 4, doors: 5 } }, { city: "Rome", floor: null }],
      street_ID: 1,
    },
    { ID: 2, name: "Hut" },
  ]],
]);

async function withHouses(database: DatabaseFactory, run: (shop: Shop) => Promise<void>): Promise<void> {
  const shop = await openShop({
    model: MODEL,
    data: ROWS,
    database,
    register: (service) => service.on("house", () => ({ ID: 7, size: { width: 2, depth: 3 } })),
  });
  try {
    await run(shop);
    assert.deepEqual(shop.logged, []);
  } finally {
    await shop.close();
  }
}

const ALL = { width: 10, depth: 20, built: "1999-12-31", roof: { height: 3, name: "Gable" } };

/** Bodies without context. */
const BODIES: Readonly<Record<string, unknown>> = {
  "Houses(1)?$select=size($compute=width mul depth as area)": { ID: 1, size: { ...ALL, area: 200 } },
  "Houses(1)?$select=size($compute=width mul depth as area;$select=area)": { ID: 1, size: { area: 200 } },
  "Houses(1)?$select=name,size($compute=width add roof/height as high,roof/name eq 'Gable' as pointed;$select=depth,high,pointed)":
    { ID: 1, name: "Villa", size: { depth: 20, high: 13, pointed: true } },
  "Houses(1)?$select=size($compute=year(built) as year,width as name,year sub width as less;$select=name,less)":
    { ID: 1, size: { name: 10, less: 1989 } },
  "Houses(1)?$select=size($compute=concat($it/name,roof/name) as both;$select=both)": {
    ID: 1,
    size: { both: "VillaGable" },
  },
  "Houses(1)?$select=size($compute=width add @two as more;$select=more)&@two=2": {
    ID: 1,
    size: { more: 12 },
  },
  "Houses(2)?$select=size($compute=width mul depth as area)": { ID: 2, size: null },
  "Houses?$select=size($compute=width mul depth as area;$select=area)&$orderby=ID desc": {
    value: [{ ID: 2, size: null }, { ID: 1, size: { area: 200 } }],
  },
  "Streets(1)?$expand=houses($select=size($compute=width mul 2 as double;$select=double))": {
    ID: 1,
    houses: [{ ID: 1, size: { double: 20 } }],
  },
  "Houses(1)/size?$compute=width mul depth as area": { ...ALL, area: 200 },
  "Houses(1)/size?$compute=width mul depth as area,area div 2 as half&$select=half,width": {
    width: 10,
    half: 100,
  },
  "Houses(1)/size/roof?$compute=height mul 2 as twice,tolower(name) as small&$select=twice,small": {
    twice: 6,
    small: "gable",
  },
  "Houses(1)/places/0?$compute=floor mul 10 as high&$select=city,high": { city: "Oslo", high: 20 },
  "Houses(1)/places/0?$compute=plan/rooms add floor as n&$select=n": { n: 6 },
  "Houses(1)/places/0/plan?$compute=rooms mul doors as product": { rooms: 4, doors: 5, product: 20 },
  "house()?$select=size($compute=width mul depth as area;$select=width,area)": {
    ID: 7,
    size: { width: 2, area: 6 },
  },
  "Houses(1)/places/1?$compute=floor mul 10 as high": { city: "Rome", floor: null, high: null },
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`$compute adds properties to a structure of a row, on ${engine} (URL 5.1.5, Protocol 11.2.5.3)`, () =>
    withHouses(database, async (shop) => {
      for (const [url, expected] of Object.entries(BODIES)) {
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
        const { "@odata.context": _context, ...rest } = body as Record<string, unknown>;
        assert.deepEqual(rest, expected, url);
      }
      assert.equal((await shop.send("GET", "Houses(2)/size?$compute=1%20as%20one")).status, 204);
    }));
}

Deno.test("$compute of a structure that makes no sense is refused with its place (URL 5.1.5)", () =>
  withHouses(ENGINES.memory!, async (shop) => {
    const messages: Readonly<Record<string, readonly [number, RegExp]>> = {
      "Houses?$select=size($compute=1 as width)": [400, /The name "width" is taken \(offset \d+\)/],
      "Houses?$select=size($compute=ID as x)": [400, /no property "ID"/],
      "Houses?$select=size($compute=width as w;$select=x)": [400, /no property "x"/],
      "Houses?$select=size($compute=width as w;$filter=w gt 1)": [400, /\$filter needs a collection/],
      "Houses?$select=size/roof($compute=height as h)": [501, /\$compute of this structure/],
      "Houses(1)/name?$compute=1 as one": [400, /\$compute is not allowed for a single value/],
      "Houses(1)/places/-1?$compute=1 as one": [501, /\$compute of this property/],
    };
    for (const [url, [status, message]] of Object.entries(messages)) {
      const answer = await shop.send("GET", encodeURI(url));
      assert.equal(answer.status, status, `${url}: ${JSON.stringify(answer.body)}`);
      assert.match((answer.body as { error: { message: string } }).error.message, message, url);
    }
  }));
