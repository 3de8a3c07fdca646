/** Which operators bind more strongly than others: what stands in parentheses follows from it. */

import assert from "node:assert/strict";
import type { Expr } from "../../src/algebra/tree.ts";
import { precedenceOf, PRIMARY } from "../../src/db/render/equal_texts.ts";

const strength = (kind: string, op?: string) => precedenceOf({ kind, op } as unknown as Expr);

Deno.test("operators bind more strongly in the order of SQL, and nothing more than what stands alone", () => {
  const order = [
    ...[
      strength("joined", "or"),
      strength("joined", "and"),
      strength("unary", "not"),
      strength("comparison"),
    ],
    ...[strength("joined", "||"), strength("arithmetic", "+"), strength("arithmetic", "*")],
    ...[strength("unary", "-"), PRIMARY],
  ];
  for (let at = 1; at < order.length; at++) assert.ok(order[at - 1]! < order[at]!, String(at));
  assert.equal(strength("arithmetic", "-"), strength("arithmetic", "+"));
  assert.equal(strength("arithmetic", "/"), strength("arithmetic", "*"));
  for (const kind of ["in", "like", "between"]) assert.equal(strength(kind), strength("comparison"), kind);
  for (const kind of ["literal", "column", "call", "case", "exists"]) {
    assert.equal(strength(kind), PRIMARY, kind);
  }
});
