import assert from "node:assert/strict";
import { fromXo } from "../../src/algebra/from_cqn.ts";
import { toXo } from "../../src/algebra/to_cqn.ts";
import type { Xo } from "../../src/cqn/cqn.ts";
import { parseExpression } from "../../src/cqn/parse_cql.ts";

const n = { ref: ["n"] };
const one = { val: 1 };
const choice = { xpr: ["case", "when", n, "=", one, "then", { val: true }, "else", { val: false }, "end"] };

/** What is written again as it was read. */
const SAME: readonly (readonly unknown[])[] = [
  [n, "is", "null"],
  [n, "is", "not", "null"],
  [n, "=", { val: null }],
  [n, "=", { val: "2024-01-01" }],
  [n, "=", { val: "2024-01-01", literal: "date" }],
  [choice, "and", n, "=", one],
  [{ xpr: [n, "=", one, "or", n, "is", "null"] }, "and", choice],
  [{ ref: [{ id: "items", where: [n, "=", one] }, "n"] }, "=", one],
  [{ ref: ["$now"] }, ">", n],
  [{ ref: ["least"], param: true }, "<=", n],
  parseExpression("rank() over (partition by a, b order by n desc, m nulls first)"),
  parseExpression("sum(n) over (order by n rows between 1 preceding and current row)"),
];

Deno.test("toXo() writes what fromXo() reads", () => {
  for (const tokens of SAME) {
    const tree = fromXo(tokens as readonly Xo[]);
    assert.ok(tree, JSON.stringify(tokens));
    assert.deepEqual(toXo(tree), tokens);
  }
});

Deno.test("toXo() writes tests for null without an operand, and parameters by their name", () => {
  const written = (tokens: readonly unknown[]) => toXo(fromXo(tokens as readonly Xo[])!);
  assert.deepEqual(written([n, "is", { val: null }]), [n, "is", "null"]);
  assert.deepEqual(written([n, "is not", { val: null }]), [n, "is", "not", "null"]);
  assert.deepEqual(written([{ ref: [{ id: "a" }], param: true }, "=", n]), [
    ...[{ ref: ["a"], param: true }, "=", n],
  ]);
});
