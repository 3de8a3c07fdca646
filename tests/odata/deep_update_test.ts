import assert from "node:assert/strict";
import type { Csn } from "../../src/model/csn.ts";
import { ENGINES } from "./engines.ts";
import type { Shop } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

const key = { key: true, type: "cds.Integer" };
const text = { type: "cds.String", length: 50 };
const deep = { "@odata.deepInsert": true };
const toOne = (target: string) => ({ type: "cds.Association", target, keys: [{ ref: ["ID"] }], ...deep });
const toMany = (name: string, target: string, back: string, type = "cds.Association") => ({
  type,
  cardinality: { max: "*" as const },
  target,
  on: [{ ref: [name, back] }, "=", { ref: ["$self"] }],
});

const MODEL: Csn = {
  definitions: {
    ShopService: { kind: "service" },
    "ShopService.Authors": {
      kind: "entity",
      elements: {
        ID: key,
        name: text,
        books: { ...toMany("books", "ShopService.Books", "author"), ...deep },
      },
    },
    "ShopService.Books": {
      kind: "entity",
      elements: {
        ID: key,
        title: text,
        author: toOne("ShopService.Authors"),
        shelf: toOne("ShopService.Shelves"),
        tagLinks: {
          ...toMany("tagLinks", "ShopService.TagLinks", "book", "cds.Composition"),
          "@cds.api.ignore": true,
        },
        tags: {
          type: "cds.Association",
          cardinality: { max: "*" },
          target: "ShopService.Tags",
          "@odata.through": "tagLinks.tag",
          ...deep,
        },
      },
    },
    "ShopService.Shelves": {
      kind: "entity",
      elements: { ID: key, room: text, books: { ...toMany("books", "ShopService.Books", "shelf"), ...deep } },
    },
    "ShopService.Tags": { kind: "entity", elements: { ID: key, word: text } },
    "ShopService.TagLinks": {
      kind: "entity",
      elements: {
        book: { key: true, type: "cds.Association", target: "ShopService.Books", keys: [{ ref: ["ID"] }] },
        tag: { key: true, type: "cds.Association", target: "ShopService.Tags", keys: [{ ref: ["ID"] }] },
      },
    },
  },
};

const DATA = new Map([
  ["ShopService.Authors", [{ ID: 1, name: "Emily" }, { ID: 2, name: "Edgar" }]],
  ["ShopService.Shelves", [{ ID: 1, room: "attic" }]],
  ["ShopService.Books", [
    { ID: 1, title: "one", author_ID: 1 },
    { ID: 2, title: "two", author_ID: 1 },
    { ID: 3, title: "three", author_ID: 2, shelf_ID: 1 },
  ]],
  ["ShopService.Tags", [{ ID: 1, word: "new" }, { ID: 2, word: "old" }]],
  ["ShopService.TagLinks", [{ book_ID: 1, tag_ID: 1 }]],
]);

async function valueOf(shop: Shop, url: string): Promise<unknown> {
  const { status, body } = await shop.send("GET", url);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { value: unknown }).value;
}

const books = (shop: Shop) => valueOf(shop, "Books?$select=ID,title,author_ID,shelf_ID");

