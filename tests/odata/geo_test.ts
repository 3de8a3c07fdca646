import assert from "node:assert/strict";
import fc from "fast-check";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import { propertyRuns } from "../property_runs.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";

const geo = (shape: string) => ({
  type: "cds.Map",
  "@odata.Type": `Edm.Geography${shape}`,
  "@odata.SRID": 4326,
});

const MODEL: Csn = {
  definitions: {
    ShopService: { kind: "service" },
    "ShopService.Places": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        name: { type: "cds.String" },
        at: geo("Point"),
        way: geo("LineString"),
        area: geo("Polygon"),
      },
    },
  },
};

const point = (...coordinates: unknown[]) => ({ type: "Point", coordinates });
const line = (...coordinates: unknown[]) => ({ type: "LineString", coordinates });
const polygon = (...coordinates: unknown[]) => ({ type: "Polygon", coordinates });
const SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]];
const HOLE = [[4, 4], [6, 4], [6, 6], [4, 6], [4, 4]];

const ROWS: readonly Row[] = [
  { ID: 1, at: point(0, 0), way: line([0, 0], [0, 1], [1, 1]), area: polygon(SQUARE, HOLE) },
  { ID: 2, at: point(-122.3321, 47.6062), way: line([0, 0], [180, 0]), area: polygon(SQUARE) },
  { ID: 3, at: point(13.4, 52.5, 34), way: point(1, 2), area: polygon() },
  { ID: 4 },
  { ID: 5, at: point("x", 1), way: line([1]), area: polygon([["x"]]) },
  { ID: 6, at: line([1, 1], [2, 2]), way: line(), area: polygon(SQUARE, "x") },
  { ID: 7, at: point(1e7, 1), way: line(["x", 1], [2, 2]), area: { type: "Polygon", coordinates: { a: 1 } } },
] as unknown as readonly Row[];

async function onEachEngine(run: (shops: readonly Shop[]) => Promise<void>): Promise<void> {
  const shops: Shop[] = [];
  try {
    for (const database of Object.values(ENGINES)) {
      shops.push(await openShop({ model: MODEL, data: new Map([["ShopService.Places", ROWS]]), database }));
    }
    await run(shops);
    for (const { logged } of shops) assert.deepEqual(logged, []);
  } finally {
    for (const shop of shops) await shop.close();
  }
}

async function valuesOf(shop: Shop, expression: string): Promise<readonly unknown[]> {
  const url = `Places?$compute=${encodeURIComponent(expression)} as x&$select=x`;
  const { status, body } = await shop.send("GET", url);
  assert.equal(status, 200, `${expression} ${JSON.stringify(body)}`);
  return (body as { value: { x: unknown }[] }).value.map(({ x }) => x);
}

async function idsOf(shop: Shop, condition: string): Promise<readonly unknown[]> {
  const { status, body } = await shop.send(
    "GET",
    `Places?$filter=${encodeURIComponent(condition)}&$select=ID`,
  );
  assert.equal(status, 200, `${condition} ${JSON.stringify(body)}`);
  return (body as { value: { ID: unknown }[] }).value.map(({ ID }) => ID);
}

const text = (shape: string, value: string) => `geography'SRID=4326;${shape}(${value})'`;

Deno.test("geo functions give the same values on each engine (Part 2, 5.1.1.11)", () =>
  onEachEngine(async (shops) => {
    for (const shop of shops) {
      const origin = text("Point", "0 0");
      const [zero, seattle, berlin, ...none] = await valuesOf(shop, `geo.distance(at,${origin})`);
      assert.deepEqual([zero, ...none], [0, null, null, null, null]);
      assert.ok(Math.abs(Number(seattle) - 12_347_000) < 300_000, String(seattle));
      assert.ok(Math.abs(Number(berlin) - 5_960_000) < 100_000, String(berlin));
      const lengths = await valuesOf(shop, "geo.length(way)");
      assert.ok(Math.abs(Number(lengths[0]) - 222_373) < 100, String(lengths[0]));
      assert.ok(Math.abs(Number(lengths[1]) - 20_015_115) < 10, String(lengths[1]));
      assert.deepEqual(lengths.slice(2), [null, null, null, null, null]);
      assert.deepEqual(await idsOf(shop, `geo.intersects(${text("Point", "5 5")},area)`), [2, 6]);
      assert.deepEqual(await idsOf(shop, `geo.intersects(${text("Point", "1 1")},area)`), [1, 2, 6]);
      assert.deepEqual(await idsOf(shop, `not geo.intersects(${text("Point", "11 1")},area)`), [1, 2, 3, 6]);
      const square = text("Polygon", "(-1 -1,1 -1,1 1,-1 1,-1 -1)");
      assert.deepEqual(await idsOf(shop, `geo.intersects(at,${square})`), [1]);
      assert.deepEqual(await idsOf(shop, `geo.distance(at,${origin}) lt 7000000 and ID gt 1`), [3]);
      assert.deepEqual(await idsOf(shop, `geo.length(${text("LineString", "0 0,0 1")}) gt 111194`), [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
      ]);
      assert.deepEqual(await idsOf(shop, "geo.distance(at,null) gt 1"), []);
    }
  }));

Deno.test("geo functions refuse what is no geography value (Part 2, 5.1.1.11)", () =>
  onEachEngine(async (shops) => {
    for (const shop of shops) {
      const status = async (condition: string) =>
        (await shop.send("GET", `Places?$filter=${encodeURIComponent(condition)}`)).status;
      assert.equal(await status("geo.distance(name,at) gt 1"), 400);
      assert.equal(await status("geo.distance(at,'x') gt 1"), 400);
      assert.equal(await status("geo.length(ID) gt 1"), 400);
      assert.equal(await status("geo.distance(at,geometry'SRID=0;Point(1 2)') gt 1"), 501);
      assert.equal(await status("geo.length(geography'SRID=0;MultiPoint((1 2))') gt 1"), 501);
    }
  }));

const degrees = fc.double({ min: -180, max: 180, noNaN: true }).map((value) => Number(value.toFixed(6)));
const places = (minLength: number) =>
  fc.array(fc.tuple(degrees, degrees), { minLength, maxLength: 6 }).map((list) =>
    list.map((pair) => pair.join(" ")).join(",")
  );

Deno.test("random places have the same distances and lie in the same areas on each engine (Part 2, 5.1.1.11)", () =>
  onEachEngine(async (shops) => {
    const property = fc.asyncProperty(places(1), places(2), places(4), async (one, way, ring) => {
      const at = text("Point", one.split(",")[0]!);
      for (
        const expression of [
          `geo.distance(at,${at})`,
          `geo.length(${text("LineString", way)})`,
          `geo.intersects(${at},${text("Polygon", `(${ring})`)})`,
          `geo.intersects(at,${text("Polygon", `(${ring})`)})`,
        ]
      ) {
        const [first, ...others] = await Promise.all(shops.map((shop) => valuesOf(shop, expression)));
        for (const other of others) {
          for (const [index, value] of first!.entries()) {
            const found = other[index];
            const isNear = typeof value === "number" && typeof found === "number" &&
              Math.abs(value - found) <= 0.001001;
            assert.ok(isNear || value === found, `${expression} ${value} ${found}`);
          }
        }
      }
    });
    await fc.assert(property, propertyRuns(12, 3));
  }));
