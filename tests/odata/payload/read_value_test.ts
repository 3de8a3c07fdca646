import assert from "node:assert/strict";
import type { ResolvedType } from "../../../src/model/linked.ts";
import { parseJson } from "../../../src/odata/payload/parse_json.ts";
import { readPrimitive } from "../../../src/odata/payload/read_value.ts";
import { writePrimitive, writeRawValue } from "../../../src/odata/payload/write_value.ts";
import { typeText } from "../../../src/service/validation/check_type.ts";

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

Deno.test("readPrimitive() takes types of OData that CDS lacks in their own form", () => {
  expectRead({ builtin: "cds.Int16", extended: "Edm.SByte" }, {
    ...{ "-128": -128, "127": 127, "-129": no, "128": no, "1.5": no, '"1"': no },
  });
  expectRead({ builtin: "cds.Double", extended: "Edm.Single" }, {
    ...{ "0.5": 0.5, "0.123456789": 0.12345679, '"NaN"': NaN, '"-INF"': -Infinity, '"0.5"': no, "true": no },
  });
  expectRead({ builtin: "cds.Decimal", extended: "Edm.Duration", precision: 9, scale: 1 }, {
    ...{ '"PT1M0.5S"': 60.5, '"-P1D"': -86400, '"PT0.25S"': no, '"1"': no, "5": no },
  });
  const members = { a: { val: 1 }, b: { val: 2 } };
  expectRead({ builtin: "cds.Integer", extended: "enum", enum: members }, {
    ...{ '"a"': 1, '"b"': 2, "2": 2, '"2"': 2, "3": no, '"a,b"': no, '"c"': no, "true": no, "[1]": no },
  });
  expectRead({ builtin: "cds.Integer", extended: "flags", enum: members }, {
    ...{ '"a"': 1, '"a,b"': 3, "3": 3, '"c"': no, "null": no },
  });
  expectRead({ builtin: "cds.Integer", extended: "enum" }, { '"a"': no });
});

Deno.test("readPrimitive() takes shapes of geography with coordinates, and collections of them (RFC 7946)", () => {
  const point = '{"type":"Point","coordinates":[1.5,2]}';
  const collection = (geometries: string) => `{"type":"GeometryCollection","geometries":${geometries}}`;
  expectRead({ builtin: "cds.Map", extended: "Edm.Geo" }, {
    [point]: { type: "Point", coordinates: [1.5, 2] },
    '{"type":"Polygon","coordinates":[[0.10000000000000000001]]}': { type: "Polygon", coordinates: [[0.1]] },
    [collection("[]")]: { type: "GeometryCollection", geometries: [] },
    [collection(`[${point}]`)]: {
      type: "GeometryCollection",
      geometries: [{ type: "Point", coordinates: [1.5, 2] }],
    },
    [collection(`[${point},1]`)]: no,
    [collection(point)]: no,
    [collection("null")]: no,
    '{"type":"Point"}': no,
    '{"type":"Circle","coordinates":[1]}': no,
    '{"type":1,"coordinates":[1]}': no,
    '{"coordinates":[1]}': no,
    '"POINT(1 2)"': no,
    "[]": no,
    "null": no,
  });
});

Deno.test("readPrimitive() keeps digits in objects without a type of their own as text", () => {
  expectRead("Map", {
    '{"a":0.10000000000000000001,"b":[{"c":9007199254740993}],"d":null,"e":true}': {
      ...{ a: "0.10000000000000000001", b: [{ c: "9007199254740993" }], d: null, e: true },
    },
    "{}": {},
    "[]": no,
    '"a"': no,
    "0.10000000000000000001": no,
  });
  expectRead("Vector", {
    '"a"': "a",
    "1": 1,
    "0.10000000000000000001": "0.10000000000000000001",
    "true": true,
  });
  for (const type of ["UUID", "Date", "Time", "DateTime", "Timestamp"]) {
    expectRead(type, { "1": no, "true": no, "{}": no, "0.10000000000000000001": no });
  }
});

