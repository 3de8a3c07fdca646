import assert from "node:assert/strict";
import { createRestAdapter } from "../../src/rest/rest_adapter.ts";
import { ENGINES } from "./engines.ts";
import { withShop } from "./with_shop.ts";

const LEVELS = ["none", "minimal", "full"];

function membersOf(row: unknown): string[] {
  return Object.keys(row as object).filter((name) => !name.includes("@")).sort();
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`$select shows no element that it did not name but keys, on ${engine} [OData 11.2.5.1]`, () =>
    withShop(async (shop) => {
      for (const level of LEVELS) {
        const headers = { accept: `application/json;odata.metadata=${level}` };
        const get = async (url: string) =>
          (await shop.send("GET", url, { headers })).body as Record<string, unknown>;
        for (const url of ["Media?$select=content,file", "Media?$select=content,file&$count=true"]) {
          const { value } = await get(url);
          for (const row of value as unknown[]) {
            assert.deepEqual(membersOf(row), ["ID", "file"], `${url} ${level}`);
          }
        }
        const one = await get("Media(1)?$select=content,file");
        assert.deepEqual(membersOf(one), ["ID", "file"], level);
        assert.equal(one["content@odata.mediaContentType"], level === "none" ? undefined : "text/plain");
        const named = await get("Media(1)?$select=content,type");
        assert.deepEqual(membersOf(named), ["ID", "type"], level);
      }
      const requests = [{ id: "1", method: "GET", url: "Media(1)?$select=content" }];
      const { body } = await shop.send("POST", "$batch", { body: { requests } });
      assert.deepEqual((body as { responses: { body: unknown }[] }).responses[0]!.body, {
        "@odata.context": "$metadata#Media(content,ID)/$entity",
        ID: 1,
        "content@odata.mediaContentType": "text/plain",
      });
    }, { database }));

  Deno.test(`$select of a navigation property brings its foreign keys, on ${engine} [JSON Format 10.7]`, () =>
    withShop(async (shop) => {
      const get = async (url: string) => (await shop.send("GET", url)).body;
      assert.deepEqual(await get("Books(201)?$select=title,author"), {
        "@odata.context": "$metadata#Books(title,author_ID,ID,author)/$entity",
        title: "Wuthering Heights",
        author_ID: 101,
        ID: 201,
      });
      assert.deepEqual(await get("Books(201)?$select=author"), {
        "@odata.context": "$metadata#Books(author_ID,ID,author)/$entity",
        author_ID: 101,
        ID: 201,
      });
      assert.deepEqual(await get("Authors(101)?$select=books"), {
        "@odata.context": "$metadata#Authors(ID,books)/$entity",
        ID: 101,
      });
      assert.deepEqual(await get("Books(201)?$select=title,author&$expand=author($select=name)"), {
        "@odata.context": "$metadata#Books(title,author_ID,ID,author,author(name,ID))/$entity",
        title: "Wuthering Heights",
        author_ID: 101,
        ID: 201,
        author: { name: "Emily", ID: 101 },
      });
      const nested = await get("Authors(101)?$select=name&$expand=books($select=author)");
      assert.deepEqual((nested as { books: unknown }).books, [{ author_ID: 101, ID: 201 }]);
      const list = await get("Books?$select=author&$filter=ID eq 251") as { value: unknown };
      assert.deepEqual(list.value, [{ author_ID: 150, ID: 251 }]);
      const posted = await shop.send("POST", "Books?$select=author", {
        body: { ID: 9, title: "New", author_ID: 150 },
      });
      assert.deepEqual(posted.body, {
        "@odata.context": "$metadata#Books(author_ID,ID,author)/$entity",
        author_ID: 150,
        ID: 9,
      });
    }, { database }));
}

Deno.test("$select of a navigation property brings its foreign keys in REST, too, and nothing else", () =>
  withShop(async (shop) => {
    const { body } = await shop.send("GET", "Books/201?$select=title,author");
    assert.deepEqual(body, { title: "Wuthering Heights", author_ID: 101 });
    assert.deepEqual((await shop.send("GET", "Media/1?$select=content,file")).body, { file: "hello.txt" });
  }, { protocol: createRestAdapter }));
