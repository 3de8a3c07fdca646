import assert from "node:assert/strict";
import { JSON_HEADERS, withShop } from "./with_shop.ts";

const BOOKS = "Authors(150)/books";

Deno.test("$entity answers the entity that $id names", () =>
  withShop(async (shop) => {
    const expected = {
      status: 200,
      headers: JSON_HEADERS,
      body: { "@odata.context": "../$metadata#Authors(name,ID)/$entity", name: "Edgar", ID: 150 },
    };
    for (
      const id of [
        "Authors(150)",
        "/odata/v4/shop/Authors(150)",
        "http://localhost/odata/v4/shop/Authors(150)",
      ]
    ) {
      assert.deepEqual(
        await shop.send("GET", `$entity/ShopService.Authors?$id=${id}&$select=name`),
        expected,
      );
      assert.deepEqual(
        await shop.send("GET", `$entity/ShopService.Authors?$select=name&id=${encodeURIComponent(id)}`),
        expected,
      );
    }
  }));

Deno.test("$entity refuses other methods, and ids of no entity", () =>
  withShop(async (shop) => {
    const refusal = async (method: string, url: string) => {
      const { status, headers, body } = await shop.send(method, url);
      const { error } = body as { error: { message: string } };
      return { status, message: error.message, ...(headers.allow ? { allow: headers.allow } : {}) };
    };
    assert.deepEqual(await refusal("GET", "$entity"), {
      status: 400,
      message: 'Syntax error at offset 0: found "$entity", expected the option "$id"',
    });
    assert.deepEqual(await refusal("GET", "$entity?$id=Authors"), {
      status: 400,
      message: '"Authors" does not address an entity',
    });
    assert.deepEqual(await refusal("DELETE", "$entity?$id=Authors(150)"), {
      status: 405,
      message: "Method Not Allowed",
      allow: "GET, HEAD",
    });
    assert.equal((await shop.send("GET", "$entity?$id=Authors(999)")).status, 404);
  }));

Deno.test("$id of another host is refused: an entity of another service may have the same path", () =>
  withShop(async (shop) => {
    const url = "$entity?$id=https://shop.example:8443/odata/v4/shop/Authors(150)";
    const { status, body } = await shop.send("GET", url);
    assert.equal(status, 400);
    assert.equal(
      (body as { error: { message: string } }).error.message,
      '"$id" names the host "shop.example:8443", and this service is at "localhost" ("fw.server.base_url")',
    );
    // as a proxy says it, and as the server is told
    const headers = { "x-forwarded-host": "cdn.example, shop.example:8443" };
    assert.equal((await shop.send("GET", url, { headers })).status, 200);
    assert.equal((await shop.send("DELETE", `${BOOKS}/$ref?$id=https://x.example/Books(251)`)).status, 400);
  }));

Deno.test("DELETE of $ref with $id removes a member of a collection", () =>
  withShop(async (shop) => {
    const url = `${BOOKS}/$ref?$id=Books(251)`;
    assert.deepEqual(await shop.send("DELETE", url), {
      status: 204,
      headers: { "odata-version": "4.0" },
      body: undefined,
    });
    const { body } = await shop.send("GET", `${BOOKS}?$select=ID`);
    assert.deepEqual((body as { value: unknown }).value, [{ ID: 252 }]);
  }));
