import assert from "node:assert/strict";
import { anyOf, conjunction, equalities, everyOf, toExpression } from "../../src/cqn/conjunction.ts";

const [a, b] = [{ ref: ["a"] }, { ref: ["b"] }];
const [one, two] = [{ val: 1 }, { val: 2 }];

Deno.test("conjunction() joins the conditions that are there, each in parentheses, and leaves a single one as it is", () => {
  const [left, right] = [[a, "=", one], [b, "=", two]];
  assert.deepEqual(conjunction(left, undefined, [], right), [{ xpr: left }, "and", { xpr: right }]);
  assert.deepEqual(conjunction(left, right, left)!.filter((xo) => xo === "and"), ["and", "and"]);
  assert.equal(conjunction([], undefined, left), left);
  assert.equal(conjunction([], undefined), undefined);
});

Deno.test("everyOf() joins a condition for each item, with its place", () => {
  const condition = (name: string, at: number) => [{ ref: [name] }, "=", { val: at }];
  assert.deepEqual(everyOf(["a", "b"], condition), [a, "=", { val: 0 }, "and", b, "=", one]);
  assert.deepEqual(everyOf([], condition), []);
});

Deno.test("equalities() and anyOf() find rows by their values", () => {
  const row = (x: number, y: number) => ({ a: x, b: y });
  const same = (x: number, y: number) => [a, "=", { val: x }, "and", b, "=", { val: y }];
  assert.deepEqual(equalities(row(1, 2)), same(1, 2));
  assert.deepEqual(equalities({}), []);
  assert.deepEqual(anyOf(["a"], [row(1, 2), row(2, 2)]), [a, "in", { list: [one, two] }]);
  assert.deepEqual(anyOf(["a", "b"], [row(1, 2)]), same(1, 2));
  assert.deepEqual(anyOf(["a", "b"], [row(1, 2), row(3, 4), row(5, 6)]), [
    { xpr: same(1, 2) },
    "or",
    { xpr: [{ xpr: same(3, 4) }, "or", { xpr: same(5, 6) }] },
  ]);
  assert.deepEqual(anyOf(["a", "b"], []), []);
});

Deno.test("toExpression() gives a single operand as it is", () => {
  assert.equal(toExpression([a]), a);
  assert.deepEqual(toExpression([a, "=", one]), { xpr: [a, "=", one] });
  assert.deepEqual(toExpression(["null"]), { xpr: ["null"] });
});
