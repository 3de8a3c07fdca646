import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import type { Shop } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

async function booksOf(shop: Shop, author: number): Promise<unknown> {
  const { body } = await shop.send("GET", `Authors(${author})/books?$select=ID,stock&$orderby=ID`);
  return (body as { value: { ID: number }[] }).value.map(({ ID }) => ID);
}

async function refused(shop: Shop, ...[method, url, body]: [string, string, unknown?]): Promise<unknown> {
  const answer = await shop.send(method, url, { body });
  const { message, target } = (answer.body as { error: { message: string; target?: string } }).error;
  return { status: answer.status, message, ...(target === undefined ? {} : { target }) };
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`PUT to the references of a collection replaces them (Protocol 11.4.6.4, ${engine})`, () =>
    withShop(async (shop) => {
      const value = [{ "@odata.id": "Books(201)" }, { "@id": "Books(252)" }];
      const answer = await shop.send("PUT", "Authors(150)/books/$ref", { body: { value } });
      assert.equal(answer.status, 204);
      assert.deepEqual(await booksOf(shop, 150), [201, 252]);
      assert.deepEqual(await booksOf(shop, 101), []);
      assert.equal((await shop.send("GET", "Books(251)/author")).status, 204);
    }, { database }));

  Deno.test(`GET of references gives them in place of rows (Protocol 11.2.8, ${engine})`, () =>
    withShop(async (shop) => {
      const get = async (path: string) => (await shop.send("GET", path)).body as Record<string, unknown>;
      const references = [{ "@odata.id": "Authors(101)" }, { "@odata.id": "Authors(150)" }];
      assert.deepEqual((await get("Authors/$ref?$top=2&$orderby=ID")).value, references);
      assert.equal((await get("Books(201)/author/$ref"))["@odata.id"], "Authors(101)");
      assert.deepEqual((await get("Authors(101)/books/$ref")).value, [{ "@odata.id": "Books(201)" }]);
    }, { database }));

  Deno.test(`DELETE of the references of a collection parts all members (Protocol 11.4.6.2, ${engine})`, () =>
    withShop(async (shop) => {
      assert.equal((await shop.send("DELETE", "Authors(150)/books/$ref")).status, 204);
      assert.deepEqual(await booksOf(shop, 150), []);
      assert.equal((await shop.send("GET", "Books/$count")).body, "3");
    }, { database }));

  Deno.test(`@delta of an association links, changes, parts and deletes rows (Protocol 11.4.4, ${engine})`, () =>
    withShop(async (shop) => {
      const changes = [
        { "@id": "Books(201)", "stock": 7 },
        { "@removed": { reason: "changed" }, "ID": 251 },
        { "@odata.removed": { reason: "deleted" }, "@odata.id": "Books(252)" },
      ];
      const body = { name: "Ed", "books@delta": changes };
      assert.equal((await shop.send("PATCH", "Authors(150)", { body })).status, 200);
      assert.deepEqual(await booksOf(shop, 150), [201]);
      assert.equal((await shop.send("GET", "Books(201)/stock/$value")).body, "7");
      assert.equal((await shop.send("GET", "Books(251)/author")).status, 204);
      assert.equal((await shop.send("GET", "Books(252)")).status, 404);
    }, { database }));

  Deno.test(`a change of links that fails changes nothing (Protocol 11.4.4, ${engine})`, () =>
    withShop(async (shop) => {
      const body = { name: "Ed", "books@delta": [{ "@id": "Books(201)" }, { "@removed": {}, "ID": 999 }] };
      assert.equal((await shop.send("PATCH", "Authors(150)", { body })).status, 404);
      assert.deepEqual(await booksOf(shop, 150), [251, 252]);
      assert.equal((await shop.send("GET", "Authors(150)/name/$value")).body, "Edgar");
    }, { database }));
}

Deno.test("references of a missing row, and bodies that hold no references, are refused (Protocol 11.4.6)", () =>
  withShop(async (shop) => {
    const value = [{ "@id": "Books(201)" }];
    assert.equal((await shop.send("PUT", "Authors(1)/books/$ref", { body: { value } })).status, 404);
    assert.deepEqual(await refused(shop, "PUT", "Authors(150)/books/$ref", { value: 1 }), {
      status: 400,
      message: 'The request body must have an array "value"',
    });
    assert.deepEqual(await refused(shop, "PUT", "Authors(150)/books/$ref", { value: [{ ID: 1 }] }), {
      status: 400,
      message: '"value[0]" must have a member "@odata.id"',
      target: "value[0]",
    });
    const author = { value: [{ "@id": "Authors(101)" }] };
    assert.deepEqual(await refused(shop, "PUT", "Authors(150)/books/$ref", author), {
      status: 400,
      message: '"Authors(101)" does not address an entity of ShopService.Books',
      target: "value[0]",
    });
    assert.deepEqual(await refused(shop, "PATCH", "Authors(150)", { "books@delta": [{ title: "x" }] }), {
      status: 400,
      message: '"books@delta" needs the keys of each row',
      target: "books[0]",
    });
  }));

Deno.test("options that would narrow a set of references are refused, not ignored (Protocol 11.4.6)", () =>
  withShop(async (shop) => {
    assert.deepEqual(await refused(shop, "DELETE", "Authors(150)/books/$ref?$filter=ID eq 251"), {
      status: 400,
      message: "The option $filter is not allowed for a request that changes references (offset 24)",
    });
    assert.deepEqual(await booksOf(shop, 150), [251, 252]);
  }));

Deno.test("a request changes as many links as the limit allows, one more is refused (changedRows)", () =>
  withShop(async (shop) => {
    const links = ["Books(201)", "Books(252)", "Books(251)"];
    const few = { "books@odata.bind": links.slice(0, 2) };
    assert.equal((await shop.send("PATCH", "Authors(101)", { body: few })).status, 200);
    const message = "A request may change at most 2 rows";
    const bind = { "books@odata.bind": links };
    assert.deepEqual(await refused(shop, "PATCH", "Authors(101)", bind), { status: 400, message });
    const value = links.map((id) => ({ "@id": id }));
    assert.deepEqual(await refused(shop, "PUT", "Authors(150)/books/$ref", { value }), {
      status: 400,
      message,
    });
  }, { limits: { changedRows: 2 } }));
