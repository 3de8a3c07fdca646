/** Numbers as their columns hold them (db/README, "Numbers that are written"). */

import assert from "node:assert/strict";
import { isNumeral, numberValue } from "../../src/db/write/number_value.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  entity my.E { key ID : Integer; byte : UInt8; short : Int16; large : Int64; two : Decimal(5,2);
    none : Decimal(3,0); all : Decimal(2,2); plain : Decimal; f : Double; s : String(5); }
`));
const { $flat: COLUMNS } = MODEL.entities("my").E;

type Value = number | bigint | string;

const HELD: Readonly<Record<string, readonly (readonly [value: Value, held: Value])[]>> = {
  byte: [[0, 0], [255, 255], ["255", "255"], ["+7", "+7"]],
  short: [[-32768, -32768], ["32767", "32767"]],
  ID: [[2147483647, 2147483647], ["-2147483648", "-2147483648"], [5n, 5n]],
  large: [
    ["9223372036854775807", "9223372036854775807"],
    ["-9223372036854775808", "-9223372036854775808"],
    [9223372036854775807n, 9223372036854775807n],
    [9007199254740993, 9007199254740993],
  ],
  two: [
    [999, 999],
    [-999, -999],
    [7n, 7n],
    ["7", "7"],
    ["1.5", "1.5"],
    ["1.25", "1.25"],
    ["+1.25", "+1.25"],
    ["001.25", "001.25"],
    // a half goes away from zero
    [1.255, 1.26],
    ["1.255", "1.26"],
    ["1.254", "1.25"],
    ["1.25499", "1.25"],
    ["-1.255", "-1.26"],
    ["+1.255", "1.26"],
    ["999.994", "999.99"],
    ["0.994", "0.99"],
    ["0.996", "1.00"],
    ["0.009", "0.01"],
    ["1255e-3", "1.26"],
    [1e-7, 0],
    [-1.005, -1.01],
    // zero has no sign
    ["-0.001", "0.00"],
    ["-0.005", "-0.01"],
    [-0.001, 0],
  ],
  none: [["1.5", "2"], ["1.4", "1"], ["-0.5", "-1"], ["-0.4", "0"], ["998.5", "999"], [2.5, 3]],
  all: [["0.25", "0.25"], ["0.254", "0.25"], ["-0.994", "-0.99"], [0.5, 0.5], [0, 0]],
  plain: [["1.23456789", "1.23456789"], [1e300, 1e300], ["1e5", "1e5"]],
  f: [["INF", Infinity], ["-INF", -Infinity], ["NaN", "NaN"], ["1e5", "1e5"], [Infinity, Infinity], [
    0.1,
    0.1,
  ]],
  s: [["any", "any"]],
};

Deno.test("columns of numbers hold those of their types, decimals with the digits that are declared", () => {
  for (const [name, cases] of Object.entries(HELD)) {
    for (const [value, held] of cases) {
      const found = numberValue(value, COLUMNS.get(name)!);
      assert.ok(Object.is(found, held), `${name}: ${value} (${typeof value}) → ${found} (${typeof found})`);
    }
  }
});

const REFUSED: Readonly<Record<string, readonly Value[]>> = {
  byte: [-1, 256, "256", 1.5],
  short: [-32769, 32768],
  ID: [2147483648, -2147483649n, "1.0", "1e2", "", "x", NaN, Infinity],
  large: [
    2 ** 63,
    -(2 ** 63),
    1.5,
    "9223372036854775808",
    "-9223372036854775809",
    2n ** 63n,
    "1.0",
    "1".repeat(31),
  ],
  two: [
    1000,
    -1000,
    1000n,
    "1000",
    "999.995",
    999.995,
    "-999.995",
    "1e3",
    "",
    ".5",
    "5.",
    "1,5",
    "NaN",
    NaN,
    Infinity,
  ],
  none: ["999.5", 1000],
  all: [1, "1", "0.995", "-1.00"],
  plain: ["x", "", Infinity, NaN],
  f: ["x", "", "Infinity"],
};

Deno.test("columns of numbers refuse what is none of their types, or too large", () => {
  for (const [name, values] of Object.entries(REFUSED)) {
    for (const value of values) {
      const refusal = { status: 400, code: "ASSERT_DATA_TYPE", target: name };
      assert.throws(
        () => numberValue(value, COLUMNS.get(name)!),
        refusal,
        `${name}: ${value} (${typeof value})`,
      );
    }
  }
});

Deno.test("what is refused is told with its type, and long values with their beginning", () => {
  const argsOf = (name: string, value: Value) => {
    try {
      return numberValue(value, COLUMNS.get(name)!);
    } catch (error) {
      return (error as { readonly args?: unknown }).args;
    }
  };
  assert.deepEqual(argsOf("two", "x"), ["x", "Decimal(5,2)"]);
  assert.deepEqual(argsOf("plain", "x"), ["x", "Decimal"]);
  assert.deepEqual(argsOf("ID", 1.5), ["1.5", "Integer"]);
  assert.deepEqual(argsOf("ID", "9".repeat(100)), ["9".repeat(100), "Integer"]);
  assert.deepEqual(argsOf("ID", "9".repeat(101)), [`${"9".repeat(100)}…`, "Integer"]);
});

Deno.test("numbers and texts of numbers are told from others", () => {
  for (const value of [0, -1.5, 5n, "5", "-5.25", "+5", "1e-7", "1E5"]) {
    assert.ok(isNumeral(value), String(value));
  }
  for (const value of [NaN, Infinity, "", "x", "1.", ".5", "INF", "0x10", " 1", "1e"]) {
    assert.ok(!isNumeral(value), String(value));
  }
});
