import assert from "node:assert/strict";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Shop } from "./fixture_host.ts";
import { ERROR_HEADERS, JSON_HEADERS, withShop } from "./with_shop.ts";

const ENGINES = { sqlite: createSqliteDatabase, memory: createMemoryDatabase };

async function idsFor(shop: Shop, filter: string): Promise<unknown> {
  const url = `Books?$select=ID&$filter=${encodeURIComponent(filter)}`;
  const { status, headers, body } = await shop.send("GET", url);
  assert.deepEqual({ status, headers }, { status: 200, headers: JSON_HEADERS }, JSON.stringify(body));
  return (body as { value: { ID: number }[] }).value.map(({ ID }) => ID);
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`$filter looks into collections of values on ${engine}`, () =>
    withShop(async (shop) => {
      await shop.send("PATCH", "Books(201)", { body: { tags: ["new", "sale"] } });
      await shop.send("PATCH", "Books(251)", { body: { tags: ["new"] } });
      assert.deepEqual(await idsFor(shop, "tags/any(t:t eq 'sale')"), [201]);
      assert.deepEqual(await idsFor(shop, "tags/any(t:startswith(t,'ne') or t eq 'x')"), [201, 251]);
      assert.deepEqual(await idsFor(shop, "tags/any()"), [201, 251]);
      assert.deepEqual(await idsFor(shop, "tags/all(t:t eq 'new')"), [251, 252]);
      assert.deepEqual(await idsFor(shop, "not tags/any(t:t eq 'new')"), [252]);
      assert.deepEqual(await idsFor(shop, "tags/$count eq 2"), [201]);
      assert.deepEqual(await idsFor(shop, "tags/$count eq 0"), [252]);
    }, { database }));
}

Deno.test("$filter along a navigation looks into collections of values", () =>
  withShop(async (shop) => {
    await shop.send("PATCH", "Books(252)", { body: { tags: ["rare"] } });
    const url = "Authors?$select=ID&$filter=books/any(b:b/tags/any(t:t eq 'rare'))";
    const { body } = await shop.send("GET", url);
    assert.deepEqual((body as { value: unknown }).value, [{ ID: 150 }]);
  }));

Deno.test("$filter refuses a path behind a value", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("GET", "Books?$filter=tags/any(t:t/name eq 'x')"), {
      status: 400,
      headers: ERROR_HEADERS,
      body: {
        error: {
          code: "400",
          message: "Nothing can follow a value (offset 27)",
          "@Common.numericSeverity": 4,
        },
      },
    });
  }));

Deno.test("$filter and $orderby refuse a collection as value", () =>
  withShop(async (shop) => {
    for (const option of ["$filter=tags eq 'x'", "$orderby=tags      "]) {
      assert.deepEqual((await shop.send("GET", `Books?${option}`)).body, {
        error: {
          code: "400",
          message: `A primitive value is expected (offset ${option.indexOf("tags") + 6})`,
          "@Common.numericSeverity": 4,
        },
      });
    }
  }));

Deno.test("$filter names the nearest function for an unknown one", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("GET", "Books?$filter=contain(title,'x')"), {
      status: 400,
      headers: ERROR_HEADERS,
      body: {
        error: {
          code: "400",
          message:
            'Syntax error at offset 14: found "contain", expected a known function; did you mean "contains"?',
          "@Common.numericSeverity": 4,
        },
      },
    });
    assert.equal((await shop.send("GET", "Books?$filter=twin()/ID eq 1")).status, 501);
  }));
