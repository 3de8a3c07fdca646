import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { toOne } from "./associations.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";

const key = { key: true, type: "cds.String", length: 10 };
const text = { type: "cds.String", length: 10 };

/** A tree of nodes with names. */
const tree = (name: string, qualifier: string) => ({
  kind: "entity" as const,
  [`@Aggregation.RecursiveHierarchy#${qualifier}`]: {
    NodeProperty: { "=": "ID" },
    ParentNavigationProperty: { "=": "up" },
  },
  elements: { ID: key, name: text, up: toOne(name) },
});

const MODEL: Csn = {
  definitions: {
    "ShopService": { kind: "service" },
    "ShopService.Areas": tree("ShopService.Areas", "A"),
    "ShopService.Items": tree("ShopService.Items", "I"),
    "ShopService.Sales": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        area: toOne("ShopService.Areas"),
        item: toOne("ShopService.Items"),
        year: { type: "cds.Integer" },
        amount: { type: "cds.Integer" },
      },
    },
  },
};

const ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["ShopService.Areas", [
    { ID: "EU", name: "Europe" },
    { ID: "DE", name: "Germany", up_ID: "EU" },
    { ID: "FR", name: "France", up_ID: "EU" },
  ]],
  ["ShopService.Items", [{ ID: "all", name: "All" }, { ID: "tea", name: "Tea", up_ID: "all" }]],
  ["ShopService.Sales", [
    { ID: 1, area_ID: "DE", item_ID: "tea", year: 1, amount: 1 },
    { ID: 2, area_ID: "DE", item_ID: "all", year: 1, amount: 2 },
    { ID: 3, area_ID: "EU", item_ID: "tea", year: 2, amount: 4 },
  ]],
]);

async function withSales(
  database: DatabaseFactory,
  run: (shop: Shop) => Promise<void>,
  limits = {},
): Promise<void> {
  const shop = await openShop({ model: MODEL, data: ROWS, database, limits });
  try {
    await run(shop);
    assert.deepEqual(shop.logged, []);
  } finally {
    await shop.close();
  }
}

const AREAS = "rolluprecursive($root/Areas,A,area/ID)";
const ITEMS = "rolluprecursive($root/Items,I,item/ID)";
const of = (area: string, item: string, more: object) => ({
  area: { ID: area },
  item: { ID: item },
  ...more,
});
const SELECT = "&$select=area/ID,item/ID,T&$orderby=area/ID,item/ID";

const GROUPS: Readonly<Record<string, readonly unknown[]>> = {
  // each node of one beside each node of the other, those without instances, too
  [`groupby((${AREAS},${ITEMS}),aggregate(amount with sum as T))${SELECT}`]: [
    of("DE", "all", { T: 3 }),
    of("DE", "tea", { T: 1 }),
    of("EU", "all", { T: 7 }),
    of("EU", "tea", { T: 5 }),
    of("FR", "all", { T: null }),
    of("FR", "tea", { T: null }),
  ],
  // with other properties only groups that have instances
  [`groupby((${AREAS},year,${ITEMS}),aggregate(amount with sum as T))/filter(item/ID eq 'tea')&$select=area/ID,item/ID,year,T&$orderby=area/ID,year`]:
    [
      of("DE", "tea", { year: 1, T: 1 }),
      of("EU", "tea", { year: 1, T: 1 }),
      of("EU", "tea", { year: 2, T: 4 }),
    ],
  [`groupby((${AREAS},${ITEMS}),filter(area eq Aggregation.rollupnode() and item eq Aggregation.rollupnode(Position=2))/aggregate(amount with sum as T))/filter(T gt 0)${SELECT}`]:
    [of("DE", "all", { T: 2 }), of("DE", "tea", { T: 1 }), of("EU", "tea", { T: 4 })],
  [`groupby((${ITEMS},${AREAS}),filter(item eq Aggregation.rollupnode(Position=1))/aggregate(amount with sum as T))/filter(T gt 0)${SELECT}`]:
    [
      of("DE", "all", { T: 2 }),
      of("DE", "tea", { T: 1 }),
      of("EU", "all", { T: 2 }),
      of("EU", "tea", { T: 5 }),
    ],
  [`groupby((${AREAS},${ITEMS}),aggregate($count as T))/aggregate(T with sum as S,$count as N)`]: [
    { S: 8, N: 6 },
  ],
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`several rolluprecursive make a group for a node of each hierarchy, on ${engine} (Aggregation 6.3)`, () =>
    withSales(database, async (shop) => {
      for (const [apply, expected] of Object.entries(GROUPS)) {
        const { status, body } = await shop.send("GET", encodeURI(`Sales?$apply=${apply}`));
        assert.equal(status, 200, `${apply}: ${JSON.stringify(body)}`);
        assert.deepEqual((body as { value: unknown }).value, expected, apply);
      }
    }));
}

Deno.test("the position of a hierarchy is part of what a URL means (Aggregation 6.3)", () =>
  withSales(ENGINES.memory!, async (shop) => {
    const send = async (position: number) => {
      const filter = `filter(item eq Aggregation.rollupnode(Position=${position}))`;
      const url = `Sales?$apply=groupby((${AREAS},${ITEMS}),${filter})`;
      const { status, body } = await shop.send("GET", encodeURI(url));
      return [status, (body as { error?: { message: string } }).error?.message];
    };
    assert.deepEqual((await send(2))[0], 200);
    const other = "Instances of the same type are compared with each other only (offset 115)";
    assert.deepEqual(await send(1), [400, other]);
    assert.deepEqual(await send(3), [400, "There are 2 hierarchies here (offset 120)"]);
    assert.deepEqual((await send(2))[0], 200);
  }));

Deno.test("nodes beside nodes are bounded (fw.limits.hierarchyNodes)", () =>
  withSales(ENGINES.memory!, async (shop) => {
    const both = await shop.send("GET", encodeURI(`Sales?$apply=groupby((${AREAS},${ITEMS}))`));
    assert.equal(both.status, 400);
    const { message } = (both.body as { error: { message: string } }).error;
    assert.equal(message, "The hierarchies, beside each other, have more than 5 nodes");
    assert.equal((await shop.send("GET", encodeURI(`Sales?$apply=groupby((${AREAS}))`))).status, 200);
  }, { hierarchyNodes: 5 }));
