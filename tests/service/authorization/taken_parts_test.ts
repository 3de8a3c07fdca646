import assert from "node:assert/strict";
import { ENGINES } from "../../odata/engines.ts";
import { type App, errorOf, withApp } from "../../data/app.ts";

const MODEL = `
namespace db;
entity Orders { key ID : Integer; owner : String(20); note : Composition of one Notes; seal : Composition of one Seals;
  extra_ID : Integer; extra : Composition of one Extras on extra.ID = extra_ID; }
entity Notes { key ID : Integer; text : String(20); mark : Composition of one Marks; }
entity Marks { key ID : Integer; text : String(20); }
entity Extras { key ID : Integer; text : String(20); }
entity Seals { key ID : Integer; owner : String(20); }
@path: 'test' @odata service Test {
  @restrict: [{ to: 'authenticated-user', where: 'owner = $user' }]
  entity Orders as projection on db.Orders;
  @restrict: [{ to: 'authenticated-user', where: 'owner = $user' }]
  entity Seals as projection on db.Seals;
}
`;
const ROWS = {
  "db.Orders": [{ ID: 1, owner: "ann", note_ID: 1, extra_ID: 1 }, {
    ID: 2,
    owner: "bob",
    note_ID: 2,
    extra_ID: 2,
  }, { ID: 30, owner: "ann", note_ID: 90 }],
  "db.Notes": [
    { ID: 1, text: "ann", mark_ID: 1 },
    { ID: 2, text: "bob", mark_ID: 2 },
    { ID: 90, text: "ann" },
  ],
  "db.Marks": [{ ID: 1, text: "ann" }, { ID: 2, text: "bob" }],
  "db.Extras": [{ ID: 1, text: "ann" }, { ID: 2, text: "bob" }],
};
const env = {
  log: { levels: { default: "silent" } },
  requires: { db: { kind: "given" }, auth: { kind: "mocked", id_prefix: "", users: { ann: {}, bob: {} } } },
};

for (const [engine, database] of Object.entries(ENGINES)) {
  const withOrders = (test: (app: App) => Promise<unknown>) =>
    withApp({ model: MODEL, rows: ROWS, database, env }, test);

  Deno.test(`a row takes over no part of a row that the user may not change (auth 7, ${engine})`, () =>
    withOrders(async (app) => {
      const refused = async (method: string, path: string, body: object) => {
        const error = errorOf(await app.send(method, path, { user: "ann", body }), 400);
        assert.equal(error.code, "ASSERT_TARGET", JSON.stringify(error));
        return error.target;
      };
      assert.equal(await refused("PATCH", "Orders(1)", { note_ID: 2 }), "note_ID");
      assert.equal(await refused("PATCH", "Orders(1)", { extra_ID: 2 }), "extra_ID");
      assert.equal(await refused("PATCH", "Orders(1)", { "note@bind": "Notes(2)" }), "note_ID");
      assert.equal(await refused("PATCH", "Orders(1)", { note: { mark_ID: 2 } }), "note/mark_ID");
      assert.equal(await refused("PUT", "Orders(1)/note/$ref", { "@id": "Notes(2)" }), "note_ID");
      const other = { note_ID: 2, note: { ID: 1, text: "x" } };
      await app.send("PATCH", "Orders(1)", { user: "ann", body: other });
      await app.send("POST", "Orders", {
        user: "ann",
        body: { ...other, ID: 5, owner: "ann", note: { ID: 5 } },
      });
      for (const order of ["Orders(1)", "Orders(5)"]) {
        assert.notEqual((await app.send("GET", `${order}/note`, { user: "ann" })).body.text, "bob");
      }
      const body = { ID: 3, owner: "ann", note: { "@id": "Notes(2)" } };
      assert.equal(await refused("POST", "Orders", body), "note_ID");
    }));

  Deno.test(`a row keeps its parts, and takes over those of rows that the user may change (auth 7, ${engine})`, () =>
    withOrders(async (app) => {
      const write = async (method: string, path: string, body: object) =>
        (await app.send(method, path, { user: "ann", body })).status;
      assert.equal(await write("PATCH", "Orders(1)", { note_ID: 1, extra_ID: 1 }), 200);
      assert.equal(await write("PATCH", "Orders(1)", { note: { ID: 1, mark_ID: 1 } }), 200);
      assert.equal(await write("POST", "Orders", { ID: 3, owner: "ann", note: { "@id": "Notes(1)" } }), 201);
      assert.equal(await write("PATCH", "Orders(1)", { note_ID: null }), 200);
    }));

  Deno.test(`a part is changed by its path by whoever may change its whole (auth 7, ${engine})`, () =>
    withOrders(async (app) => {
      const changed = async (user: string) =>
        (await app.send("PATCH", "Orders(30)/note", { user, body: { text: user } })).status;
      assert.equal(await changed("bob"), 403);
      assert.equal(await changed("ann"), 200);
      assert.equal((await app.send("GET", "Orders(30)/note", { user: "ann" })).body.text, "ann");
    }));

  Deno.test(`a new part with a restriction of its own is no missing target (auth 7, ${engine})`, () =>
    withOrders(async (app) => {
      const write = async (method: string, path: string, body: object) =>
        (await app.send(method, path, { user: "ann", body })).status;
      const seal = (owner: string) => ({ ID: 9, owner });
      assert.equal(await write("PATCH", "Orders(1)", { seal: seal("bob") }), 403);
      assert.equal(await write("PATCH", "Orders(1)", { seal: seal("ann") }), 200);
      assert.equal(
        await write("POST", "Orders", { ID: 4, owner: "ann", seal: { ID: 10, owner: "ann" } }),
        201,
      );
    }));
}
