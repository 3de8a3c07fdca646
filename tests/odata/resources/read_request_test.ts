import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import type { Csn } from "../../../src/model/csn.ts";
import { SHOP } from "../fixture_model.ts";
import type { Shop } from "../fixture_host.ts";
import { withShop } from "../with_shop.ts";

const ROWS: ReadonlyMap<string, readonly Row[]> = new Map([
  ["shop.Settings", [{ ID: 1, theme: "dark" }, { ID: 2, theme: "light" }, { ID: 3, theme: "high" }]],
]);

/** The shop with rights of the singleton, whose table has three rows. */
function withSettings(restrict: readonly object[], run: (shop: Shop) => Promise<void>): Promise<void> {
  const definitions = { ...SHOP.definitions! };
  definitions["ShopService.Settings"] = {
    ...definitions["ShopService.Settings"]!,
    "@restrict": restrict,
  };
  return withShop(run, { model: { definitions } as Csn, data: ROWS });
}

const themes = async (shop: Shop) => {
  const rows = await shop.service.host.db!.run({ SELECT: { from: { ref: ["shop.Settings"] } } }) as Row[];
  return rows.toSorted((a, b) => Number(a.ID) - Number(b.ID)).map(({ theme }) => theme);
};

Deno.test("the row of a singleton that a change means is the one that reading shows (Protocol 11.4.3)", () =>
  withSettings([{ grant: ["READ", "UPDATE"], to: "any", where: "ID > 1" }], async (shop) => {
    const shown = (await shop.send("GET", "Settings")).body as Row;
    assert.equal(shown.theme, "light");
    assert.equal((await shop.send("PATCH", "Settings", { body: { theme: "blue" } })).status, 200);
    assert.deepEqual(await themes(shop), ["dark", "blue", "high"]);
    assert.equal((await shop.send("PUT", "Settings/theme", { body: { value: "red" } })).status, 200);
    assert.deepEqual(await themes(shop), ["dark", "red", "high"]);
  }));

Deno.test("who may not read a singleton may change its first row, as far as that is permitted", async () => {
  await withSettings([{ grant: "UPDATE", to: "any" }], async (shop) => {
    assert.equal((await shop.send("GET", "Settings")).status, 401);
    const minimal = { prefer: "return=minimal" };
    const { status } = await shop.send("PATCH", "Settings", { body: { theme: "blue" }, headers: minimal });
    assert.equal(status, 204);
    assert.deepEqual(await themes(shop), ["blue", "light", "high"]);
  });
  await withSettings([{ grant: ["READ", "UPDATE"], to: "any", where: "ID > 9" }], async (shop) => {
    const { status } = await shop.send("PATCH", "Settings", { body: { theme: "blue" } });
    assert.equal(status, 403);
    assert.deepEqual(await themes(shop), ["dark", "light", "high"]);
  });
});

Deno.test("where reading a singleton fails for other reasons than rights, no row of it is changed", async () => {
  await withSettings([{ grant: ["READ", "UPDATE"], to: "any" }], async (shop) => {
    let status: number;
    shop.service.before("READ", "Settings", (req) => req.reject(status, "not now"));
    for (status of [400, 409, 429, 503]) {
      const answer = await shop.send("PATCH", "Settings", {
        body: { theme: "blue" },
        headers: { prefer: "return=minimal" },
      });
      assert.equal(answer.status, status);
      assert.deepEqual(await themes(shop), ["dark", "light", "high"]);
    }
  });
});
