import assert from "node:assert/strict";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { UPDATE } from "../../src/cqn/builders/update.ts";
import { expr, func, list, ref, val, xpr } from "../../src/cqn/ql.ts";

Deno.test("ref(), val(), list(), func() and xpr() build expressions", () => {
  assert.deepEqual(ref("author.name"), { ref: ["author", "name"] });
  assert.deepEqual(ref("a.b", "c"), { ref: ["a.b", "c"] });
  assert.deepEqual(val(1), { val: 1 });
  assert.deepEqual(list(1, ref("x")), { list: [{ val: 1 }, { ref: ["x"] }] });
  assert.deepEqual(func("max", ref("x")), { func: "max", args: [{ ref: ["x"] }] });
  assert.deepEqual(xpr(ref("x"), ">", val(1)), { xpr: [{ ref: ["x"] }, ">", { val: 1 }] });
});

Deno.test("expr`…` parses text with values", () => {
  assert.deepEqual(expr`stock - ${2}`, { xpr: [{ ref: ["stock"] }, "-", { val: 2 }] });
  assert.deepEqual(expr`upper(${"x' or 1"})`, { func: "upper", args: [{ val: "x' or 1" }] });
});

Deno.test("built expressions stand in queries", () => {
  assert.deepEqual(UPDATE("Books").with({ stock: expr`stock - ${2}` }).UPDATE.with, {
    stock: { xpr: [{ ref: ["stock"] }, "-", { val: 2 }] },
  });
  assert.deepEqual(SELECT.from("Books").where({ stock: { "<": ref("minimum") } }).SELECT.where, [
    { ref: ["stock"] },
    "<",
    { ref: ["minimum"] },
  ]);
});
