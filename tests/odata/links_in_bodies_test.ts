import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { type App, errorOf, withApp } from "../data/app.ts";

const MODEL = `
service Test {
  entity Books { key ID : Integer; title : String(20); author : Association to Authors; owner : Association to Me;
    tags : Composition of many { key tag : Association to Tags; };
    kinds : Association to many Tags @odata.through: 'tags.tag'; }
  entity Authors { key ID : Integer; name : String(20); best : Association to Books; books : Association to many Books on books.author = $self; }
  entity Tags { key ID : Integer; name : String(20); version : Integer @odata.etag default 1; }
  entity Shelves { key ID : Integer; @odata.deepInsert tags : Association to many Labels on tags.shelf = $self; @odata.deepInsert top : Association to Labels; }
  entity Labels { key ID : Integer; name : String(20); shelf : Association to Shelves; version : Integer @odata.etag default 1; }
  entity Rooms { key ID : UUID; key no : Integer; key name : String(5); note : String(20); }
  @odata.singleton entity Me { key ID : Integer; name : String(20); }
}
`;

const ROOM = { ID: "00000000-0000-4000-8000-000000000001", no: 1, name: "a" };
const ROWS = {
  "Test.Authors": [{ ID: 1, name: "a", best_ID: 2 }, { ID: 2, name: "b" }],
  "Test.Books": [{ ID: 1, title: "one", author_ID: 2, owner_ID: 7 }, { ID: 2, title: "two", author_ID: 1 }],
  "Test.Tags": [{ ID: 1, name: "t", version: 1 }],
  "Test.Shelves": [{ ID: 1 }],
  "Test.Labels": [{ ID: 1, name: "a", version: 3 }],
  "Test.Me": [{ ID: 7, name: "me" }],
  "Test.Rooms": [ROOM],
};

for (const [engine, database] of Object.entries(ENGINES)) {
  const withBooks = (test: (app: App) => Promise<unknown>) =>
    withApp({ model: MODEL, rows: ROWS, database }, test);

  Deno.test(`links without the keys of what they lead to are refused, and change nothing (JSON 8.5, ${engine})`, () =>
    withBooks(async (app) => {
      const expectRefused = async (method: string, path: string, body: object) => {
        const answer = await app.send(method, path, { body });
        assert.match(String(errorOf(answer, 501).message), /leads to an entity without its keys/);
      };
      await expectRefused("PATCH", "Books(2)", { "author@odata.bind": "Books(1)/author" });
      await expectRefused("PATCH", "Books(2)", { author: { "@id": "Books(1)/author" } });
      await expectRefused("PATCH", "Books(1)", { "owner@odata.bind": "Me" });
      await expectRefused("POST", "Books", { "ID": 3, "owner@odata.bind": "Me" });
      await expectRefused("PUT", "Books(1)/owner/$ref", { "@id": "Me" });
      await expectRefused("POST", "Authors(2)/books/$ref", { "@id": "Authors(1)/best" });
      await expectRefused("PATCH", "Books", { value: [{ "@id": "Authors(1)/best", "@removed": {} }] });
      const books = await app.rows("Books?$select=ID,author_ID,owner_ID");
      assert.deepEqual(books, [{ ID: 1, author_ID: 2, owner_ID: 7 }, {
        ID: 2,
        author_ID: 1,
        owner_ID: null,
      }]);
      const bind = { "author@odata.bind": "Authors(1)/books(2)/author" };
      assert.equal((await app.patch("Books(2)", bind)).status, 501);
      assert.equal((await app.patch("Authors(2)", { "best@bind": "Authors(1)/books(2)" })).status, 200);
      assert.equal((await app.get("Authors(2)")).body.best_ID, 2);
    }));

  Deno.test(`keys in delta payloads are of their types, as in all bodies (JSON 15, ${engine})`, () =>
    withBooks(async (app) => {
      const wrong = [
        { ID: "x)/no(", no: 1, name: "a" },
        { ID: true, no: 1, name: "a" },
        { ...ROOM, no: {} },
        { ...ROOM, no: 1.5 },
        { ...ROOM, no: "1" },
        { ...ROOM, name: "longer" },
        { ...ROOM, name: ["a"] },
      ];
      for (const room of wrong) {
        for (const change of [{ ...room, note: "x" }, { ...room, "@removed": {} }]) {
          const error = errorOf(await app.patch("Rooms", { value: [change] }), 400);
          const target = Object.keys(ROOM).find((name) =>
            room[name as keyof typeof room] !== ROOM[name as keyof typeof ROOM]
          );
          assert.deepEqual([error.code, error.target], ["ASSERT_DATA_TYPE", `value[0]/${target}`]);
        }
      }
      assert.equal((await app.patch("Rooms", { value: [{ ...ROOM, note: "y" }] })).status, 204);
      assert.deepEqual(await app.rows("Rooms"), [{ ...ROOM, note: "y" }]);
    }));

  Deno.test(`malformed versions in delta payloads are refused (JSON 15, RFC 9110 8.8.3, ${engine})`, () =>
    withBooks(async (app) => {
      for (const tag of ["\u0000", "\ud800", "ä\n", "1"]) {
        for (const change of [{ "ID": 1, "@etag": tag }, { "ID": 1, "@etag": tag, "@removed": {} }]) {
          errorOf(await app.patch("Labels", { value: [change] }), 400);
        }
      }
      assert.equal((await app.patch("Labels", { value: [{ "ID": 1, "@etag": 'W/"9"' }] })).status, 412);
    }));

  Deno.test(`rows of many to many are linked and changed by @delta (Protocol 11.4.4, ${engine})`, () =>
    withBooks(async (app) => {
      const headers = { "odata-version": "4.01" };
      const body = { "kinds@delta": [{ "@id": "Tags(1)", "@etag": 'W/"1"', "name": "new" }] };
      const other = { "kinds@delta": [{ ...body["kinds@delta"][0], "@etag": 'W/"2"' }] };
      assert.equal((await app.patch("Books(1)", other, headers)).status, 412);
      assert.deepEqual(await app.rows("Books(1)/kinds"), []);
      assert.equal((await app.patch("Books(1)", body, headers)).status, 200);
      const [tag] = await app.rows("Books(1)/kinds?$select=ID,name");
      assert.deepEqual([tag!.ID, tag!.name], [1, "new"]);
    }));

  Deno.test(`related rows are changed in the version that the body names (Protocol 11.4.3.1, ${engine})`, () =>
    withBooks(async (app) => {
      const write = async (body: object) =>
        (await app.patch("Shelves(1)", body, { "odata-version": "4.01" })).status;
      const label = (version: number, ID = 1) => ({ ID, "name": "b", "@etag": `W/"${version}"` });
      assert.equal(await write({ tags: [label(2)] }), 412);
      assert.equal(await write({ tags: [label(3, 2)] }), 412);
      assert.equal(await write({ top: label(2) }), 412);
      assert.deepEqual((await app.rows("Labels")).map(({ name }) => name), ["a"]);
      assert.equal(await write({ tags: [label(3)] }), 200);
      assert.equal(await write({ top: label(3) }), 200);
      assert.deepEqual((await app.rows("Labels")).map(({ name }) => name), ["b"]);
    }));
}
