/** What is done to values of one type where another one is asked for. */

import assert from "node:assert/strict";
import type { Expr } from "../../src/algebra/tree.ts";
import { converted } from "../../src/db/passes/conversions.ts";

/** A value of a row. */
function column(type: string | undefined): Expr {
  return { kind: "column", alias: "t", name: "c", type } as unknown as Expr;
}

/** What becomes of it: the function and its literals, or what it is. */
function conversion(from: string | undefined, to: string): string {
  const value = column(from && `cds.${from}`);
  const found = converted(value, `cds.${to}`) as unknown as {
    readonly kind: string;
    readonly name?: string;
    readonly func?: string;
    readonly val?: unknown;
    readonly args?: readonly { readonly val?: unknown }[];
  };
  if (found === value as unknown) return "=";
  if (found.kind === "literal") return String(found.val);
  return [found.kind, found.func ?? found.name, ...(found.args ?? []).slice(1).map(({ val }) => val)].join(
    " ",
  ).trim();
}

/** What becomes of a value of each type as one of some others; `=` is what stays as it is. */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  UInt8: {
    UInt8: "=",
    Int16: "=",
    Int32: "=",
    Integer: "=",
    Int64: "=",
    Decimal: "=",
    Boolean: "comparison",
  },
  Int16: { UInt8: "call $whole -1 256", Int32: "=", Integer: "=", Int64: "=", Double: "=", String: "=" },
  Int32: { UInt8: "call $whole -1 256", Int16: "call $whole -32769 32768", Integer: "=", Int64: "=" },
  Integer: { UInt8: "call $whole -1 256", Int16: "call $whole -32769 32768", Int32: "=", Date: "null" },
  Int64: { Integer: "call $whole -2147483649 2147483648", Decimal: "=", Time: "null", UUID: "=" },
  Decimal: {
    Int64: "call $whole -9223372036854775809 9223372036854775808",
    Double: "=",
    Boolean: "comparison",
  },
  Boolean: { Integer: "call $flag_number", Decimal: "call $flag_number", String: "=", Date: "null" },
  String: {
    ...{ String: "=", UUID: "call $form_of_cds.uuid", Int64: "call $form_of_cds.int64", Boolean: "case" },
    ...{ Date: "call $form_of_cds.date", Timestamp: "call $form_of_cds.timestamp" },
    ...{ Double: "call $form_of_cds.double" },
  },
  LargeString: { Integer: "call $form_of_cds.integer", String: "=", Decimal: "call $form_of_cds.decimal" },
  UUID: { String: "=", Time: "call $form_of_cds.time", UInt8: "call $form_of_cds.uint8" },
  Date: {
    DateTime: "call $datetime_of_date",
    Timestamp: "call $timestamp_of_date",
    Time: "null",
    String: "null",
  },
  Time: { Date: "null", Time: "=", Integer: "null", Boolean: "null" },
  DateTime: { Date: "call date", Time: "call time", Timestamp: "call $timestamp_of_datetime", Int64: "null" },
  Timestamp: {
    Date: "call date",
    Time: "call time",
    DateTime: "call $datetime_of_timestamp",
    Double: "null",
  },
  Binary: { Integer: "call $whole -2147483649 2147483648", String: "=", Date: "null", Boolean: "=" },
};

Deno.test("values are converted where the other type does not hold all of them as they are", () => {
  for (const [from, others] of Object.entries(TABLE)) {
    for (const [to, expected] of Object.entries(others)) {
      assert.equal(conversion(from, to), expected, `${from} as ${to}`);
    }
  }
});

Deno.test("of values whose type is unknown only those that become integers are converted", () => {
  assert.equal(conversion(undefined, "Int16"), "call $whole -32769 32768");
  assert.equal(conversion(undefined, "Int64"), "call $whole -9223372036854775809 9223372036854775808");
  for (const to of ["Decimal", "Double", "Boolean", "String", "Date", "Timestamp", "UUID"]) {
    assert.equal(conversion(undefined, to), "=", to);
  }
});
