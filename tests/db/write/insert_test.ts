/** What INSERT takes: rows, rows behind a path, rows of a query. */

import assert from "node:assert/strict";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import type { SelectQuery } from "../../../src/cqn/cqn.ts";
import { writing } from "./rows_after.ts";

const MODEL = `
  entity Orders { key ID : Integer; title : String; customer : Association to Orders;
    items : Composition of many Items on items.order = $self;
    open : Composition of many Items on open.order = $self and open.kind = 'open'; }
  entity Items { key ID : Integer; order : Association to Orders; kind : String; }
  entity Made { key ID : UUID; title : String; @cds.on.insert : $now at : Timestamp; }
  entity Shown as projection on Orders { ID, title as name, ID + 1 as next : Integer };`;
const ROWS = { Orders: [{ ID: 1, title: "a" }, { ID: 2, title: "b" }] };
const behind = (id: number, step: string) => ({
  ref: [{ id: "Orders", where: [{ ref: ["ID"] }, "=", { val: id }] }, step],
});
const from = (text: string) => parseCqlQuery(text) as SelectQuery;

Deno.test("rows behind a path get what links them to the row that it starts at, which has to be there", () =>
  writing(MODEL, ROWS, async ({ run, rows }) => {
    await run({ INSERT: { into: behind(1, "items"), entries: [{ ID: 1, kind: "x", order_ID: 7 }] } });
    await run({ INSERT: { into: behind(2, "open"), entries: [{ ID: 2 }, { ID: 3, kind: "x" }] } });
    await run({
      INSERT: {
        into: behind(2, "items"),
        from: from("SELECT from Orders { ID + 10 as ID, title as kind }"),
      } as never,
    });
    await run({ UPSERT: { into: behind(1, "open"), entries: [{ ID: 2 }] } });
    assert.deepEqual(await rows("SELECT from Items { ID, order.ID as o, kind } order by ID"), [
      ...["1 1 x", "2 1 open", "3 2 open", "11 2 a", "12 2 b"],
    ]);
    await assert.rejects(run({ INSERT: { into: behind(9, "items"), entries: [{ ID: 4 }] } }), {
      status: 404,
    });
    await assert.rejects(run({ INSERT: { into: behind(1, "customer"), entries: [{ ID: 4 }] } }), {
      status: 405,
      message: "Rows can be added along associations to many only",
    });
  }));

Deno.test("rows of a query are inserted under the names of its columns, with what is generated for each", () =>
  writing(MODEL, ROWS, async ({ run, rows }) => {
    await run({
      INSERT: { into: "Orders", from: from("SELECT from Orders { ID + 10 as ID, title }") } as never,
    });
    await run({
      INSERT: {
        into: "Shown",
        columns: ["ID", "name"],
        from: from("SELECT from Orders { ID + 20 as x, title as y } where ID = 1"),
      } as never,
    });
    assert.deepEqual(await rows("SELECT from Orders { ID, title } order by ID"), [
      "1 a",
      "2 b",
      "11 a",
      "12 b",
      "21 a",
    ]);
    await run({ INSERT: { into: "Made", from: from("SELECT from Orders { title } where ID < 3") } as never });
    const made = await rows("SELECT from Made { title, ID, at } order by title");
    assert.match(made.join(), /^a [-0-9a-f]{36} \d{4}-\S+Z,b [-0-9a-f]{36} \d{4}-\S+Z$/);
    await assert.rejects(
      run({ INSERT: { into: "Shown", from: from("SELECT from Orders { ID as next }") } as never }),
      {
        name: "TypeError",
        message: 'Column "next" of "Shown" cannot be written',
      },
    );
  }));
