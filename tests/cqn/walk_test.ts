import assert from "node:assert/strict";
import type { Query, Xo } from "../../src/cqn/cqn.ts";
import { mapRefs, walkQuery } from "../../src/cqn/walk.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { printQuery } from "../../src/cqn/print_query.ts";

const TEXT =
  "SELECT from a.Books[x = 1].author { ID, name as n, count(*) as c, books[y > 2] { z } } where exists books[p = 1] " +
  "and (q in (3, 4) or r in (SELECT from Other { s } where t = 5)) group by u having v > 6 order by w desc limit 7 offset 8";

function refsOf(query: Query): string[] {
  const refs: string[] = [];
  walkQuery(query, (node) => {
    if ("ref" in node && node.ref) {
      refs.push(node.ref.map((step) => typeof step === "string" ? step : step.id).join("."));
    }
  });
  return refs;
}

Deno.test("walkQuery() visits infix filters, nested columns, subqueries and all clauses", () => {
  const refs = refsOf(parseCqlQuery(TEXT));
  for (const name of ["x", "ID", "name", "y", "z", "p", "q", "r", "Other", "s", "t", "u", "v", "w"]) {
    assert.ok(refs.includes(name), `${name} in ${refs.join(" ")}`);
  }
});

Deno.test("walkQuery() visits writing queries", () => {
  assert.deepEqual(
    refsOf({ UPDATE: { entity: "A", with: { x: { ref: ["y"] } }, where: [{ ref: ["z"] }] } }),
    [
      "z",
      "y",
    ],
  );
  assert.deepEqual(refsOf({ DELETE: { from: { ref: ["A"] }, where: [{ ref: ["z"] }] } }), ["A", "z"]);
  assert.deepEqual(refsOf({ INSERT: { into: "A", from: { SELECT: { from: { ref: ["B"] } } } } }), ["B"]);
});

Deno.test("mapRefs() maps paths in lists, brackets and arguments, by place and by name, but none of queries and parameters", () => {
  const a = { ref: ["a"] };
  const query = { SELECT: { from: a } };
  const given = (ref: object) =>
    [
      ref,
      "in",
      { list: [ref, { xpr: [ref] }] },
      { func: "f", args: [ref] },
      { func: "g", args: { p: ref, q: { val: null } } },
      { ref: ["a"], param: true },
      query,
    ] as unknown as Xo[];
  assert.deepEqual(mapRefs(given(a), (ref) => ["b", ...ref]), given({ ref: ["b", "a"] }));
});

Deno.test("printQuery() prints what the parser reads", () => {
  const query = parseCqlQuery(TEXT);
  assert.deepEqual(parseCqlQuery(printQuery(query)), query);
});

Deno.test("printQuery() hides values when asked to", () => {
  assert.equal(
    printQuery(
      { UPDATE: { entity: "A", data: { x: "secret" }, where: [{ ref: ["y"] }, "=", { val: "s" }] } },
      {
        values: false,
      },
    ),
    "UPDATE A set x = ? where y = ?",
  );
  assert.equal(
    printQuery({ INSERT: { into: "A", entries: [{ x: 1n }] } }),
    'INSERT into A entries [{"x":"1"}]',
  );
});

Deno.test("printQuery() quotes names and texts", () => {
  assert.equal(
    printQuery({ SELECT: { from: { ref: ["A b"] }, where: [{ ref: ["x"] }, "=", { val: "it's" }] } }),
    "SELECT from ![A b] where x = 'it''s'",
  );
});

Deno.test("walkQuery() visits all that a step of a path holds", () => {
  const ref = (name: string) => ({ ref: [name] });
  const step = {
    id: "A",
    where: [ref("where")],
    args: { p: ref("arg") },
    rows: { list: [ref("rows")] },
    query: { SELECT: { from: ref("from") } },
    groupBy: [ref("group")],
    having: [ref("having")],
    orderBy: [ref("order")],
  };
  assert.deepEqual(refsOf({ SELECT: { from: { ref: [step, "b"] } } }), [
    ...["A.b", "where", "arg", "rows", "from", "group", "having", "order"],
  ]);
});

Deno.test("walkQuery() visits all queries of a union, and its order", () => {
  const union = parseCqlQuery("select a from A union select b from B order by c");
  assert.deepEqual(refsOf(union), ["A", "a", "B", "b", "c"]);
});