for (const [engine, database] of Object.entries(ENGINES)) {
  const onEngine = (run: (shop: Shop) => Promise<void>) =>
    withShop(run, { database, model: MODEL, data: DATA });

  Deno.test(`nested rows of a PATCH are the full set: changed, created, linked, the others parted (Protocol 11.4.3.1, ${engine})`, () =>
    onEngine(async (shop) => {
      const body = {
        name: "Em",
        books: [{ ID: 2, title: "zwei" }, { ID: 4, title: "four", shelf: { ID: 9, room: "hall" } }, {
          ID: 3,
        }],
      };
      const { status } = await shop.send("PATCH", "Authors(1)", { body });
      assert.equal(status, 200);
      assert.deepEqual(await books(shop), [
        { ID: 1, title: "one", author_ID: null, shelf_ID: null },
        { ID: 2, title: "zwei", author_ID: 1, shelf_ID: null },
        { ID: 3, title: "three", author_ID: 1, shelf_ID: 1 },
        { ID: 4, title: "four", author_ID: 1, shelf_ID: 9 },
      ]);
      assert.deepEqual(await valueOf(shop, "Shelves?$select=room"), [{ ID: 1, room: "attic" }, {
        ID: 9,
        room: "hall",
      }]);
      await shop.send("PATCH", "Authors(1)", { body: { books: [{ "@id": "Books(2)" }] } });
      assert.deepEqual(await valueOf(shop, "Authors(1)/books?$select=ID"), [{ ID: 2 }]);
      await shop.send("PUT", "Authors(1)", { body: { name: "Em", books: [] } });
      assert.deepEqual(await valueOf(shop, "Authors(1)/books?$select=ID"), []);
    }));

  Deno.test(`a nested row of an association to one is changed or created, and linked (Protocol 11.4.3.1, ${engine})`, () =>
    onEngine(async (shop) => {
      const patch = async (body: unknown) =>
        assert.equal((await shop.send("PATCH", "Books(1)", { body })).status, 200);
      await patch({ title: "uno", author: { ID: 2, name: "Ed" } });
      await patch({ shelf: { ID: 5, room: "cellar" } });
      assert.deepEqual(await valueOf(shop, "Books?$filter=ID eq 1&$select=title,author_ID,shelf_ID"), [
        { ID: 1, title: "uno", author_ID: 2, shelf_ID: 5 },
      ]);
      assert.deepEqual(await valueOf(shop, "Authors?$select=name"), [{ ID: 1, name: "Emily" }, {
        ID: 2,
        name: "Ed",
      }]);
      await patch({ author: { ID: 2, books: [{ ID: 2 }, { ID: 1 }] } });
      assert.deepEqual(await valueOf(shop, "Authors(2)/books?$select=ID"), [{ ID: 1 }, { ID: 2 }]);
      await patch({ shelf: null });
      assert.deepEqual(await valueOf(shop, "Shelves(5)/books?$select=ID"), []);
    }));

  Deno.test(`nested rows of an association of many to many are linked and parted (Protocol 11.4.3.1, ${engine})`, () =>
    onEngine(async (shop) => {
      const body = { tags: [{ ID: 2 }, { ID: 3, word: "blue" }] };
      assert.equal((await shop.send("PATCH", "Books(1)", { body })).status, 200);
      assert.deepEqual(await valueOf(shop, "Books(1)/tags?$select=word"), [{ ID: 2, word: "old" }, {
        ID: 3,
        word: "blue",
      }]);
      await shop.send("PATCH", "Books(1)", { body: { tags: [{ ID: 3, word: "red" }, { ID: 2 }] } });
      assert.deepEqual(await valueOf(shop, "Books(1)/tags?$select=word"), [{ ID: 2, word: "old" }, {
        ID: 3,
        word: "red",
      }]);
      await shop.send("PATCH", "Books(1)", { body: { title: "same" } });
      assert.deepEqual((await valueOf(shop, "Books(1)/tags") as unknown[]).length, 2);
    }));

  Deno.test(`DELETE of the reference of a row that is no member is 404 (Protocol 11.4.6.2, ${engine})`, () =>
    onEngine(async (shop) => {
      const status = async (url: string) => (await shop.send("DELETE", url)).status;
      const others = ["Books(1)/tags(2)/$ref", "Books(1)/tags(7)/$ref", "Books(1)/tags/$ref?$id=Tags(2)"];
      for (const url of [...others, "Books(9)/tags(1)/$ref", "Authors(2)/books(1)/$ref"]) {
        assert.equal(await status(url), 404, url);
      }
      assert.equal((await valueOf(shop, "Books(1)/tags") as unknown[]).length, 1);
      assert.equal(await status("Books(1)/tags(1)/$ref"), 204);
      assert.equal(await status("Books(1)/tags(1)/$ref"), 404);
    }));

  Deno.test(`a deep update that fails changes nothing (Protocol 11.4.3.1, ${engine})`, () =>
    onEngine(async (shop) => {
      const before = await books(shop);
      const wrong = [
        ["Authors(9)", { books: [] }, 404],
        ["Authors(1)", { books: [{ ID: 2, title: "x".repeat(60) }] }, 400],
        ["Authors(1)", { books: [{ ID: 2, nothing: 1 }] }, 400],
        ["Authors(1)", { books: [{ "@id": "Books(77)" }] }, 404],
        ["Books(1)", { author: { name: "who" } }, 400],
      ] as const;
      for (const [url, body, status] of wrong) {
        const answer = await shop.send("PATCH", url, { body });
        assert.equal(answer.status, status, JSON.stringify([body, answer.body]));
      }
      assert.deepEqual(await books(shop), before);
    }));
}

Deno.test("members that cannot leave their collection fail the change of its row (Protocol 11.4.3.1)", () =>
  withShop(async (shop) => {
    const { status } = await shop.send("PATCH", "Authors(1)", { body: { name: "Em", books: [{ ID: 1 }] } });
    assert.equal(status, 403);
    assert.deepEqual(await valueOf(shop, "Authors(1)/books?$select=ID"), [{ ID: 1 }, { ID: 2 }]);
    assert.deepEqual(await valueOf(shop, "Authors?$filter=ID eq 1&$select=name"), [{ ID: 1, name: "Emily" }]);
  }, {
    ...{ model: MODEL, data: DATA },
    register: (srv) => void srv.before("UPDATE", "Books", (req) => void req.reject(403)),
  }));

Deno.test("rows that parts of a composition refer to are not written with their whole: 501, and nothing changes", () => {
  const model: Csn = {
    definitions: {
      ShopService: { kind: "service" },
      "ShopService.Lists": {
        kind: "entity",
        elements: {
          ID: key,
          name: text,
          items: toMany("items", "ShopService.Items", "list", "cds.Composition"),
        },
      },
      "ShopService.Items": {
        kind: "entity",
        elements: { ID: key, list: toOne("ShopService.Lists"), note: toOne("ShopService.Notes") },
      },
      "ShopService.Notes": { kind: "entity", elements: { ID: key, text } },
    },
  };
  return withShop(async (shop) => {
    const items = [{ ID: 1, note: { ID: 1, text: "new" } }];
    assert.equal((await shop.send("POST", "Lists", { body: { ID: 2, items } })).status, 501);
    for (const method of ["PATCH", "PUT"]) {
      assert.equal((await shop.send(method, "Lists(1)", { body: { name: "x", items } })).status, 501, method);
    }
    assert.deepEqual(await valueOf(shop, "Lists?$expand=items"), [{ ID: 1, name: "old", items: [] }]);
  }, { model, data: new Map([["ShopService.Lists", [{ ID: 1, name: "old" }]]]) });
});
