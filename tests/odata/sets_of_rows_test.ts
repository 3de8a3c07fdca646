import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { SHOP } from "./fixture_model.ts";
import type { Shop } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

async function stocks(shop: Shop): Promise<unknown> {
  const { body } = await shop.send("GET", "Books?$select=ID,stock&$orderby=ID");
  return (body as { value: { ID: number; stock: number }[] }).value.map(({ ID, stock }) => [ID, stock]);
}

const REPRESENTATION = { prefer: "return=representation" };
const MANY = encodeURIComponent("stock gt 100");

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`PATCH of $each changes the rows that the path filters (Protocol 11.4.13, ${engine})`, () =>
    withShop(async (shop) => {
      const url = `Books/$filter(${MANY})/$each`;
      const answer = await shop.send("PATCH", url, { body: { ID: 5, stock: 1 } });
      assert.deepEqual([answer.status, answer.body], [204, undefined]);
      assert.deepEqual(await stocks(shop), [[201, 12], [251, 1], [252, 1]]);
    }, { database }));

  Deno.test(`PATCH of $each answers what it changed, though the filter holds no more (Protocol 11.4.13, ${engine})`, () =>
    withShop(async (shop) => {
      const url = `Books/$filter(${MANY})/$each?$select=ID,stock`;
      const answer = await shop.send("PATCH", url, { body: { stock: 1 }, headers: REPRESENTATION });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["preference-applied"], "return=representation");
      assert.deepEqual(answer.body, {
        "@odata.context": "../../$metadata#Books(ID,stock)",
        value: [{ ID: 251, stock: 1 }, { ID: 252, stock: 1 }],
      });
    }, { database }));

  Deno.test(`DELETE of $each removes the members of a navigation (Protocol 11.4.14, ${engine})`, () =>
    withShop(async (shop) => {
      assert.equal((await shop.send("DELETE", "Authors(150)/books/$each")).status, 204);
      assert.deepEqual(await stocks(shop), [[201, 12]]);
      assert.equal((await shop.send("DELETE", "Authors(150)/books/$each")).status, 204);
      assert.equal((await shop.send("DELETE", "Authors(9)/books/$each")).status, 404);
    }, { database }));

  Deno.test(`PATCH of a collection inserts, changes and removes rows (Protocol 11.4.12, ${engine})`, () =>
    withShop(async (shop) => {
      const value = [
        { ID: 201, stock: 1 },
        { ID: 300, title: "New", stock: 3 },
        { "@id": "Books(251)", "@removed": { reason: "deleted" } },
        { "@removed": {}, "ID": 999 },
      ];
      const answer = await shop.send("PATCH", "Books?$select=stock", {
        body: { "@context": "#$delta", value },
        headers: REPRESENTATION,
      });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, {
        "@odata.context": "$metadata#Books(stock,ID)/$delta",
        value: [
          { stock: 1, ID: 201 },
          { stock: 3, ID: 300 },
          { "@odata.context": "#Books/$deletedEntity", "id": "Books(251)", "reason": "deleted" },
          { "@odata.context": "#Books/$deletedEntity", "id": "Books(999)", "reason": "deleted" },
        ],
      });
      assert.deepEqual(await stocks(shop), [[201, 1], [252, 555], [300, 3]]);
    }, { database }));

  Deno.test(`PATCH of a collection changes all or nothing (Protocol 11.4.12, ${engine})`, () =>
    withShop(async (shop) => {
      const value = [{ ID: 201, stock: 1 }, { ID: 300, stock: 3 }];
      assert.equal((await shop.send("PATCH", "Books", { body: { value } })).status, 400);
      assert.deepEqual(await stocks(shop), [[201, 12], [251, 333], [252, 555]]);
    }, { database }));

  Deno.test(`PATCH of a collection with continue-on-error tells what failed (Protocol 8.2.8.3, ${engine})`, () =>
    withShop(async (shop) => {
      const value = [{ ID: 300, stock: 3 }, { ID: 201, stock: 1 }];
      const headers = { prefer: "continue-on-error" };
      const { status, body } = await shop.send("PATCH", "Books", { body: { value }, headers });
      assert.equal(status, 200);
      const [failed, ...others] = (body as { value: Record<string, unknown>[] }).value;
      assert.deepEqual(others, []);
      const { info, ...exception } = failed!["@Core.DataModificationException"] as Record<string, unknown>;
      assert.deepEqual(exception, { failedOperation: "upsert", responseCode: 400 });
      assert.equal((info as { target?: string }).target, "title");
      assert.equal(failed!.ID, 300);
      assert.deepEqual(await stocks(shop), [[201, 1], [251, 333], [252, 555]]);
    }, { database }));
}

