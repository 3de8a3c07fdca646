import assert from "node:assert/strict";
import { writeTargetOf } from "../../src/db/write/write_target.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  entity A { key ID : Integer; name : String; twice : Integer = ID * 2; virtual hint : String; to : Association to A; }
  entity P as projection on A { ID, name as title, to, ID + 1 as next : Integer };
  entity Q as projection on P { ID as no, title };
  entity Joined as select from A join A as B on A.ID = B.ID { A.ID };
  entity Both as select from A { key ID } union all select from P { key ID };
  entity Behind as select from A:to { ID };
  entity Once as select distinct from A { ID };
  entity Grouped as select from A { name } group by name;
`));

const target = (name: string) => writeTargetOf(MODEL, MODEL.entity(name)!);

Deno.test("rows of projections are those of the entity behind all of them, by the names of its columns", () => {
  const namesOf = (name: string) =>
    [...target(name).columns].map(([column, { name: base }]) => [column, base].join());
  assert.deepEqual(["A", "P", "Q"].map((name) => target(name).base.name), ["A", "A", "A"]);
  assert.deepEqual(namesOf("A"), ["ID,ID", "name,name", "to_ID,to_ID"]);
  assert.deepEqual(namesOf("P"), ["ID,ID", "title,name", "to_ID,to_ID"]);
  assert.deepEqual(namesOf("Q"), ["no,ID", "title,name"]);
});

Deno.test("rows of views over joins, unions, paths and groups, and of distinct rows, cannot be written", () => {
  for (const name of ["Joined", "Both", "Behind", "Once", "Grouped"]) {
    assert.throws(() => target(name), { status: 501, message: `Rows of "${name}" cannot be written` });
  }
});
