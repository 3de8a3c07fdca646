import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { CsnElement } from "../../../src/model/csn.ts";
import type { Draft } from "../../../src/model/infer/draft.ts";
import { isAggregating, viewOrigins } from "../../../src/model/infer/view_associations.ts";
import { inferModel } from "../../../src/model/infer_model.ts";

const BASE = `
  entity A { key id : Integer; name : String; b : Association to B; c : Association to B; }
  entity B { key id : Integer; code : String; }
`;

/** Elements of `V`, or what is wrong. */
function elementsOf(text: string): Record<string, CsnElement> | string {
  try {
    return JSON.parse(JSON.stringify(inferModel(parseCdl(BASE + text)).definitions!.V!.elements));
  } catch (error) {
    return (error as Error).message.replace(/^\S+ /, "");
  }
}

/** What an association, redirected to `W`, holds of it. */
function keysOf(association: string, query: string): string {
  const elements = elementsOf(`
    entity O { key id : Integer; to : ${association}; }
    entity W as ${query};
    entity V as projection on O { id, to : redirected to W };`);
  if (typeof elements === "string") return elements;
  return elements.to.keys!.map(({ ref, as }) => ref.join(".") + (as ? ` as ${as}` : "")).join(", ");
}

Deno.test("a redirected association names its keys as the new target does, by the first of several names, the own one before [csn-cqn 11]", () => {
  const needs = (name: string) =>
    `Association "to" of "V" needs element "${name}" of its target, which "W" does not select`;
  const cases: readonly (readonly [association: string, query: string, keys: string])[] = [
    ["Association to A", "select from A { id }", "id"],
    ["Association to A", "select from A { id as no }", "no as id"],
    ["Association to A", "select from A { id as no, id as other }", "no as id"],
    ["Association to A", "select from A { id as no, id }", "id"],
    ["Association to A", "select from A { id, id as no }", "id"],
    ["Association to A", "select from A { name as id }", needs("id")],
    ["Association to A", "select from A { id + 1 as id }", needs("id")],
    ["Association to A { b.id }", "select from A { id, b }", "b.id"],
    ["Association to A { b.id }", "select from A { id, b as d }", "d.id as b_id"],
    ["Association to A { b.id as x }", "select from A { id, b as d }", "d.id as x"],
    ["Association to A { b.id }", "select from A { id, b.id as d, b as e }", "e.id as b_id"],
    ["Association to A { b.id }", "select from A { id, b.code as d }", needs("b")],
    ["Association to A", "select from A as l join A as r on l.id = r.id { r.id as x, l.id as y }", "x as id"],
    ["Association to A", "select from A as l join A as r on l.id = r.id { l.id as x, r.id }", "x as id"],
    ["Association to A", "select from A as l join A as r on l.id = r.id { l.name, r.id }", needs("id")],
    ["Association to A", "select from B as b join A as a on a.id = b.id { b.id as x, a.id as y }", "y as id"],
    ["Association to B", "select from B as b join A as a on a.id = b.id { a.id, b.id as y }", "y as id"],
  ];
  const found = cases.map(([association, query]) => [association, query, keysOf(association, query)]);
  assert.deepEqual(found, cases);
});

/** A condition as text. */
function text(tokens: readonly unknown[] | undefined): string {
  return (tokens ?? []).map((token) => {
    if (typeof token === "string") return token;
    const { ref, val, xpr, func, args } = token as Record<string, unknown[]> & { func?: string };
    return func
      ? `${func}(${text(args)})`
      : ref
      ? ref.join(".")
      : xpr
      ? `(${text(xpr)})`
      : JSON.stringify(val);
  }).join(" ");
}

