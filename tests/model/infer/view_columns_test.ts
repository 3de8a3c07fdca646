import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { inferModel } from "../../../src/model/infer_model.ts";

/** The elements of a view with columns, or what is wrong with them. */
function elementsOf(columns: string): readonly string[] {
  const base = "entity A { key id : Integer; b : Association to A; }";
  try {
    const { definitions } = inferModel(parseCdl(`${base} entity V as select from A { ${columns} };`));
    return Object.entries(definitions!.V!.elements!).map(([name, { type }]) => `${name} : ${type}`);
  } catch (error) {
    return (error as Error).message.split("\n").map((line) =>
      line.replace(/^model\.cds:\d+:\d+: |, did you mean .*/g, "")
    );
  }
}

Deno.test("$self leads to other columns of a view, wherever they stand, and not to the one that it stands in", () => {
  const one = "id : cds.Integer";
  const unknown = (path: string, name: string) =>
    `Unknown column "$self.${path}" in "V": unknown element "${name}"`;
  const found = [
    "id, $self.id as x",
    "id, $self.y as x, id as y",
    "id, $projection.b as c, b",
    "id, $self.b as b",
    "id, $self.b.id as b",
    "id, $self.b.{ id as no }",
    "id, $self.b.{ b.{ id } }",
    "id, $self.x as x",
    "id, $self.x.y as x",
    "id, $self.y as x, $self.x as y",
    "id, $self as x",
    "id, $projection as x",
  ].map(elementsOf);
  assert.deepEqual(found, [
    [one, "x : cds.Integer"],
    [one, "x : cds.Integer", "y : cds.Integer"],
    [one, "c : cds.Association", "b : cds.Association"],
    [one, "b : cds.Association"],
    [unknown("b.id", "id")],
    [one, "no : cds.Integer"],
    [one, "b_b_id : cds.Integer"],
    [unknown("x", "x")],
    [unknown("x.y", "x")],
    [unknown("y", "y"), unknown("x", "x")],
    ['Unknown column "$self" in "V": unknown element "$self"'],
    ['Unknown column "$projection" in "V": unknown element "$projection"'],
  ]);
});

Deno.test("columns are named by their alias, the last step of their path, or their function", () => {
  const base = "entity A { key id : Integer; name : String; b : Association to A; }";
  const { definitions } = inferModel(parseCdl(
    `${base} entity V(since : Date) as select from A { id, b.name, :since as given : Date, count(*), 1 as one, b.b as c };`,
  ));
  assert.deepEqual(Object.entries(definitions!.V!.elements!).map(([name, { type }]) => [name, type]), [
    ["id", "cds.Integer"],
    ["name", "cds.String"],
    ["given", "cds.Date"],
    ["count", "cds.Int64"],
    ["one", "cds.Integer"],
    ["c", "cds.Association"],
  ]);
  assert.deepEqual(elementsOf("id, 1 + 1"), [
    'A column of "V" is an expression without name, expected "as <name>"',
  ]);
});
