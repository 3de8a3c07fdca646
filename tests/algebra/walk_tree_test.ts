import assert from "node:assert/strict";
import { literal } from "../../src/algebra/build.ts";
import { fromQuery } from "../../src/algebra/from_cqn.ts";
import { toQuery } from "../../src/algebra/to_cqn.ts";
import { mapTree, walkTree } from "../../src/algebra/walk_tree.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";

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
