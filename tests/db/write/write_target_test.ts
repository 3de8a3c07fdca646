import assert from "node:assert/strict";
import { powerOfTwo, rowGroups, writeTargetOf } from "../../../src/db/write/write_target.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  entity A { key ID : Integer; name : String; }
  entity K { key name : String; key no : Integer; n : Integer; calc : Integer = no + 1; to : Association to A; }
  entity ByKey as select from K { key name, key no, to.name as other, count(*) as c : Integer } group by name, no, to.name;
  entity ByPart as select from K { name } group by name;
  entity ByOther as select from K { name, no } group by to.name, no;
  entity NoKey { x : Integer; }
  entity OfNoKey as select from NoKey { x } group by x;`));

Deno.test("rows of groups by the whole key are those of the table, and no others are (csn-cqn 5)", () => {
  const target = writeTargetOf(MODEL, MODEL.entity("ByKey")!);
  assert.deepEqual([target.base.name, ...target.columns.keys()], ["K", "name", "no"]);
  assert.equal(writeTargetOf(MODEL, MODEL.entity("ByKey")!), target);
  assert.deepEqual([...writeTargetOf(MODEL, MODEL.entity("K")!).columns.keys()], [
    "name",
    "no",
    "n",
    "to_ID",
  ]);
  for (const name of ["ByPart", "ByOther", "OfNoKey"]) {
    assert.throws(() => writeTargetOf(MODEL, MODEL.entity(name)!), {
      status: 501,
      message: `Rows of "${name}" cannot be written`,
    });
  }
});

Deno.test("a power of two lies below or above a number, and is one at least", () => {
  const cases = [[0, 1, 1], [1, 1, 1], [2, 2, 2], [3, 2, 4], [4, 4, 4], [5, 4, 8], [1000, 512, 1024]];
  const found = cases.map((
    [number],
  ) => [number, powerOfTwo(number, Math.floor), powerOfTwo(number, Math.ceil)]);
  assert.deepEqual(found, cases);
});

Deno.test("conditions are joined in groups of which there are few sizes: the last condition fills them up", () => {
  const condition = (n: number) => [{ ref: ["a"] }, "=", { val: n }];
  const shown = (count: number, values = 1) =>
    rowGroups(Array.from({ length: count }, (_, n) => condition(n)), values)
      .map((group) => JSON.stringify(group).match(/"val":\d+/g)!.map((text) => Number(text.slice(6))).join());
  assert.deepEqual(shown(0), []);
  assert.deepEqual(shown(1), ["0"]);
  assert.deepEqual(rowGroups([condition(0)], 1), [condition(0)]);
  assert.deepEqual(rowGroups([condition(0), condition(1)], 1), [[{ xpr: condition(0) }, "or", {
    xpr: condition(1),
  }]]);
  assert.deepEqual(shown(3), ["0,1,2,2"]);
  assert.deepEqual(shown(5), ["0,1,2,3,4,4,4,4"]);
  assert.deepEqual(shown(2, 1_000_000), ["0", "1"]);
});