Deno.test("deleted entities have the form of the protocol version (JSON 15.3)", () =>
  withShop(async (shop) => {
    const value = [{ "@context": "#Books/$deletedEntity", "id": "Books(251)" }];
    const headers = { "odata-maxversion": "4.01", ...REPRESENTATION };
    const { body } = await shop.send("PATCH", "Books", { body: { value }, headers });
    assert.deepEqual((body as { value: unknown }).value, [
      { "@odata.removed": { reason: "deleted" }, "@odata.id": "Books(251)" },
    ]);
    assert.deepEqual(await stocks(shop), [[201, 12], [252, 555]]);
  }));

Deno.test("members of a collection with a version are changed by their version (Protocol 11.4.12)", () =>
  withShop(async (shop) => {
    const send = async (change: object) =>
      (await shop.send("PATCH", "Versions", { body: { value: [change] } })).status;
    assert.equal(await send({ ID: 1, name: "second" }), 428);
    assert.equal(await send({ ID: 1, name: "second", "@odata.etag": 'W/"9"' }), 412);
    assert.equal(await send({ ID: 1, name: "second", "@odata.etag": 'W/"1"' }), 204);
    assert.equal(await send({ ID: 1, "@removed": {}, "@etag": 'W/"9"' }), 412);
    assert.equal(await send({ ID: 1, "@removed": {}, "@etag": 'W/"1"' }), 204);
  }));

Deno.test("$each is refused where it could mean other rows than the path says (Protocol 11.4.13)", () =>
  withShop(async (shop) => {
    const message = async (method: string, url: string, body?: unknown) => {
      const answer = await shop.send(method, url, { body });
      return [answer.status, (answer.body as { error: { message: string } }).error.message];
    };
    assert.deepEqual(await message("DELETE", "Books/$each?$filter=ID eq 1"), [
      400,
      'The option $filter is not allowed for /$each; "/$filter(…)" in the path chooses members (offset 12)',
    ]);
    assert.equal((await message("DELETE", "Books/$each?$top=1"))[0], 400);
    assert.equal((await message("PATCH", "Books(201)/$each", {}))[0], 400);
    assert.equal((await message("PATCH", "Books/$each", { nope: 1 }))[0], 400);
    assert.equal((await message("PATCH", `Books/$filter(${MANY})`, { value: [] }))[0], 501);
    assert.equal((await message("PATCH", "Books", { value: 1 }))[0], 400);
    assert.equal((await message("PATCH", "Books", { value: [1] }))[0], 400);
    assert.equal((await message("PATCH", "Books", { value: [{ "@removed": {} }] }))[0], 400);
    assert.equal((await message("PATCH", "Books", { stock: 1 }))[0], 405);
    const get = await shop.send("GET", "Books/$each");
    assert.deepEqual([get.status, get.headers.allow], [405, "PATCH, DELETE, OPTIONS"]);
    const tag = { "if-match": 'W/"1"' };
    assert.equal((await shop.send("DELETE", "Books/$each", { headers: tag })).status, 412);
    assert.deepEqual(await stocks(shop), [[201, 12], [251, 333], [252, 555]]);
  }));

Deno.test("a set of rows is as large as the limit allows (changedRows)", () =>
  withShop(async (shop) => {
    assert.equal((await shop.send("PATCH", "Books/$each", { body: { stock: 1 } })).status, 400);
    const value = [{ ID: 201, stock: 1 }, { ID: 251, stock: 1 }, { ID: 252, stock: 1 }];
    assert.equal((await shop.send("PATCH", "Books", { body: { value } })).status, 400);
    assert.deepEqual(await stocks(shop), [[201, 12], [251, 333], [252, 555]]);
    const url = `Books/$filter(${MANY})/$each`;
    assert.equal((await shop.send("PATCH", url, { body: { stock: 1 } })).status, 204);
  }, { limits: { changedRows: 2 } }));

Deno.test("rows of a delta are written as restrictions permit, each of them (auth 7, Protocol 11.4.12)", () => {
  const definitions = { ...SHOP.definitions! };
  const restrict = [{ grant: ["READ", "CREATE"], to: "any" }, {
    grant: "UPDATE",
    to: "any",
    where: "stock > 100",
  }];
  definitions["ShopService.Books"] = { ...definitions["ShopService.Books"]!, "@restrict": restrict };
  return withShop(async (shop) => {
    const send = async (...value: object[]) =>
      (await shop.send("PATCH", "Books", { body: { value } })).status;
    assert.equal(await send({ ID: 251, stock: 101 }), 204);
    assert.equal(await send({ ID: 251, stock: 102 }, { ID: 201, stock: 103 }), 403);
    assert.equal(await send({ ID: 251, stock: 1 }), 403);
    assert.equal(await send({ "ID": 251, "@removed": {} }), 401);
    assert.equal(await send({ "ID": 999, "@removed": {} }), 401);
    assert.equal((await shop.send("DELETE", "Books/$each")).status, 401);
    assert.equal((await shop.send("PATCH", "Books/$each", { body: { stock: 200 } })).status, 204);
    assert.deepEqual(await stocks(shop), [[201, 12], [251, 200], [252, 200]]);
  }, { model: { definitions } });
});