Deno.test("readPrimitive() takes numbers at the bounds of their types, no digit more", () => {
  expectRead("Int64", {
    "9007199254740991": 9007199254740991,
    "9007199254740992": "9007199254740992",
    '"-9223372036854775808"': "-9223372036854775808",
    '"-9223372036854775809"': no,
    '"1.0"': no,
    '""': no,
    '"01"': 1,
    "true": no,
    "1e3": 1000,
  });
  expectRead({ builtin: "cds.UInt8" }, { "255.5": no, "0.5": no });
  expectRead("Int32", { "-2147483648": -2147483648, "-2147483649": no });
  expectRead({ builtin: "cds.Decimal", scale: 2 }, { "1234567890.12": 1234567890.12, "0.123": no });
  expectRead({ builtin: "cds.Decimal", precision: 3, scale: 1 }, {
    "12.3": 12.3,
    "123": no,
    "99.9": 99.9,
    "0.12": no,
  });
  expectRead({ builtin: "cds.Decimal", precision: 3, scale: "variable" } as ResolvedType, {
    ...{ "123": 123, "0.123": 0.123, "0.0123": 0.0123, "1.234": no, "1234": no },
  });
  expectRead({ builtin: "cds.Decimal", precision: 3 }, { "123": 123, "1234": no, "12.0": 12, "0.5": no });
  const digits = (count: number) => "1".repeat(count);
  expectRead("Decimal", {
    '"+1.50"': 1.5,
    '"-1.50"': -1.5,
    '"-0.5"': -0.5,
    '".5"': 0.5,
    '"5."': 5,
    '"."': no,
    '"-"': no,
    '"e5"': no,
    '"1e-2"': 0.01,
    '"12.5e1"': 125,
    '"12.5E-3"': 0.0125,
    '"1e1000"': no,
    [`"${digits(15)}"`]: Number(digits(15)),
    [`"${digits(16)}"`]: digits(16),
    [`"-${digits(16)}"`]: `-${digits(16)}`,
    [`"${digits(128)}"`]: digits(128),
    [`"${digits(129)}"`]: no,
    '"1e127"': `1${"0".repeat(127)}`,
    '"1e128"': no,
  });
  assert.equal(readPrimitive(Infinity, { builtin: "cds.Decimal" }, 9), undefined);
  expectRead("Double", { "1e400": no, "0.10000000000000000001": 0.1, '"inf"': no, "true": no });
});

Deno.test("readPrimitive() takes texts and bytes up to their length, without a declared one up to that of all", () => {
  const text = (length: number) => JSON.stringify("a".repeat(length));
  expectRead("String", { [text(255)]: "a".repeat(255), [text(256)]: no, "null": no });
  expectRead("LargeString", { [text(256)]: "a".repeat(256), "5": no });
  expectRead({ builtin: "cds.String", length: 2 }, {
    '"😀😀"': "😀😀",
    '"😀😀😀"': no,
    '"😀a"': "😀a",
    '"😀ab"': no,
  });
  const [one, two] = [new Uint8Array([1]), new Uint8Array([1, 2])];
  expectRead({ builtin: "cds.Binary", length: 1 }, {
    '"AQ=="': one,
    '"AQ"': one,
    '"AQI="': no,
    '""': new Uint8Array(),
  });
  expectRead({ builtin: "cds.LargeBinary" }, {
    '"AQI"': two,
    '"AQI="': two,
    '"AQI=="': two,
    '"AQID="': new Uint8Array([1, 2, 3]),
    '"A"': no,
    '"AQ==="': no,
    '"A Q"': no,
  });
});

Deno.test("readPrimitive() takes identifiers, times and zones in the form of the standard only (ABNF 7)", () => {
  const id = "abcdefab-1111-4111-8111-11111111111f";
  expectRead("UUID", {
    [`"${id}"`]: id,
    [`"${id}0"`]: no,
    [`"x${id}"`]: no,
    [`"${id.replaceAll("-", "")}0"`]: no,
  });
  expectRead("Date", { '"2024-02-29T"': no, '"12024-02-29"': no });
  expectRead("Time", {
    '"00:00"': "00:00:00",
    '"23:59:60"': no,
    '"12:60"': no,
    '"24:00"': no,
    '"1:00"': no,
    '"12:00:00.0000000000000"': no,
  });
  expectRead("DateTime", {
    '"2024-01-01T23:59:59Z"': "2024-01-01T23:59:59Z",
    '"2024-01-01t10:00z"': "2024-01-01T10:00:00Z",
    '"2024-01-01T10:00:00-14:00"': "2024-01-02T00:00:00Z",
    '"2024-01-01T10:00:00+15:00"': no,
    '"2024-01-01T24:00:00Z"': no,
    '"2024-01-01T10:00:00.1234567890123Z"': no,
  });
  expectRead("Timestamp", { '"2024-01-01T10:00:00.1Z"': "2024-01-01T10:00:00.100Z" });
});
