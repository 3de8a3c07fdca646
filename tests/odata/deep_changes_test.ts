import assert from "node:assert/strict";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Shop } from "./fixture_host.ts";
import { JSON_HEADERS, withShop } from "./with_shop.ts";

const ENGINES = { sqlite: createSqliteDatabase, memory: createMemoryDatabase };
const ORDER = "Orders(00000000-0000-4000-8000-000000000001)";

async function itemsOf(shop: Shop): Promise<unknown> {
  const { body } = await shop.send("GET", `${ORDER}/items?$select=ID,pos&$orderby=ID`);
  return (body as { value: unknown }).value;
}

async function booksOf(shop: Shop, author: number): Promise<unknown> {
  const { body } = await shop.send("GET", `Authors(${author})/books?$select=ID&$orderby=ID`);
  return (body as { value: { ID: number }[] }).value.map(({ ID }) => ID);
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`PATCH with @delta changes, adds and removes the children named on ${engine}`, () =>
    withShop(async (shop) => {
      const changes = [
        { ID: 1, pos: 10 },
        { "@removed": { reason: "deleted" }, ID: 2 },
        { ID: 3, pos: 30 },
      ];
      assert.equal((await shop.send("PATCH", ORDER, { body: { "items@delta": changes } })).status, 200);
      assert.deepEqual(await itemsOf(shop), [{ ID: 1, pos: 10 }, { ID: 3, pos: 30 }]);
      const links = [{ "@id": "Items(3)", pos: 31 }, { "@odata.removed": {}, "@odata.id": "Items(1)" }];
      assert.equal((await shop.send("PATCH", ORDER, { body: { "items@odata.delta": links } })).status, 200);
      assert.deepEqual(await itemsOf(shop), [{ ID: 3, pos: 31 }]);
    }, { database }));

  Deno.test(`PATCH with @delta leaves children alone that it does not name on ${engine}`, () =>
    withShop(async (shop) => {
      await shop.send("PATCH", ORDER, { body: { "items@delta": [{ ID: 2, pos: 20 }] } });
      assert.deepEqual(await itemsOf(shop), [{ ID: 1, pos: 1 }, { ID: 2, pos: 20 }]);
      await shop.send("PATCH", ORDER, { body: { "items@delta": [] } });
      assert.deepEqual(await itemsOf(shop), [{ ID: 1, pos: 1 }, { ID: 2, pos: 20 }]);
    }, { database }));
}

Deno.test("@odata.bind links a new row with rows there are", () =>
  withShop(async (shop) => {
    const body = { ID: 7, name: "Anne", "books@odata.bind": ["Books(201)", "Books(252)"] };
    assert.deepEqual(await shop.send("POST", "Authors", { body }), {
      status: 201,
      headers: { ...JSON_HEADERS, location: "Authors(7)" },
      body: { "@odata.context": "$metadata#Authors/$entity", ID: 7, name: "Anne" },
    });
    assert.deepEqual(await booksOf(shop, 7), [201, 252]);
    assert.deepEqual(await booksOf(shop, 150), [251]);
  }));

Deno.test("@bind adds links of an existing row", () =>
  withShop(async (shop) => {
    await shop.send("PATCH", "Authors(101)", { body: { "books@bind": ["Books(252)"] } });
    assert.deepEqual(await booksOf(shop, 101), [201, 252]);
  }));

Deno.test("@odata.bind of a missing row changes nothing", () =>
  withShop(async (shop) => {
    const body = { ID: 7, name: "Anne", "books@odata.bind": ["Books(201)", "Books(999)"] };
    assert.equal((await shop.send("POST", "Authors", { body })).status, 404);
    assert.equal((await shop.send("GET", "Authors(7)")).status, 404);
    assert.deepEqual(await booksOf(shop, 101), [201]);
  }));

Deno.test("@odata.bind and @delta refuse what is no array, and places they do not work at", () =>
  withShop(async (shop) => {
    const error = async (url: string, body: unknown) => {
      const answer = await shop.send("PATCH", url, { body });
      return { status: answer.status, ...(answer.body as { error: object }).error };
    };
    const severity = { "@Common.numericSeverity": 4 };
    assert.deepEqual(await error(ORDER, { "items@delta": { ID: 1 } }), {
      status: 400,
      code: "ASSERT_ARRAY",
      message: "An array is expected",
      target: "items",
      ...severity,
    });
    assert.deepEqual(await error("Authors(101)", { "books@odata.bind": [1] }), {
      status: 400,
      code: "ASSERT_DATA_TYPE",
      message: "1 is not a value of type link",
      target: "books",
      ...severity,
    });
    assert.deepEqual(await error("Books(201)", { "author@delta": [] }), {
      status: 501,
      code: "501",
      message: '"author@delta" is not supported here',
    });
  }));

Deno.test("links that address no entity of the target are refused with the property", () =>
  withShop(async (shop) => {
    const refusal = async (body: unknown) => (await shop.send("POST", "Books", { body })).body;
    const expected = (link: string, target: string) => ({
      error: {
        code: "400",
        message: `"${link}" does not address an entity of ShopService.Authors`,
        target,
        "@Common.numericSeverity": 4,
      },
    });
    for (const link of ["Books(201)", "Authors", "Nowhere(1)", "Authors('", "$9", ""]) {
      const body = { ID: 9, title: "x", "author@odata.bind": link };
      assert.deepEqual(await refusal(body), expected(link, "author"), link);
    }
    const nested = { ID: 9, title: "x", author: { "@id": "Books(201)" } };
    assert.deepEqual(await refusal(nested), expected("Books(201)", "author"));
  }));
