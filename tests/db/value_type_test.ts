/** Which type values have of which one is chosen (db/README, values). */

import assert from "node:assert/strict";
import type { Expr } from "../../src/algebra/tree.ts";
import {
  commonType,
  numberKind,
  resultType,
  symbolValue,
  typeOfChoice,
  typeOfNumbers,
  widest,
} from "../../src/db/passes/value_type.ts";

const of = (type?: string) => ({ kind: "column", name: "a", type }) as unknown as Expr;
const literal = (val: unknown, type?: string) => ({ kind: "literal", val, type }) as Expr;

Deno.test("values have a common type where the types of all are known; nothing but null has none", () => {
  const cases: readonly (readonly [values: readonly Expr[], type: string | undefined])[] = [
    [[], undefined],
    [[literal(null)], undefined],
    [[of()], undefined],
    [[of("cds.Integer"), of()], undefined],
    [[of("cds.Integer"), of("cds.Integer")], "cds.Integer"],
    [[of("cds.Integer"), literal(null)], "cds.Integer"],
    [[of("cds.Integer"), of("cds.Int64")], "cds.Decimal"],
    [[of("cds.Integer"), of("cds.Double")], "cds.Double"],
    [[of("cds.Date"), of("cds.Timestamp")], "cds.Timestamp"],
    [[of("cds.Date"), of("cds.Time")], "cds.String"],
    [[of("cds.Date"), of("cds.Integer")], "cds.String"],
    [[literal("x", "cds.String")], "cds.String"],
    [[of("cds.Date"), literal("2026-01-31", "cds.String")], "cds.Date"],
    [[of("cds.Date"), literal("x", "cds.String")], "cds.String"],
  ];
  for (const [values, type] of cases) assert.equal(commonType(values), type, JSON.stringify(values));
});

Deno.test("calculated numbers are as wide as the widest of them", () => {
  const kinds: readonly (readonly [value: Expr, kind: string])[] = [
    [{ kind: "variable", path: ["$user"] } as Expr, "whole"],
    [literal("1", "cds.Integer"), "unknown"],
    [literal(1, "cds.Integer"), "whole"],
    [literal(1), "unknown"],
    [of(), "unknown"],
    [of("cds.UInt8"), "whole"],
    [of("cds.Decimal"), "decimal"],
    [of("cds.DecimalFloat"), "decimal"],
    [of("cds.Double"), "other"],
    [of("cds.String"), "other"],
  ];
  for (const [value, kind] of kinds) assert.equal(numberKind(value), kind, JSON.stringify(value));
  const [whole, decimal, double, text] = ["Integer", "Decimal", "Double", "String"].map((one) =>
    of(`cds.${one}`)
  );
  const table: readonly (readonly [values: readonly Expr[], kind: string, type: string | undefined])[] = [
    [[], "whole", "cds.Int64"],
    [[whole!, whole!], "whole", "cds.Int64"],
    [[whole!, of()], "unknown", undefined],
    [[of(), whole!], "unknown", undefined],
    [[decimal!, of()], "decimal", "cds.Decimal"],
    [[whole!, decimal!], "decimal", "cds.Decimal"],
    [[decimal!, double!, whole!], "other", "cds.Double"],
    [[double!, of()], "other", undefined],
    [[double!, text!], "other", undefined],
  ];
  for (const [values, kind, type] of table) {
    assert.deepEqual([widest(values), typeOfNumbers(values)], [kind, type], JSON.stringify(values));
  }
});

Deno.test("a choice of whole numbers and literals with fractions is a decimal", () => {
  assert.equal(typeOfChoice([of("cds.Integer"), literal(1, "cds.Integer")]), "cds.Integer");
  const fraction = { ...literal(1.5, "cds.Decimal"), literal: "number" } as Expr;
  assert.equal(typeOfChoice([of("cds.Integer"), fraction]), "cds.Decimal");
  assert.equal(typeOfChoice([of("cds.Double"), fraction]), "cds.Double");
  assert.equal(typeOfChoice([of("cds.Integer"), of("cds.Decimal")]), "cds.Decimal");
});

Deno.test("results have the types that their form depends on", () => {
  const shown = (type: string) => resultType(of(type), of(type));
  assert.deepEqual(["Boolean", "DateTime", "Double", "Timestamp"].map((name) => shown(`cds.${name}`)), [
    ...["cds.Boolean", "cds.DateTime", "cds.Double", "cds.Timestamp"],
  ]);
  assert.deepEqual(["Integer", "String", "Date"].map((name) => shown(`cds.${name}`)), [
    ...[undefined, undefined, undefined],
  ]);
  const cast = { kind: "cast", type: "cds.String" } as Expr;
  assert.equal(resultType(cast, of("cds.Double")), "cds.String");
  assert.equal(resultType({ kind: "cast" } as Expr, of("cds.Double")), "cds.Double");
});

Deno.test("symbols of enums have their values, or their names (csn-cqn 7)", () => {
  const symbols = { a: { val: 1 }, b: {}, c: { val: "x" }, none: { val: 0 } };
  assert.deepEqual(["a", "b", "c", "none", "d", "toString"].map((one) => symbolValue(one, symbols)), [
    ...[1, "b", "x", 0, "d", "toString"],
  ]);
  assert.equal(symbolValue("a", undefined), "a");
});
