import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import { toMany, toOne } from "./associations.ts";
import { ENGINES } from "./engines.ts";
import { openShop } from "./fixture_host.ts";

const key = { key: true, type: "cds.Integer" };
const parts = (name: string, target: string) => ({
  ...toMany(name, target, "order"),
  type: "cds.Composition",
});

const MODEL: Csn = {
  definitions: {
    "ShopService": { kind: "service" },
    "ShopService.Orders": {
      kind: "entity",
      elements: {
        ID: key,
        items: parts("items", "ShopService.Items"),
        notes: parts("notes", "ShopService.Notes"),
        box: { ...toOne("ShopService.Boxes"), type: "cds.Composition" },
      },
    },
    "ShopService.Items": {
      kind: "entity",
      elements: { order: { ...toOne("ShopService.Orders"), key: true }, pos: key },
    },
    "ShopService.Notes": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.UUID" }, order: toOne("ShopService.Orders") },
    },
    "ShopService.Boxes": { kind: "entity", elements: { ID: key } },
  },
};

const NOTE = "11111111-1111-4111-8111-111111111111";
const ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["ShopService.Orders", [{ ID: 1 }, { ID: 2 }]],
  ["ShopService.Notes", [{ ID: NOTE, order_ID: 1 }]],
]);

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`members of a collection get parts of their own by /$each, or none, on ${engine} (Protocol 11.4.13)`, async () => {
    const shop = await openShop({ model: MODEL, data: ROWS, database });
    const patch = async (body: object) => {
      const answer = await shop.send("PATCH", "Orders/$each", { body });
      const { error } = (answer.body ?? {}) as { error?: { message: string } };
      return error ? [answer.status, error.message] : answer.status;
    };
    const count = async (path: string) => (await shop.send("GET", `${path}/$count`)).body;
    try {
      for (const [name, value] of Object.entries({ notes: [{}], box: { ID: 1 } })) {
        const message = `"${name}" of several entities cannot be written by "/$each"`;
        assert.deepEqual(await patch({ [name]: value }), [501, message]);
      }
      assert.equal(await patch({ items: [{ pos: 1 }, { pos: 2 }] }), 204);
      assert.deepEqual([await count("Orders(1)/items"), await count("Orders(2)/items")], ["2", "2"]);
      assert.equal(await patch({ notes: [] }), 204);
      assert.equal(await count("Notes"), "0");
      assert.deepEqual(shop.logged, []);
    } finally {
      await shop.close();
    }
  });
}
