import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { inferModel } from "../../../src/model/infer_model.ts";
import { problemsOf } from "./problems_of.ts";

const BASE = `
  entity A { key id : Integer; name : String; b : Association to B; nums { x : Integer; y : Integer; } }
  entity B { key id : Integer; code : String; a : Association to A; items : Association to many A on items.b = $self; }
  entity P(q : Integer, d : Integer default 1) as select from A { id, name, b } where id = :q;
  extend B with { p : Association to P; };
`;

/** What is wrong with a view. */
function wrong(query: string): readonly string[] {
  return problemsOf(`${BASE}entity V as ${query};`);
}

Deno.test("each source of a join gets its parameters, in joins of joins too [csn-cqn 6]", () => {
  const missing = ['Expected a value for parameter "q" of "P"'];
  const cases: readonly (readonly [query: string, ...problems: string[]])[] = [
    ["select from P { id }", ...missing],
    ["select from P(q: 1) { id }"],
    ["select from P(q: 1, d: 2) { id }"],
    ["select from P(q: 1, z: 2) { id }", 'Unknown parameter "z" of "P"'],
    ["select from P(q: 1, toString: 2) { id }", 'Unknown parameter "toString" of "P"'],
    ["select from A(toString: 2) { id }", 'Unknown parameter "toString" of "A"'],
    ["select from A as a join P as p on a.id = p.id { a.id }", ...missing],
    ["select from P as p join A as a on a.id = p.id { a.id }", ...missing],
    ["select from P(q: 1) as p join A as a on a.id = p.id { a.id }"],
    ["select from A as a join P(q: 1) as p on a.id = p.id join P as r on a.id = r.id { a.id }", ...missing],
    ["select from A { id } where exists (select from P { id })", ...missing],
    ["select from A { id } where exists (select from P(q: 1) { id })"],
    ["select from B { id, p.name }"],
    ["select from B { id, p(q: 1).name }"],
    ["select from B { id, p(z: 1).name }", 'Unknown parameter "z" of "p"'],
    ["select from B:p { id }"],
    ["select from B:p(z: 1) { id }", 'Unknown parameter "z" of "p"'],
    [
      "select from A:b[zz = 1] { id }",
      'Unresolved path "zz" in "V": unknown element "zz"; a text is written in single quotes: \'zz\'',
    ],
    ["select from A:b[code = 'x'] { id }"],
  ];
  for (const [query, ...problems] of cases) assert.deepEqual(wrong(query), problems, query);
});

Deno.test("names behind nested columns are those of what they are nested in, and of what is around [csn-cqn 6]", () => {
  const unknown = (name: string) =>
    `Unresolved path "${name}" in "V": unknown element "${name}"; a text is written in single quotes: '${name}'`;
  const cases: readonly (readonly [query: string, ...problems: string[]])[] = [
    ["select from A { id, b { upper(code) as up } }"],
    ["select from A { id, b.{ upper(code) as up } }"],
    ["select from A { id, nums.{ x + y as sum } }"],
    ["select from A { id, nums.{ x + id as sum } }"],
    ["select from A { id, b { upper(zz) as up } }", unknown("zz")],
    ["select from A { id, nums.{ zz + y as sum } }", unknown("zz")],
    ["select from A { id, { upper(name) as up } as both }"],
    ["select from A { id, { upper(code) as up } as both }", unknown("code")],
    ["select from B { id, items[name = 'x'] { id } }"],
    ["select from B { id, items[b.code = 'x'] { id } }"],
    ["select from B { id, items[zz = 'x'] { id } }", unknown("zz")],
    ["select from B { id, items { id, b[zz = 'x'] { id } } }", unknown("zz")],
  ];
  for (const [query, ...problems] of cases) assert.deepEqual(wrong(query), problems, query);
});

Deno.test("the columns of a list may stand for a number of others, each counted as often as it is named", () => {
  const list = (count: number, own = "$self") =>
    ["id as c0", ...Array.from({ length: count }, (_, i) => `${own}.c${i} + ${own}.c${i} as c${i + 1}`)].join(
      ", ",
    );
  for (const own of ["$self", "$projection"]) {
    assert.deepEqual(wrong(`select from A { ${list(6, own)} }`), [], own);
    const [first, ...others] = wrong(`select from A { ${list(30, own)} }`);
    assert.match(first, /^Column "c\d+" stands for more than \d+ others$/, own);
    assert.deepEqual(others, []);
  }
  const apart = Array.from({ length: 30 }, (_, i) => `id + id as c${i}`).join(", ");
  assert.deepEqual(wrong(`select from A { ${apart} }`), []);
});

