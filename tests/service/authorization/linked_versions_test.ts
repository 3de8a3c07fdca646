import assert from "node:assert/strict";
import { type App, withApp } from "../../data/app.ts";

const MODEL = `
@odata service Test {
  entity Authors { key ID : Integer; books : Association to many Books on books.author = $self;
    tags : Composition of many { key tag : Association to Books; };
    others : Association to many Books @odata.through: 'tags.tag'; }
  @restrict: [{ to: 'authenticated-user', where: 'owner = $user' }]
  entity Books { key ID : Integer; owner : String(20); author : Association to Authors; version : Integer @odata.etag default 1; }
}
`;
const ROWS = {
  "Test.Authors": [{ ID: 1 }],
  "Test.Authors.tags": [{ up__ID: 1, tag_ID: 2 }],
  "Test.Books": [{ ID: 2, owner: "bob", author_ID: 1, version: 7 }],
};
const env = { requires: { auth: { kind: "mocked", id_prefix: "", users: { ann: {}, bob: {} } } } };

Deno.test("whoever may not change a row is not told whether a version is its own (auth 7, Protocol 11.4.3.1)", () =>
  withApp(
    { model: MODEL, rows: ROWS, env: { log: { levels: { default: "silent" } }, ...env } },
    async (app: App) => {
      const headers = { "odata-version": "4.01" };
      const status = async (user: string, url: string, body: object) =>
        (await app.send("PATCH", url, { user, body, headers })).status;
      const changes = (version: number) => {
        const change = { "ID": 2, "@etag": `W/"${version}"` };
        const removed = { ...change, "@removed": { reason: "changed" } };
        return [
          ["Authors(1)/books", { value: [removed] }],
          ["Authors(1)/others", { value: [removed] }],
          ["Authors(1)", { "books@delta": [change] }],
          ["Authors(1)", { "books@delta": [removed] }],
          ["Authors(1)", { "books@delta": [{ ...removed, "@removed": { reason: "deleted" } }] }],
          ["Authors(1)", { "others@delta": [change] }],
        ] as const;
      };
      for (const [index, [url, body]] of changes(7).entries()) {
        const [, other] = changes(8)[index]!;
        assert.equal(await status("ann", url, body), await status("ann", url, other), JSON.stringify(body));
        assert.equal(await status("bob", url, other), 412, JSON.stringify(body));
      }
      for (const [url, body] of changes(7).slice(1, 4)) assert.ok(await status("bob", url, body) < 300);
    },
  ));
