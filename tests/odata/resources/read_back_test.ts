/** What is read back of rows that were sent deep (OData JSON format 4.01, 4.5.11). */

import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";
import { planOf } from "../plan/model.ts";
import { readBackByKeys, readBackByOptions, sentTree } from "../../../src/odata/resources/read_back.ts";

const MODEL = linkModel(parseCdl(`
  entity Stored { key ID : Integer; deeper : Composition of many Deeper on deeper.of = $self; }
  entity Deeper { key ID : Integer; of : Association to Stored; }
  @cds.persistence.skip entity Virtual { key ID : Integer; }
  entity Orders {
    key ID : Integer;
    stored : Composition of Stored;
    many : Composition of many Stored on many.ID = ID;
    unstored : Composition of Virtual;
    hidden : Composition of Stored @cds.api.ignore;
    plain : Association to Stored;
    deep : Association to Stored @odata.deepInsert;
    unsaid : Association to Stored @odata.deepInsert: false;
  }
  @cds.persistence.skip entity Handled {
    key ID : Integer; stored : Composition of Stored; unstored : Composition of Virtual; plain : Association to Stored;
  }
`));

const SETS = linkModel(parseCdl(`service S {
  entity Parts { key ID : Integer; }
  entity Orders {
    key ID : Integer; key no : Integer; name : String; part : Association to Parts; other : Association to Parts;
    lines : Composition of many { key pos : Integer; notes : Composition of many Notes; more : Composition of many Notes; };
  }
  entity Notes { key ID : Integer; }
}`));

type Names = { readonly [name: string]: Names };

function names({ children }: ReturnType<typeof sentTree>): Names {
  return Object.fromEntries([...children].map(([name, child]) => [name, names(child)]));
}

Deno.test("compositions, and associations that are written deep, are read back where they were sent and are stored", () => {
  const row = { ID: 1 };
  const all = { stored: row, unstored: row, hidden: row, plain: row, deep: row, unsaid: row };
  const cases: readonly (readonly [entity: string, rows: readonly unknown[], expected: Names])[] = [
    ["Orders", [all], { stored: {}, deep: {} }],
    ["Orders", [{ ID: 1 }, null], {}],
    ["Orders", [], {}],
    ["Orders", [{ ID: 1 }, { stored: null }], { stored: {} }],
    ["Orders", [{ many: [] }], { many: {} }],
    ["Orders", [{ many: [{ ID: 1 }, { deeper: [row] }] }], { many: { deeper: {} } }],
    ["Deeper", [{ of: row }], {}],
    ["Handled", [all], { stored: {}, unstored: {} }],
  ];
  for (const [entity, rows, expected] of cases) {
    assert.deepEqual(names(sentTree(MODEL.entity(entity)!, rows)), expected, JSON.stringify([entity, rows]));
  }
});

Deno.test("a created row is read as its URL says, by its keys, where that says anything (OData Protocol 11.4.2)", () => {
  const planner = createPlanner(SETS.service("S")!);
  const read = (options: string) =>
    readBackByOptions(planOf(planner, `Orders${options}`, "POST"), { ID: 1, no: 2 });
  assert.equal(read(""), undefined);
  for (const options of ["$select=name", "$expand=part", "$expand=part,other", "$compute=ID add no as n"]) {
    const { queryParams, query, keys } = read(`?${options}`)!;
    assert.deepEqual([queryParams!.key0, queryParams!.key1, keys], [1, 2, { ID: 1, no: 2 }], options);
    assert.deepEqual(query.SELECT.from, {
      ref: [{
        id: "S.Orders",
        where: [{ ref: ["ID"] }, "=", { ref: ["key0"], param: true }, "and", { ref: ["no"] }, "=", {
          ref: ["key1"],
          param: true,
        }],
      }],
    });
  }
});

Deno.test("a plan, an entity and a form of deep data have one query each that reads created rows: it is compiled once", () => {
  const entity = SETS.entity("S.Orders")!;
  const planner = createPlanner(SETS.service("S")!);
  const [plan, other] = ["name", "ID"].map((name) => planOf(planner, `Orders?$select=${name}`, "POST"));
  const first = readBackByOptions(plan!, { ID: 1, no: 2 })!;
  const second = readBackByOptions(plan!, { ID: 3, no: 4 })!;
  assert.equal(first.query, second.query);
  assert.deepEqual([second.queryParams!.key0, second.queryParams!.key1], [3, 4]);
  assert.notEqual(readBackByOptions(other!, { ID: 1, no: 2 })!.query, first.query);

  const whole = (ID: number) => readBackByKeys(entity, { ID, no: 0 }).query;
  assert.equal(whole(1), whole(2));
  const deep = (rows: readonly unknown[]) =>
    readBackByKeys(entity, { ID: 1, no: 2 }, sentTree(entity, rows)).query;
  const [pos, twice, parts] = [{ pos: 1 }, { pos: 1, notes: [{}] }, { pos: 1, more: [{}] }];
  const forms = [[{ lines: [pos] }], [{ lines: [twice] }], [{ lines: [parts] }], [{ lines: [twice, parts] }]];
  for (const form of forms) assert.equal(deep(form), deep(form), JSON.stringify(form));
  assert.equal(deep([{ lines: [parts, twice] }]), deep([{ lines: [twice, parts] }]), "in any order");
  assert.equal(new Set([whole(1), ...forms.map(deep)]).size, 1 + forms.length);
});
