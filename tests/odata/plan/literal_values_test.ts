import assert from "node:assert/strict";
import { convertLiteral } from "../../../src/odata/plan/expressions/literal_values.ts";
import type { PrimitiveLiteral } from "../../../src/odata/url/ast.ts";

function converted(text: string, builtin: string): unknown {
  const literal: PrimitiveLiteral = {
    kind: "primitiveLiteral",
    type: text.includes("T") ? "Edm.DateTimeOffset" : "Edm.Date",
    offset: 0,
    text,
    value: text,
  };
  return convertLiteral(literal, { builtin });
}

Deno.test("convertLiteral() takes real days of the years 1 to 9999 only, which all engines compare (ABNF dateValue)", () => {
  for (const day of ["2024-02-29", "0001-01-01", "9999-12-31"]) {
    assert.equal(converted(day, "cds.Date"), day);
  }
  assert.equal(converted("2024-02-29", "cds.DateTime"), "2024-02-29T00:00:00Z");
  assert.equal(converted("2024-02-29T00:00:00Z", "cds.Date"), "2024-02-29");
  const days = [
    ...["2023-02-29", "2024-04-31", "2024-13-01", "2024-01-00"],
    ...["0000-02-29", "-004-02-28", "-0004-02-29", "12024-02-29"],
  ];
  for (const day of [...days, ...days.map((day) => `${day}T00:00:00Z`)]) {
    for (const builtin of ["cds.Date", "cds.DateTime", "cds.Timestamp"]) {
      assert.throws(() => converted(day, builtin), { status: 400 }, `${day} as ${builtin}`);
    }
  }
});

Deno.test("convertLiteral() takes true and false, as numbers and in quotes as well, for Booleans (URL 5.1.1)", () => {
  const value = (type: PrimitiveLiteral["type"], given: PrimitiveLiteral["value"]) =>
    convertLiteral({ kind: "primitiveLiteral", type, offset: 0, text: String(given), value: given }, {
      builtin: "cds.Boolean",
    });
  const taken: readonly [
    type: PrimitiveLiteral["type"],
    given: PrimitiveLiteral["value"],
    expected: boolean,
  ][] = [
    ["Edm.Boolean", true, true],
    ["Edm.Boolean", false, false],
    ["Edm.String", "true", true],
    ["Edm.String", "false", false],
    ["Edm.Int64", 1, true],
    ["Edm.Int64", 0, false],
  ];
  for (const [type, given, expected] of taken) assert.equal(value(type, given), expected, `${type} ${given}`);
  for (
    const [type, given] of [["Edm.String", "no"], ["Edm.String", ""], ["Edm.String", "TRUE"], [
      "Edm.Int64",
      2,
    ], ["Edm.Date", "2020-01-01"]] as const
  ) {
    assert.throws(() => value(type, given), { status: 400 }, `${type} ${given}`);
  }
});

Deno.test("convertLiteral() takes no quoted times that are finer than values of a type, as nothing lies between two (URL 5.1.1)", () => {
  const value = (builtin: string, value: string, type: PrimitiveLiteral["type"] = "Edm.String") =>
    convertLiteral({ kind: "primitiveLiteral", type, offset: 0, text: `'${value}'`, value }, { builtin });
  assert.equal(value("cds.Time", "10:20:30.000"), "10:20:30");
  assert.equal(value("cds.Time", "10:20:30.5", "Edm.TimeOfDay"), "10:20:30");
  assert.equal(value("cds.DateTime", "2024-02-29T10:20:30.0Z"), "2024-02-29T10:20:30Z");
  assert.equal(value("cds.Timestamp", "2024-02-29T10:20:30.1230Z"), "2024-02-29T10:20:30.123Z");
  const finer = [
    ["cds.Time", "10:20:30.5"],
    ["cds.DateTime", "2024-02-29T10:20:30.001Z"],
    ["cds.Timestamp", "2024-02-29T10:20:30.1234Z"],
  ] as const;
  for (const [builtin, text] of finer) assert.throws(() => value(builtin, text), { status: 400 }, text);
});
