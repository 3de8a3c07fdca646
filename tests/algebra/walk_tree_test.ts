import assert from "node:assert/strict";
import { literal } from "../../src/algebra/build.ts";
import type { Expr } from "../../src/algebra/tree.ts";
import { fromQuery, fromXo } from "../../src/algebra/from_cqn.ts";
import { toQuery, toXo } from "../../src/algebra/to_cqn.ts";
import { mapPaths, mapTree, someOf, walkTree } from "../../src/algebra/walk_tree.ts";
import { parseCqlQuery, parseExpression } from "../../src/cqn/parse_cql.ts";

const TEXT =
  "SELECT from a.Books[x = 1].author { ID, name as n, count(*) as c, books[y > 2] { z } } where exists books[p = 1] " +
  "and (q in (3, 4) or r in (SELECT from Other { s } where t = 5)) group by u having v > 6 order by w desc limit 7 offset 8";

Deno.test("mapTree() gives the same object when nothing changes, and never edits what it was given", () => {
  const tree = fromQuery(parseCqlQuery(TEXT));
  const before = JSON.stringify(tree);
  assert.equal(mapTree(tree, (expression) => expression), tree);
  const mapped = mapTree(tree, (expression) => expression.kind === "literal" ? literal(0) : expression);
  assert.notEqual(mapped, tree);
  assert.equal(JSON.stringify(tree), before);
  assert.ok(!/[1-8]/.test(JSON.stringify(toQuery(mapped))));
});

Deno.test("walkTree() visits infix filters, nested columns, subqueries and all clauses", () => {
  const names = new Set<string>();
  walkTree(fromQuery(parseCqlQuery(TEXT)), (expression) => {
    if (expression.kind !== "reference") return;
    for (const step of expression.ref) names.add(typeof step === "string" ? step : step.id);
  });
  for (const name of ["x", "ID", "name", "y", "z", "p", "q", "r", "Other", "s", "t", "u", "v", "w"]) {
    assert.ok(names.has(name), `${name} in ${[...names].join(" ")}`);
  }
});

Deno.test("someOf() asks an expression and all within it, of subqueries only themselves", () => {
  const isTen = (expression: Expr) => expression.kind === "literal" && expression.val === 10;
  const isQuery = ({ kind }: Expr) => kind === "select" || kind === "set";
  const tree = (text: string) => fromXo(parseExpression(text))!;
  for (const text of ["10", "a = 1 and f(b, 10) > c", "case a when 1 then 10 end", "a in (9, 10)"]) {
    assert.equal(someOf(tree(text), isTen), true, text);
  }
  const inside = ["a = (SELECT b from E where c = 10)", "exists (SELECT b from E where c = 10)"];
  for (const text of inside) {
    assert.equal(someOf(tree(text), isTen), false, text);
    assert.equal(someOf(tree(text), isQuery), true, text);
  }
  const union = fromQuery(parseCqlQuery("SELECT from A where n = 10 union SELECT from B where n = 10"));
  assert.deepEqual([someOf(union, isTen), someOf(union, isQuery)], [false, true]);
});

Deno.test("mapPaths() replaces the paths of an expression, and leaves those of subqueries", () => {
  const tokens = parseExpression("a.b = 1 and f(c, -d) in (SELECT e from E where g = 1)");
  const mapped = toXo(mapPaths(fromXo(tokens)!, (ref) => ["t", ...ref]));
  const expected = parseExpression("t.a.b = 1 and f(t.c, -t.d) in (SELECT e from E where g = 1)");
  assert.deepEqual(toXo(fromXo(mapped)!), toXo(fromXo(expected)!));
});
