import assert from "node:assert/strict";
import type { ResolvedType } from "../../src/model/linked.ts";
import { parseJson } from "../../src/odata/payload/parse_json.ts";
import { readPrimitive } from "../../src/odata/payload/read_value.ts";
import { writePrimitive, writeRawValue } from "../../src/odata/payload/write_value.ts";
import { typeText } from "../../src/service/validation/check_type.ts";

function expectRead(type: ResolvedType | string, cases: Readonly<Record<string, unknown>>): void {
  const resolved = typeof type === "string" ? { builtin: `cds.${type}` } : type;
  for (const [json, expected] of Object.entries(cases)) {
    assert.deepEqual(
      readPrimitive(parseJson(json, 9), resolved, 255),
      expected,
      `${resolved.builtin} ${json}`,
    );
  }
}

const no = undefined;

Deno.test("readPrimitive() takes Booleans and whole numbers within the range of the type only", () => {
  expectRead("Boolean", { true: true, '"true"': no, "1": no });
  expectRead("UInt8", { "0": 0, "255": 255, "256": no, "-1": no });
  expectRead("Int16", { "-32768": -32768, "32768": no });
  expectRead("Integer", { "2147483647": 2147483647, "2147483648": no, "1.5": no, '"5"': no, "5.0": 5 });
});

Deno.test("readPrimitive() keeps all digits of Int64 and Decimal, given as number or text", () => {
  expectRead("Int64", {
    "12": 12,
    "9007199254740993": "9007199254740993",
    '"9223372036854775807"': "9223372036854775807",
    '"9223372036854775808"': no,
    "1.5": no,
  });
  expectRead({ builtin: "cds.Decimal", precision: 9, scale: 2 }, {
    "9.99": 9.99,
    '"9.90"': 9.9,
    "9.999": no,
    "12345678": no,
    "1234567.89": 1234567.89,
    '"1e2"': 100,
    '"x"': no,
    '""': no,
    "true": no,
    '"-0.00"': 0,
  });
  expectRead("Decimal", {
    '"123456789012345678.9"': "123456789012345678.9",
    "0.10000000000000000001": "0.10000000000000000001",
    "1e400": no,
  });
  expectRead({ builtin: "cds.Decimal", precision: 5 }, { "12345": 12345, "1.5": no });
});

Deno.test("readPrimitive() takes real days, times and instants", () => {
  expectRead("Date", {
    '"2024-02-29"': "2024-02-29",
    '"2023-02-29"': no,
    '"2024-13-01"': no,
    '"2024-1-1"': no,
  });
  expectRead("Time", {
    '"12:30"': "12:30:00",
    '"23:59:59"': "23:59:59",
    '"25:00:00"': no,
    '"12:00:00.000"': "12:00:00",
    '"12:00:00.5"': no,
  });
  expectRead("DateTime", {
    '"2024-12-31T12:00:00+02:00"': "2024-12-31T10:00:00Z",
    '"2024-12-31T12:00:00.999Z"': "2024-12-31T12:00:00Z",
    '"2024-12-31T12:00:00"': no,
    '"yesterday"': no,
    '"2024-02-30T12:00:00Z"': no,
  });
  expectRead("Timestamp", {
    '"2024-12-31T12:00:00.123456Z"': "2024-12-31T12:00:00.123Z",
    '"2024-12-31T12:00Z"': "2024-12-31T12:00:00.000Z",
    '"2024-12-31 12:00:00"': no,
  });
});

Deno.test("readPrimitive() checks length of text, form of UUID and base64", () => {
  expectRead({ builtin: "cds.String", length: 3 }, {
    '"abc"': "abc",
    '"abcd"': no,
    '"😀😀😀"': "😀😀😀",
    "5": no,
  });
  expectRead("UUID", {
    '"ABCDEFAB-1111-4111-8111-111111111111"': "ABCDEFAB-1111-4111-8111-111111111111",
    '"ABCDEFAB111141118111111111111111"': "ABCDEFAB111141118111111111111111",
    '"x"': no,
  });
  const bytes = new Uint8Array([255, 239]);
  expectRead("Binary", { '"_-8="': bytes, '"/+8"': bytes, '"?"': no, "5": no });
  expectRead("Double", { "1.5": 1.5, '"INF"': Infinity, '"-INF"': -Infinity, '"NaN"': NaN, '"1.5"': no });
});

Deno.test("typeText() gives the CDS form of a type", () => {
  assert.equal(typeText({ builtin: "cds.String" }, 255), "String(255)");
  assert.equal(typeText({ builtin: "cds.Decimal", precision: 9, scale: 2 }, 255), "Decimal(9,2)");
  assert.equal(typeText({ builtin: "cds.Integer" }, 255), "Integer");
});

function write(value: unknown, type: string, more: Partial<ResolvedType> = {}): [string, string] {
  const resolved = { builtin: `cds.${type}`, ...more };
  return [
    writePrimitive(value, resolved, { ieee754: false }),
    writePrimitive(value, resolved, { ieee754: true }),
  ];
}

Deno.test("writePrimitive() writes Int64 and Decimal as numbers with all digits, or as text", () => {
  assert.deepEqual(write("9007199254740993", "Int64"), ["9007199254740993", '"9007199254740993"']);
  assert.deepEqual(write(5n, "Int64"), ["5", '"5"']);
  assert.deepEqual(write("12345678901234567.89", "Decimal"), [
    "12345678901234567.89",
    '"12345678901234567.89"',
  ]);
  assert.deepEqual(write(100, "Decimal", { precision: 9, scale: 2 }), ["100", '"100.00"']);
  for (
    const [value, scale, padded] of [
      ["1", 2, "1.00"],
      ["1.5", 2, "1.50"],
      ["-1.25", 2, "-1.25"],
      ["1.234", 2, "1.234"],
      ["-7", 0, "-7"],
      ["1.5", 0, "1.5"],
      ["INF", 2, "INF"],
      ["x", 2, "x"],
    ] as const
  ) assert.equal(write(value, "Decimal", { precision: 9, scale })[1], JSON.stringify(padded));
  assert.deepEqual(write(1e-7, "Decimal"), ["0.0000001", '"0.0000001"']);
  assert.deepEqual(write(null, "Decimal"), ["null", "null"]);
});

Deno.test("writePrimitive() writes the other types", () => {
  assert.equal(write(Infinity, "Double")[0], '"INF"');
  assert.equal(write(NaN, "Double")[0], '"NaN"');
  assert.equal(write(new Uint8Array([255, 239]), "Binary")[0], '"_-8="');
  assert.equal(write("/+8=", "LargeBinary")[0], '"_-8="');
  assert.equal(write(new Date("2024-02-29T12:34:56.789Z"), "DateTime")[0], '"2024-02-29T12:34:56Z"');
  assert.equal(write(new Date("2024-02-29T12:34:56.789Z"), "Date")[0], '"2024-02-29"');
  assert.equal(write('a"\u2028', "String")[0], '"a\\"\u2028"');
});

Deno.test("writeRawValue() gives the text of /$value", () => {
  assert.equal(writeRawValue("a", { builtin: "cds.String" }), "a");
  assert.equal(writeRawValue(1.5, { builtin: "cds.Decimal" }), "1.5");
  assert.equal(writeRawValue(true, { builtin: "cds.Boolean" }), "true");
});
