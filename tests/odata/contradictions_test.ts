import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import { toMany, toOne } from "./associations.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";

const key = { key: true, type: "cds.Integer" };
const text = { type: "cds.String", length: 50 };

const MODEL: Csn = {
  definitions: {
    "ShopService": { kind: "service" },
    "ShopService.Sites": { kind: "entity", elements: { country: { ...text, key: true }, no: key } },
    "ShopService.Stock": {
      kind: "entity",
      elements: {
        ID: key,
        name: text,
        site: {
          type: "cds.Association",
          target: "ShopService.Sites",
          keys: [{ ref: ["country"] }, { ref: ["no"] }],
        },
        parts: { ...toMany("parts", "ShopService.Parts", "stock"), type: "cds.Composition" },
      },
    },
    "ShopService.Parts": {
      kind: "entity",
      elements: {
        stock: { ...toOne("ShopService.Stock"), key: true },
        pos: key,
        twin: toOne("ShopService.Stock"),
      },
    },
  },
};

const ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["ShopService.Stock", [{ ID: 1 }, { ID: 2 }]],
  ["ShopService.Sites", [{ country: "DE", no: 1 }, { country: "DE", no: 2 }]],
  ["ShopService.Parts", [{ stock_ID: 1, pos: 1 }, { stock_ID: 1, pos: 2 }]],
]);

async function withStock(run: (shop: Shop) => Promise<void>): Promise<void> {
  const shop = await openShop({ model: MODEL, data: ROWS, database: ENGINES.memory! });
  try {
    await run(shop);
  } finally {
    await shop.close();
  }
}

const patch = async (shop: Shop, body: object) => {
  const answer = await shop.send("PATCH", "Stock(1)", { body });
  const { error } = answer.body as { error?: { message: string; target: string } };
  return error ? [answer.status, error.target, error.message] : answer.status;
};

Deno.test("a foreign key has one value, in whatever order and form it is given (JSON Format 8.5)", () =>
  withStock(async (shop) => {
    const site = { country: "DE", no: 1 };
    const bind = "Sites(country='DE',no=1)";
    const no = 'The values given for "site_no" contradict each other';
    const contradictions: readonly object[] = [
      { site, site_no: 2 },
      { site_no: 2, site },
      { "site@odata.bind": bind, site_no: 2 },
      { site_no: null, "site@odata.bind": bind },
      { site: null, site_no: 1 },
      { site, "site@odata.bind": "Sites(country='DE',no=2)" },
    ];
    for (const body of contradictions) {
      assert.deepEqual(await patch(shop, body), [400, "site_no", no], JSON.stringify(body));
    }
    const nested = { parts: [{ pos: 1, twin: { ID: 1 }, twin_ID: 2 }] };
    assert.deepEqual((await patch(shop, nested) as unknown[]).slice(0, 2), [400, "parts(pos=1)/twin_ID"]);
    for (
      const body of [{ site, site_no: 1 }, { site_country: "DE", "site@odata.bind": bind }, {
        site,
        site_country: "DE",
      }]
    ) {
      assert.equal(await patch(shop, body), 200, JSON.stringify(body));
    }
    const { body } = await shop.send("GET", "Stock(1)?$select=site_country,site_no");
    assert.deepEqual([(body as Row).site_country, (body as Row).site_no], ["DE", 1]);
  }));

Deno.test("what changes of a composition remove needs its keys (JSON Format 4.01 8.4)", () =>
  withStock(async (shop) => {
    const found = [400, "parts[0]", '"parts@delta" needs the keys of each row'];
    for (const removed of [{ "@removed": {} }, { "@removed": {}, pos: null }]) {
      assert.deepEqual(await patch(shop, { "parts@delta": [removed] }), found);
    }
    assert.equal(await patch(shop, { "parts@delta": [{ "@removed": {}, pos: 2 }] }), 200);
    assert.equal((await shop.send("GET", "Stock(1)/parts/$count")).body, "1");
  }));

Deno.test("a link of what is no navigation property is told as such (JSON Format 8.5)", () =>
  withStock(async (shop) => {
    assert.deepEqual(await patch(shop, { "name@odata.bind": "Stock(2)" }), [
      400,
      "ShopService.Stock",
      'Navigation property "name" does not exist in ShopService.Stock',
    ]);
    const [, , message] = await patch(shop, { "sit@odata.bind": "Sites(1)" }) as string[];
    assert.equal(
      message,
      'Navigation property "sit" does not exist in ShopService.Stock, did you mean "site"',
    );
  }));
