import assert from "node:assert/strict";
import type { Expr } from "../../../src/algebra/tree.ts";
import {
  type Binding,
  bindingOf,
  comparesAttributes,
  isNumber,
  needsType,
  placeholderType,
  valueType,
} from "../../../src/db/render/binding.ts";

Deno.test("what is known of a value: whole numbers of 32 bits, other numbers, infinite ones, truth values", () => {
  const table: readonly (readonly [value: unknown, type: string])[] = [
    ...[[true, "boolean"], [false, "boolean"], ["1", "other"], [null, "other"], [
      undefined,
      "other",
    ]] as const,
    ...[[0, "integer"], [-1, "integer"], [1.5, "number"], [2 ** 31 - 1, "integer"], [
      2 ** 31,
      "number",
    ]] as const,
    ...[[1 - 2 ** 31, "integer"], [-(2 ** 31), "number"], [Infinity, "infinite"]] as const,
    ...[[-Infinity, "infinite"], [NaN, "number"], [2n ** 53n, "number"], [
      new Uint8Array(),
      "other",
    ]] as const,
  ];
  for (const [value, type] of table) assert.equal(valueType(value), type, `${value} (${typeof value})`);
});

Deno.test("numbers, and texts of digits that stand for numbers, are written into SQL", () => {
  const texts: Readonly<Record<string, boolean>> = {
    ...{ "1": true, "+1": true, "-1.5": true, "12345678901234567890": true },
    ...{ "1.": false, ".5": false, "1e5": false, "x": false, "": false, "1 ": false, "--1": false },
  };
  for (const [val, is] of Object.entries(texts)) {
    assert.equal(isNumber({ val, literal: "number" }), is, val);
    assert.equal(isNumber({ val }), false, val);
  }
  assert.deepEqual([1, 1.5, 1n].map((val) => isNumber({ val } as never)), [true, true, true]);
  assert.deepEqual([null, true].map((val) => isNumber({ val, literal: "number" } as never)), [false, false]);
});

Deno.test("bindings of parameters and variables have the form of what they are compared with", () => {
  const form = { type: "cds.Date", name: "d" };
  assert.deepEqual(bindingOf({ kind: "parameter", name: "p" }), { kind: "param", name: "p" });
  assert.deepEqual(bindingOf({ kind: "parameter", name: "p", form }), { kind: "param", name: "p", form });
  assert.deepEqual(bindingOf({ kind: "variable", path: ["$now"] }), { kind: "variable", path: ["$now"] });
  assert.deepEqual(bindingOf({ kind: "variable", path: ["$now"], form }), {
    kind: "variable",
    path: ["$now"],
    form,
  });
});

Deno.test("placeholders have the types of their parameters, in the form of what they are compared with", () => {
  const types = { p: "integer", b: "boolean", n: "number", t: "other" } as const;
  const of = (name: string, type?: string) =>
    placeholderType({ kind: "param", name, ...(type && { form: { type, name } }) }, types);
  assert.deepEqual(["p", "b", "n", "t", "none"].map((name) => of(name)), [
    ...["integer", "boolean", "number", "other", undefined],
  ]);
  assert.deepEqual(["p", "b", "n", "t", "none"].map((name) => of(name, "cds.Integer")), [
    ...["integer", "integer", "number", "other", undefined],
  ]);
  assert.deepEqual(["p", "b", "n", "none"].map((name) => of(name, "cds.String")), [
    ...["other", "other", "other", undefined],
  ]);
  assert.equal(placeholderType({ kind: "variable", path: ["p"] }, types), undefined);
  assert.equal(placeholderType({ kind: "value", value: 1 }, types), undefined);
});

Deno.test("databases cannot tell types of bound values and of texts", () => {
  const table: readonly (readonly [operand: unknown, needs: boolean])[] = [
    [{ kind: "parameter", name: "p" }, true],
    [{ kind: "variable", path: ["$now"] }, true],
    [{ kind: "literal", val: "x" }, true],
    [{ kind: "literal", val: 1 }, false],
    [{ kind: "literal", val: null }, false],
    [{ kind: "reference", ref: ["a"] }, false],
  ];
  for (const [operand, needs] of table) {
    assert.equal(needsType(operand as Expr), needs, JSON.stringify(operand));
  }
});

Deno.test("attributes of users are variables with several values", () => {
  const variable: Binding = { kind: "variable", path: ["$user", "a"] };
  assert.equal(comparesAttributes([]), false);
  assert.equal(comparesAttributes([variable]), false);
  assert.equal(comparesAttributes([{ kind: "param", name: "a", list: true }]), false);
  assert.equal(comparesAttributes([variable, { ...variable, list: true }]), true);
});
