import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { openShop } from "./fixture_host.ts";

const MODEL = {
  definitions: {
    "ShopService": { kind: "service" as const },
    "ShopService.Tasks": {
      kind: "entity" as const,
      elements: { ID: { key: true, type: "cds.UUID" }, title: { type: "cds.String" } },
    },
  },
};

/** As initial data of existing projects has them. */
const ID = "t1x2y3z4-1111-1111-1111-11111111111z";

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`what initial data has as UUID has an address, whatever its letters, on ${engine}`, async () => {
    const shop = await openShop({
      model: MODEL,
      data: new Map([["ShopService.Tasks", [{ ID, title: "a" }]]]),
      database,
    });
    try {
      for (const address of [`Tasks(${ID})`, `Tasks(ID=${ID})`, `Tasks/${ID}`]) {
        const { status, body } = await shop.send("GET", address);
        assert.equal(status, 200, `${address}: ${JSON.stringify(body)}`);
      }
      const found = await shop.send(
        "GET",
        `Tasks?$filter=ID%20eq%20${ID}%20or%20ID%20in%20(${ID})&$select=title`,
      );
      assert.deepEqual((found.body as { value: unknown }).value, [{ ID, title: "a" }]);
      assert.equal((await shop.send("PATCH", `Tasks(${ID})`, { body: { title: "b" } })).status, 200);
      // others are none, and new ones are as the type says
      assert.equal((await shop.send("GET", `Tasks(${ID.replace("t", "s")})`)).status, 404);
      for (const address of ["Tasks(t1x2)", `Tasks(${ID}0)`, "Tasks('a')"]) {
        const { status } = await shop.send("GET", address);
        assert.ok(status === 400 || status === 404, `${address}: ${status}`);
      }
      assert.equal((await shop.send("POST", "Tasks", { body: { ID } })).status, 400);
    } finally {
      await shop.close();
    }
  });
}
