import assert from "node:assert/strict";
import { type App, withApp } from "../../data/app.ts";

const MODEL = `
@odata service Test {
  entity Orders { key ID : Integer; name : String(20);
    items : Composition of many Items on items.parent = $self; note : Composition of one Notes; }
  @restrict: [{ to: 'authenticated-user', where: 'owner = $user' }]
  entity Items { key ID : Integer; parent : Association to Orders; owner : String(20); text : String(20);
    version : Integer @odata.etag default 1; parts : Composition of many Parts on parts.item = $self; }
  entity Parts { key ID : Integer; item : Association to Items; text : String(20); version : Integer @odata.etag default 1; }
  @restrict: [{ to: 'authenticated-user', where: 'owner = $user' }]
  entity Notes { key ID : Integer; owner : String(20); text : String(20); version : Integer @odata.etag default 1; }
}
`;
const ROWS = {
  "Test.Orders": [{ ID: 1, name: "one", note_ID: 5 }],
  "Test.Items": [
    { ID: 2, parent_ID: 1, owner: "bob", text: "a", version: 7 },
    { ID: 3, parent_ID: 1, owner: "ann", text: "b", version: 7 },
  ],
  "Test.Parts": [{ ID: 4, item_ID: 2, text: "p", version: 7 }],
  "Test.Notes": [{ ID: 5, owner: "bob", text: "n", version: 7 }],
};
const env = { requires: { auth: { kind: "mocked", id_prefix: "", users: { ann: {}, bob: {} } } } };

type Change = readonly [what: string, body: object];

/** Changes of rows of bob that name the version of one of them. */
function changes(version: number): readonly Change[] {
  const tag = { "@etag": `W/"${version}"` };
  const removed = { "@removed": { reason: "deleted" } };
  return [
    ["a row of all", { items: [{ ID: 2, ...tag, text: "x" }] }],
    ["a row behind one of the caller", { items: [{ ID: 3 }, { ID: 2, ...tag }] }],
    ["a changed row", { "items@delta": [{ ID: 2, ...tag, text: "x" }] }],
    ["a row without changes", { "items@delta": [{ ID: 2, ...tag }] }],
    ["a removed row", { "items@delta": [{ ID: 2, ...tag, ...removed }] }],
    ["a changed part", { "items@delta": [{ ID: 2, "parts@delta": [{ ID: 4, ...tag, text: "x" }] }] }],
    ["a removed part", { "items@delta": [{ ID: 2, "parts@delta": [{ ID: 4, ...tag, ...removed }] }] }],
    ["a single row", { note: { ID: 5, ...tag, text: "x" } }],
    ["a single row without key", { note: { ...tag, text: "x" } }],
  ];
}

async function statusOf(app: App, user: string, body: object): Promise<number> {
  const headers = { "odata-version": "4.01" };
  return (await app.send("PATCH", "Orders(1)", { user, body, headers })).status;
}

Deno.test("who may not change a nested row is not told whether a version is its own (auth 7, Protocol 11.4.3.1)", () =>
  withApp({ model: MODEL, rows: ROWS, env }, async (app) => {
    for (const [index, [what, body]] of changes(7).entries()) {
      const [, other] = changes(8)[index]!;
      assert.deepEqual(
        [await statusOf(app, "ann", body), await statusOf(app, "ann", other)],
        [403, 403],
        what,
      );
    }
  }));

Deno.test("who may change a nested row is told of a version that is not its own (Protocol 11.4.3.1)", async () => {
  for (const [index, [what, body]] of changes(7).entries()) {
    await withApp({ model: MODEL, rows: ROWS, env }, async (app) => {
      assert.equal(await statusOf(app, "bob", changes(8)[index]![1]), 412, what);
      // the other rows of a full set are those of ann
      assert.equal(await statusOf(app, "bob", body), "items" in body ? 403 : 200, what);
    });
  }
});
