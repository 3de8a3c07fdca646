import assert from "node:assert/strict";
import type { Csn } from "../../src/model/csn.ts";
import { ENGINES } from "./engines.ts";
import type { Shop } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

const key = { key: true, type: "cds.Integer" };
const toOne = (target: string) => ({ type: "cds.Association", target, keys: [{ ref: ["ID"] }] });
const toMany = (type: string, name: string, target: string, back: string) => ({
  type,
  cardinality: { max: "*" as const },
  target,
  on: [{ ref: [name, back] }, "=", { ref: ["$self"] }],
});

/** Lists with items, and notes that items refer to. */
const MODEL: Csn = {
  definitions: {
    "ShopService": { kind: "service" },
    "ShopService.Lists": {
      kind: "entity",
      elements: { ID: key, items: toMany("cds.Composition", "items", "ShopService.Items", "list") },
    },
    "ShopService.Items": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.UUID" },
        list: toOne("ShopService.Lists"),
        notes: toMany("cds.Association", "notes", "ShopService.Notes", "item"),
      },
    },
    "ShopService.Notes": { kind: "entity", elements: { ID: key, item: toOne("ShopService.Items") } },
  },
};

const DATA = new Map([["ShopService.Notes", [{ ID: 1 }, { ID: 2 }, { ID: 3 }]]]);
const ITEM = "00000000-0000-4000-8000-000000000001";

async function notes(shop: Shop): Promise<unknown> {
  const { body } = await shop.send("GET", "Notes?$filter=item_ID ne null&$select=ID&$orderby=ID");
  return (body as { value: { ID: number }[] }).value.map(({ ID }) => ID);
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`rows nested in a body bind and part rows of their own (JSON 8.5, Protocol 11.4.2.1, ${engine})`, () =>
    withShop(async (shop) => {
      const items = [{ "notes@odata.bind": ["Notes(1)"] }, { "ID": ITEM, "notes@bind": ["Notes(2)"] }];
      assert.equal((await shop.send("POST", "Lists", { body: { ID: 1, items } })).status, 201);
      assert.deepEqual(await notes(shop), [1, 2]);
      const change = { "ID": ITEM, "notes@delta": [{ "@id": "Notes(3)" }, { "@removed": {}, "ID": 2 }] };
      assert.equal((await shop.send("PATCH", "Lists(1)", { body: { "items@delta": [change] } })).status, 200);
      assert.deepEqual(await notes(shop), [1, 3]);
      const wrong = { "ID": ITEM, "notes@bind": ["Notes(9)"] };
      assert.equal((await shop.send("PATCH", "Lists(1)", { body: { "items@delta": [wrong] } })).status, 404);
    }, { database, model: MODEL, data: DATA }));
}
