import assert from "node:assert/strict";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Shop } from "./fixture_host.ts";
import { ERROR_HEADERS, withShop } from "./with_shop.ts";

const ENGINES = { sqlite: createSqliteDatabase, memory: createMemoryDatabase };

async function idsFor(shop: Shop, filter: string): Promise<unknown> {
  const { status, body } = await shop.send("GET", `Books?$select=ID&$filter=${encodeURIComponent(filter)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { value: { ID: number }[] }).value.map(({ ID }) => ID);
}

async function expectError(filter: string, status: number, message: string): Promise<void> {
  await withShop(async (shop) => {
    const severity = status < 500 ? { "@Common.numericSeverity": 4 } : {};
    assert.deepEqual(await shop.send("GET", `Books?$filter=${encodeURIComponent(filter)}`), {
      status,
      headers: ERROR_HEADERS,
      body: { error: { code: String(status), message, ...severity } },
    });
  });
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`cast() gives text and numbers of another type on ${engine}`, () =>
    withShop(async (shop) => {
      assert.deepEqual(await idsFor(shop, "cast(stock,Edm.String) eq '12'"), [201]);
      assert.deepEqual(await idsFor(shop, "contains(cast(ID,Edm.String),'25')"), [251, 252]);
      assert.deepEqual(await idsFor(shop, "cast(price,Edm.Int32) eq 13"), [251]);
      assert.deepEqual(await idsFor(shop, "cast(title,Edm.String) eq 'Eleonora'"), [252]);
    }, { database }));
}

Deno.test("isof() tells types of the model", () =>
  withShop(async (shop) => {
    assert.deepEqual(await idsFor(shop, "isof(ShopService.Books)"), [201, 251, 252]);
    assert.deepEqual(await idsFor(shop, "isof(ShopService.Authors)"), []);
    assert.deepEqual(await idsFor(shop, "isof(stock,Edm.Int32) and ID eq 251"), [251]);
    assert.deepEqual(await idsFor(shop, "isof(stock,Edm.String)"), []);
  }));

Deno.test("cast() and isof() refuse unknown types", async () => {
  await expectError(
    "cast(stock,Edm.Strin) eq '1'",
    400,
    'Unknown type "Edm.Strin"; did you mean "Edm.String"? (offset 14)',
  );
  await expectError("isof(ShopService.Boks)", 400, 'Unknown type "ShopService.Boks" (offset 14)');
});
