/** Streams and media entities, on every engine. */

import assert from "node:assert/strict";
import { ENGINES, product, withReference } from "./reference.ts";

const TEXT = { "content-type": "text/plain" };

for (const engine of ENGINES) {
  Deno.test(`${engine}: a media entity is created by its stream`, () =>
    withReference(async (send) => {
      const created = await send("POST", "MediaItems", "hello", TEXT);
      assert.equal(created.status, 201, JSON.stringify(created.body));
      const { ID, Name, ContentType, Size } = created.body;
      assert.deepEqual([Name, ContentType, Size], ["", "text/plain", 5]);
      assert.equal(created.body["@odata.mediaContentType"], "text/plain");
      assert.equal("Content" in created.body, false);
      const url = `MediaItems(${ID})/$value`;
      const read = await send("GET", url);
      assert.deepEqual([read.status, read.body], [200, "hello"]);
      assert.equal(read.headers.get("content-type"), "text/plain");
      assert.equal((await send("PUT", url, "<p>hello</p>", { "content-type": "text/html" })).status, 204);
      const changed = await send("GET", `MediaItems(${ID})`);
      assert.deepEqual([changed.body.ContentType, changed.body.Size], ["text/html", 12]);
      assert.equal((await send("DELETE", url)).status, 204);
      assert.equal((await send("GET", `MediaItems(${ID})`)).status, 404);
    }, engine));

  Deno.test(`${engine}: a media entity is created by JSON, too, without stream`, () =>
    withReference(async (send) => {
      const created = await send("POST", "MediaItems", { Name: "later", ContentType: "text/css" });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      const url = `MediaItems(${created.body.ID})/$value`;
      assert.equal((await send("GET", url)).status, 204);
      assert.equal((await send("PUT", url, "a {}", { "content-type": "text/css" })).status, 204);
      assert.equal((await send("GET", url)).body, "a {}");
      assert.equal((await send("POST", "MediaItems", { Name: "x", Content: "aGVsbG8=" })).status, 400);
    }, engine));

  Deno.test(`${engine}: a stream property is read and written with its type`, () =>
    withReference(async (send) => {
      for (const url of [`${product(1)}/Photo`, `${product(7)}/Photo/$value`]) {
        const read = await send("GET", url);
        assert.deepEqual([read.status, read.headers.get("content-type")], [200, "image/png"], url);
      }
      const url = `${product(2)}/Photo`;
      assert.equal(
        (await send("PUT", `${url}/$value`, "GIF89a", { "content-type": "image/gif" })).status,
        204,
      );
      const read = await send("GET", url);
      assert.deepEqual([read.body, read.headers.get("content-type")], ["GIF89a", "image/gif"]);
      assert.equal((await send("DELETE", url)).status, 204);
      assert.equal((await send("GET", url)).status, 204);
      const entity = await send("GET", `${product(2)}?$select=Photo`);
      assert.equal("PhotoContentType" in entity.body, false);
      assert.equal((await send("GET", `${product(2)}/PhotoContentType`)).status, 404);
    }, engine));
}

Deno.test("the stream of a media entity is no property of it", () =>
  withReference(async (send) => {
    const key = "MediaItems(00000003-0000-4000-8000-000000000001)";
    assert.equal((await send("GET", `${key}/Content`)).status, 404);
    assert.equal((await send("GET", "MediaItems?$select=Content")).status, 400);
    const full = await send("GET", key, undefined, { accept: "application/json;odata.metadata=full" });
    assert.equal(full.body["@odata.mediaReadLink"], `${key}/$value`);
    assert.equal((await send("GET", `${product(1)}/$value`)).status, 400);
  }));
