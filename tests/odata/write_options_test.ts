import assert from "node:assert/strict";
import { JSON_HEADERS, withShop } from "./with_shop.ts";

Deno.test("POST answers what $select and $expand ask for", () =>
  withShop(async (shop) => {
    const body = { ID: 7, title: "New", author: { ID: 101 } };
    assert.deepEqual(await shop.send("POST", "Books?$select=title&$expand=author($select=name)", { body }), {
      status: 201,
      headers: { ...JSON_HEADERS, location: "Books(7)" },
      body: {
        "@odata.context": "$metadata#Books(title,ID,author(name,ID))/$entity",
        title: "New",
        ID: 7,
        author: { name: "Emily", ID: 101 },
      },
    });
    const again = await shop.send("POST", "Books?$select=title", { body: { ID: 8, title: "Other" } });
    assert.deepEqual(again.body, {
      "@odata.context": "$metadata#Books(title,ID)/$entity",
      title: "Other",
      ID: 8,
    });
  }));

Deno.test("PATCH answers what $select and $expand ask for", () =>
  withShop(async (shop) => {
    const url = "Books(251)?$select=stock&$expand=author($select=name)";
    assert.deepEqual(await shop.send("PATCH", url, { body: { stock: 1 } }), {
      status: 200,
      headers: JSON_HEADERS,
      body: {
        "@odata.context": "$metadata#Books(stock,ID,author(name,ID))/$entity",
        stock: 1,
        ID: 251,
        author: { name: "Edgar", ID: 150 },
      },
    });
  }));

Deno.test("PUT that creates answers what $select asks for", () =>
  withShop(async (shop) => {
    const { status, body } = await shop.send("PUT", "Books(9)?$select=title", { body: { title: "Put" } });
    assert.equal(status, 201);
    assert.deepEqual(body, {
      "@odata.context": "$metadata#Books(title,ID)/$entity",
      title: "Put",
      ID: 9,
    });
  }));
