import assert from "node:assert/strict";
import { problemsOf } from "./problems_of.ts";

const BASE = `
  entity A { key id : Integer; no : Integer; s { no : Integer; }; m : Association to B;
    to : Association to B on to.no = id; own : Association to B on own.no = $self.id;
    inner : Association to B on inner.no = s.no; along : Association to B on along.no = m.id; }
  entity B { key id : Integer; no : Integer; }
`;

Deno.test("a condition that a view selects is not about other columns of the same name [csn-cqn 6]", () => {
  const needs = (association: string, name: string) =>
    `Association "${association}" of "V" needs element "${name}" of its source, which "V" does not select`;
  const cases: readonly (readonly [view: string, ...problems: string[]])[] = [
    ["entity V as select from A { key no as id, $self.id as x, to }", needs("to", "id")],
    ["entity V as select from A { key no as id, own }", needs("own", "id")],
    ["entity V as select from A { key no, no + 1 as id : Integer, to as x }", needs("x", "id")],
    ["entity V as select from A { key no as id, to[no = 1] as x }", needs("x", "id")],
    ["entity V as select from A as a { key a.no as id, a.to }", needs("to", "id")],
    ["entity V as select from A { key id, no as s_no, inner }", needs("inner", "s.no")],
    ["entity V as select from A { key id, no as m, along }", needs("along", "m.id")],
    [
      "entity V as select from A mixin { x : Association to B on x.no = id } into { key no as id, x }",
      needs("x", "id"),
    ],
    ["entity V as select from A { key no as id, id as old, to, own }"],
    ["entity V as select from A { key no as id, * }"],
    ["entity V as select from A { key no as id, to : redirected to B on to.no = id }"],
    ["entity V as select from A { key no as id, x : Association to B on x.no = id }"],
    [
      "entity V as select from A mixin { x : Association to B on x.no = $projection.id } into { key no as id, x }",
    ],
    ["event V : projection on A { no as id, to }"],
  ];
  for (const [view, ...problems] of cases) assert.deepEqual(problemsOf(`${BASE}${view};`), problems, view);
});
