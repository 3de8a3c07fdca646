import assert from "node:assert/strict";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Shop } from "./fixture_host.ts";
import { SHOP } from "./fixture_model.ts";
import { ERROR_HEADERS, withShop } from "./with_shop.ts";

const books = SHOP.definitions!["shop.Books"]!;
const stock = {
  type: "cds.Integer",
  enum: { None: { val: 0 }, Red: { val: 1 }, Green: { val: 2 }, Blue: { val: 4 } },
};
const title = { type: "cds.String", enum: { Raven: { val: "The Raven" } } };
const MODEL = {
  definitions: {
    ...SHOP.definitions,
    "shop.Books": { ...books, elements: { ...books.elements, stock, title } },
  },
};

async function idsFor(shop: Shop, filter: string): Promise<unknown> {
  const { status, body } = await shop.send("GET", `Books?$select=ID&$filter=${encodeURIComponent(filter)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { value: { ID: number }[] }).value.map(({ ID }) => ID);
}

for (
  const [engine, database] of Object.entries({ sqlite: createSqliteDatabase, memory: createMemoryDatabase })
) {
  Deno.test(`has finds the flags of an enumeration on ${engine}`, () =>
    withShop(async (shop) => {
      // stock is 12, 333 and 555
      assert.deepEqual(await idsFor(shop, "stock has 'Blue'"), [201, 251]);
      assert.deepEqual(await idsFor(shop, "stock has ShopService.Color'Red'"), [251, 252]);
      assert.deepEqual(await idsFor(shop, "stock has 'Red,Blue'"), [251]);
      assert.deepEqual(await idsFor(shop, "not (stock has 'Red')"), [201]);
      assert.deepEqual(await idsFor(shop, "stock has 'None'"), [201, 251, 252]);
      assert.deepEqual(await idsFor(shop, "stock has 2"), [252]);
      assert.deepEqual(await idsFor(shop, "title has 'Raven' or ID eq 201"), [201, 251]);
      await shop.send("PATCH", "Books(201)", { body: { stock: null } });
      assert.deepEqual(await idsFor(shop, "not (stock has 'Blue')"), [201, 252]);
    }, { database, model: MODEL }));
}

Deno.test("has refuses what is no enumeration or no member of it", () =>
  withShop(async (shop) => {
    const refusal = async (filter: string) => {
      const answer = await shop.send("GET", `Books?$filter=${encodeURIComponent(filter)}`);
      assert.deepEqual(answer.headers, ERROR_HEADERS);
      return { status: answer.status, ...(answer.body as { error: object }).error };
    };
    const severity = { "@Common.numericSeverity": 4 };
    assert.deepEqual(await refusal("ID has 'Blue'"), {
      status: 400,
      code: "400",
      message: 'The operator "has" needs an enumeration (offset 25)',
      ...severity,
    });
    assert.deepEqual(await refusal("stock has null"), {
      status: 400,
      code: "400",
      message: "A member of the enumeration is expected (offset 28)",
      ...severity,
    });
    assert.equal((await refusal("stock has 'Pink'")).status, 400);
    assert.equal((await refusal("stock has 4294967296")).status, 400);
    assert.equal((await refusal("stock has -1")).status, 400);
  }, { model: MODEL }));