Deno.test("the condition of an association behind another one runs along that, \$self there is written out [csn-cqn 11]", () => {
  const cases: readonly (readonly [column: string, on: string, condition: string])[] = [
    ["to", "to.n = m", "to.n = m"],
    ["s.to as x", "to.n = m", "x.n = s.m"],
    ["s.to as x", "to.n = $self.m", "x.n = s.m"],
    ["s.to as x", "to.n = $self.m and m = $user.id", "x.n = s.m and s.m = $user.id"],
    ["s.to as x", "to.back = $self", "x.back.id = s.id"],
    ["s.to as x", "$self = to.back", "x.back.id = s.id"],
    ["s.to as x", "to.back = $self and m = 1", "(x.back.id = s.id) and s.m = 1"],
    ["s.to as x", "m = 1 and to.back = $self", "s.m = 1 and (x.back.id = s.id)"],
    ["s.to as x", "(to.back = $self) and m = 1", "(x.back.id = s.id) and s.m = 1"],
    [
      "s.to as x",
      "m = abs(to.n) and (to.back = $self or to.n = 2)",
      "s.m = abs(x.n) and ((x.back.id = s.id) or x.n = 2)",
    ],
    ["s.to as x", "to.both = $self", "x.both.id = s.id and x.both.m = s.m"],
    ["s.to as x", "to.n = 1 and to.both = $self", "x.n = 1 and (x.both.id = s.id and x.both.m = s.m)"],
    ["s.to[n = 1] as x", "to.n = m", "(x.n = s.m) and (x.n = 1)"],
    ["to[n = 1] as x", "to.n = m", "(x.n = m) and (x.n = 1)"],
  ];
  const found = cases.map(([column, on]) => {
    const elements = elementsOf(`
      entity S { key id : Integer; m : Integer; s : Association to S; to : Association to many T on ${on}; }
      entity T { key id : Integer; n : Integer; back : Association to S; both : Association to S { id, m }; }
      entity V as select from S { id, m, s, ${column} };`);
    return [column, on, typeof elements === "string" ? elements : text((elements.x ?? elements.to).on)];
  });
  assert.deepEqual(found, cases);
});

Deno.test("what is said of a redirected association counts: its condition, its keys, how many it leads to", () => {
  const cases: readonly (readonly [column: string, element: string])[] = [
    ["b", "B 1 id"],
    ["b : redirected to W", "W 1 id"],
    ["b : redirected to W { code }", "W 1 code"],
    ["b : redirected to W on b.code = name", "W 1 on b.code = name"],
    ["b : Association to W { code }", "W 1 code"],
    ["b : Association to many W on b.code = name", "W many on b.code = name"],
    ["b[1: code = 'x'] as b", 'B 1 on (b.id = b.id) and (b.code = "x")'],
    ["b[code = $user.id] as b", "B 1 on (b.id = b.id) and (b.code = $user.id)"],
  ];
  const found = cases.map(([column]) => {
    const elements = elementsOf(`
      entity W as projection on B;
      entity V as select from A { id, name, ${column} };`);
    if (typeof elements === "string") return [column, elements];
    const { target, cardinality, keys, on } = elements.b;
    const many = cardinality?.max === "*" ? "many" : "1";
    const by = on ? `on ${text(on)}` : "";
    return [
      column,
      [target, many, ...(keys ?? []).map(({ ref }) => ref.join(".")), by].filter((part) => part).join(" "),
    ];
  });
  assert.deepEqual(found, cases);
});

Deno.test("the condition of a redirected association names what it needs as the new target does [csn-cqn 11]", () => {
  const cases: readonly (readonly [on: string, columns: string, condition: string])[] = [
    ["to.id = id", "id", "to.id = id"],
    ["to.id = id", "id as no", "to.no = id"],
    ["to.b.id = id", "id, b as d", "to.d.id = id"],
    ["to.s.x.y = id", "id, s as z", "to.z.x.y = id"],
    [
      "id = 1 and (to.name = 'x' or to.id = id)",
      "id as no, name as n",
      'id = 1 and (to.n = "x" or to.no = id)',
    ],
    [
      "to.name = 'x'",
      "id",
      'Association "to" of "V" needs element "name" of its target, which "W" does not select',
    ],
  ];
  const found = cases.map(([on, columns]) => {
    const elements = elementsOf(`
      extend A with { s { x { y : Integer; } } };
      entity O { key id : Integer; to : Association to many A on ${on}; }
      entity W as select from A { ${columns} };
      entity V as projection on O { id, to : redirected to W };`);
    return [on, columns, typeof elements === "string" ? elements : text(elements.to.on)];
  });
  assert.deepEqual(found, cases);
});

Deno.test("views that come from each other end somewhere", () => {
  const view = (from: string) => ({ kind: "entity", projection: { from: { ref: [from] } } }) as const;
  const draft = { definitions: { V: view("W"), W: view("V"), X: view("Y"), Y: { kind: "entity" } } };
  assert.deepEqual(viewOrigins(draft as unknown as Draft, "X"), ["Y"]);
  assert.equal(viewOrigins(draft as unknown as Draft, "V").length, 100);
  assert.equal(isAggregating(draft as unknown as Draft, "Y"), false);
});
