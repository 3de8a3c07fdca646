import assert from "node:assert/strict";
import type { Shop } from "./fixture_host.ts";
import { ERROR_HEADERS, withShop } from "./with_shop.ts";

const TEXT = { "content-type": "text/plain" };
const DONE = { status: 204, headers: { "odata-version": "4.0" }, body: undefined };

async function rawValue(shop: Shop, url: string): Promise<unknown> {
  return (await shop.send("GET", `${url}/$value`)).body;
}

Deno.test("PUT of $value takes the text of a property", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("PUT", "Books(201)/title/$value", { body: "12", headers: TEXT }), DONE);
    assert.equal(await rawValue(shop, "Books(201)/title"), "12");
    assert.deepEqual(await shop.send("PUT", "Books(201)/stock/$value", { body: "7", headers: TEXT }), DONE);
    assert.equal(await rawValue(shop, "Books(201)/stock"), "7");
    assert.deepEqual(
      await shop.send("PUT", "Books(201)/price/$value", { body: "8.25", headers: TEXT }),
      DONE,
    );
    assert.equal(await rawValue(shop, "Books(201)/price"), "8.25");
  }));

Deno.test("DELETE of $value sets a property to null", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("DELETE", "Books(201)/stock/$value"), DONE);
    assert.deepEqual(await shop.send("GET", "Books(201)/stock/$value"), DONE);
  }));

Deno.test("PUT of $value refuses other types of content and value, and keys", () =>
  withShop(async (shop) => {
    const wrong = await shop.send("PUT", "Books(201)/stock/$value", { body: "many", headers: TEXT });
    assert.deepEqual(wrong, {
      status: 400,
      headers: ERROR_HEADERS,
      body: {
        error: {
          code: "ASSERT_DATA_TYPE",
          message: "many is not a value of type Integer",
          target: "stock",
          "@Common.numericSeverity": 4,
        },
      },
    });
    assert.equal((await shop.send("PUT", "Books(201)/stock/$value", { body: {} })).status, 415);
    assert.equal((await shop.send("PUT", "Books(201)/ID/$value", { body: "1", headers: TEXT })).status, 405);
    assert.equal(await rawValue(shop, "Books(201)/stock"), "12");
  }));
