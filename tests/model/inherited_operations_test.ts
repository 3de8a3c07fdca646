/**
 * Projections have the bound operations of their sources (OData Protocol 11.5: operations are bound to types).
 *
 * @module
 */

import assert from "node:assert/strict";
import type { fw } from "../../mod.ts";
import { createRuntime } from "../../src/fw.ts";
import { compile } from "../../src/fw/facade_compile.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { csnOf } from "../fw/shop.ts";

const MODEL = `
  namespace db;
  entity Authors { key ID : Integer; } actions { action sign() returns Authors; action all(in: many $self) returns array of Authors; };
  entity Books { key ID : Integer; stock : Integer; } actions {
    action restock(by : Integer) returns Integer;
    function info() returns String;
    @requires: 'admin' action drop();
  };
  service S {
    entity Authors as projection on db.Authors;
    entity Books as projection on db.Books excluding { drop } actions { function info(verbose : Boolean) returns Integer; };
    entity Shown as projection on Books;
    entity Joined as select from db.Books join db.Authors on Books.ID = Authors.ID { Books.ID };
  }
  service T { entity Books as projection on db.Books; }
  annotate S.Books with actions { restock @title: 'Fill up'; };
`;

const model = linkModel(csnOf(MODEL));
const actionsOf = (name: string) => Object.keys(model.entity(name)!.actions).sort();

Deno.test("projections have the operations of their source, but those that are excluded or declared anew", () => {
  assert.deepEqual(actionsOf("db.S.Authors"), ["all", "sign"]);
  assert.deepEqual(actionsOf("db.S.Books"), ["info", "restock"]);
  assert.deepEqual(actionsOf("db.S.Shown"), ["info", "restock"]);
  assert.deepEqual(actionsOf("db.T.Books"), ["drop", "info", "restock"]);
  assert.deepEqual(actionsOf("db.S.Joined"), []);
  assert.deepEqual(Object.keys(model.entity("db.S.Shown")!.actions.info.params), ["verbose"]);
});

Deno.test("annotations of an inherited operation are those of the projection", () => {
  const title = (name: string) => (model.entity(name)!.actions.restock as { "@title"?: string })["@title"];
  assert.deepEqual([title("db.S.Books"), title("db.S.Shown"), title("db.Books")], [
    "Fill up",
    "Fill up",
    undefined,
  ]);
  const drop = model.entity("db.T.Books")!.actions.drop as { "@requires"?: string };
  assert.equal(drop["@requires"], "admin");
});

Deno.test("inherited operations return rows of the projection, and stand in CSDL", () => {
  const { sign, all } = model.entity("db.S.Authors")!.actions;
  assert.equal(sign.returns?.type, "db.S.Authors");
  const metadata = compile.to.edmx(model, { service: "db.S" });
  assert.match(metadata, /<Action Name="sign"[^>]*>\s*<Parameter Name="in" Type="db\.S\.Authors"/);
  assert.match(metadata, /<ReturnType Type="db\.S\.Authors"/);
  assert.equal(all.$collectionBound, true);
});

Deno.test("inherited operations are called on the projection, and restricted as at their source", async () => {
  const runtime = createRuntime({
    model: csnOf(MODEL),
    data: new Map([["db.Books", [{ ID: 1, stock: 5 }]]]),
    env: { log: { levels: { default: "silent" } } },
    handlers: {
      "db.T": (srv: InstanceType<typeof fw.Service>) => {
        srv.on("restock", "Books", (req) => (req.data as { by: number }).by + 1);
        srv.on("drop", "Books", () => {});
      },
    },
  });
  try {
    await runtime.start();
    const call = (name: string, body = "{}") =>
      runtime.fetch(
        new Request(`http://localhost/odata/v4/t/Books(1)/db.T.${name}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body,
        }),
      );
    const restocked = await call("restock", '{"by":2}');
    assert.deepEqual([restocked.status, (await restocked.json()).value], [200, 3]);
    assert.equal((await call("drop")).status, 401);
  } finally {
    await runtime.close();
  }
});