Deno.test("columns are not made of themselves; behind its own name a column finds the element of the source", () => {
  const cases: readonly (readonly [columns: string, ...problems: string[]])[] = [
    ["id, $self.x + 1 as x : Integer", 'Cyclic column in "V"'],
    ["id, $projection.x + 1 as x : Integer", 'Cyclic column in "V"'],
    ["id, $self.z + 1 as y : Integer, $self.y + 1 as z : Integer", 'Cyclic column in "V"'],
    ["$self.id + 1 as id : Integer"],
    ["id, $self.x + 1 as y : Integer, id + 1 as x : Integer"],
  ];
  for (const [columns, ...problems] of cases) {
    assert.deepEqual(wrong(`select from A { ${columns} }`), problems, columns);
  }
});

Deno.test("conditions of mixins compare columns that are values; associations that are selected are none [csn-cqn 11]", () => {
  const mixin = (on: string, columns: string) =>
    `select from A mixin { m : Association to B on ${on}; } into { id, ${columns}, m }`;
  const view = (on: string, columns: string) => wrong(mixin(on, columns));
  assert.deepEqual(view("m.id = $self.n", "id as n"), []);
  assert.deepEqual(view("m.id = $projection.n", "id as n"), []);
  assert.deepEqual(view("m.id = $self.zz", "id as n"), [
    'Unresolved path "$self.zz" in "V": unknown element "zz"; a text is written in single quotes: \'zz\'',
  ]);
  assert.deepEqual(view("m.id = $self.v", "virtual v : Integer").length, 1);
  assert.deepEqual(view("m.a.id = $self.b.id", "b"), []);
  assert.doesNotThrow(() => inferModel(parseCdl(`${BASE}entity V as ${mixin("m.id = id", "name")};`)));
});

Deno.test("associations to views without key are followed by no path, with $self in front neither", () => {
  const told = ['Association "n" in "V" cannot be followed: "N" has no key'];
  const cases: readonly (readonly [query: string, ...problems: string[]])[] = [
    ["select from C { id, n }"],
    ["select from C { id, n as m, $self.m as o }"],
    ["select from C { id, n.name as x }", ...told],
    ["select from C { id, upper(n.name) as x }", ...told],
    ["select from C { id, upper($self.n.name) as x }", ...told],
    ["select from C { id, upper($projection.n.name) as x }", ...told],
    ["select from C { id } where $self.n.name = 'x'", ...told],
    ["select from C { id } where not exists n", ...told],
    ["select from C { id } where exists c.n", ...told],
    ["select from C { id } where exists c[n.name = 'x']", ...told],
    ["select from C { id } where exists c[exists n]", ...told],
    ["select from C { id } order by n.name", ...told],
    ["select from C { id } where exists many"],
    ["select from C { id, many.name as x }"],
    ["select from C:n { name }", ...told],
    ["select from C as c { id } where exists (select from C as d { id } where d.id = c.n.name)", ...told],
    ["select from C { id, coalesce(null, n.name) as x }", ...told],
    ["select from C { id } where id in (1, n.name)", ...told],
    ["select from C { id, (1 + (2 + n.name)) as x : Integer }", ...told],
  ];
  for (const [query, ...problems] of cases) {
    const model = `${BASE} entity N as select from A { name };
      entity C { key id : Integer; n : Association to N; c : Association to C; many : Association to many N on many.name = 'x'; }`;
    assert.deepEqual(problemsOf(`${model} entity V as ${query};`), problems, query);
  }
});

Deno.test("parameters and arguments of functions are known in all their forms", () => {
  const unknown = 'Unknown parameter "r" of "V"';
  const path = (name: string) =>
    `Unresolved path "${name}" in "V": unknown element "${name}"; a text is written in single quotes: '${name}'`;
  const cases: readonly (readonly [where: string, ...problems: string[]])[] = [
    ["id = :q"],
    ["id = $parameters.q"],
    ["id = :r", unknown],
    ["id = $parameters.r", unknown],
    ["coalesce(id, id) = 1"],
    ["coalesce(id, zz) = 1", path("zz")],
    ["f(a => id) = 1"],
    ["f(a => zz) = 1", path("zz")],
    ["f(a => id, b => :r) = 1", unknown],
    ["count(*) = 1"],
    ["id in (1, zz)", path("zz")],
    ["(id = 1 or (zz = 2))", path("zz")],
    ["name.length() = 1", 'Found a method call in "V", which no database understands'],
  ];
  for (const [where, ...problems] of cases) {
    assert.deepEqual(
      problemsOf(`${BASE} entity V(q : Integer) as select from A { id } where ${where};`),
      problems,
      where,
    );
  }
});
