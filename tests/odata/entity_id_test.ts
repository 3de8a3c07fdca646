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
