import assert from "node:assert/strict";
import type { ResolvedType } from "../../../src/model/linked.ts";
import { ExactNumber } from "../../../src/odata/payload/parse_json.ts";
import {
  jsonObject,
  stringify,
  toBase64Url,
  writeDate,
  writeDouble,
  writePrimitive,
  writeRawValue,
} from "../../../src/odata/payload/write_value.ts";
import { holdingBytes } from "../../../src/util/bytes.ts";

const AT = new Date("2024-02-29T12:34:56.789Z");
const NEVER = new Date(NaN);

Deno.test("binary data are base64url with padding, whatever alphabet and padding they come with (ABNF binaryValue)", () => {
  const texts: readonly (readonly [given: string, written: string])[] = [
    ["", ""],
    ["/w==", "_w=="],
    ["/w", "_w=="],
    ["_-8", "_-8="],
    ["/+8=", "_-8="],
    ["++//", "--__"],
    ["QUJDRA", "QUJDRA=="],
    ["QUJDREU", "QUJDREU="],
    ["QUJDREVG", "QUJDREVG"],
  ];
  for (const [given, written] of texts) assert.equal(toBase64Url(given), written, given);
  assert.equal(toBase64Url(new Uint8Array([251, 255, 254, 255])), "-__-_w==");
  assert.equal(toBase64Url(holdingBytes(new ReadableStream(), new Uint8Array([255]))), "_w==");
  for (const other of [7, null, undefined, { a: 1 }]) assert.equal(toBase64Url(other), other);
});

Deno.test("dates are written as their type says, invalid ones as null", () => {
  const types: readonly (readonly [type: string | undefined, written: string])[] = [
    ["cds.Date", "2024-02-29"],
    ["cds.Time", "12:34:56"],
    ["cds.DateTime", "2024-02-29T12:34:56Z"],
    ["cds.Timestamp", "2024-02-29T12:34:56.789Z"],
    [undefined, "2024-02-29T12:34:56.789Z"],
  ];
  for (const [type, written] of types) {
    assert.equal(writeDate(AT, type), written, type);
    assert.equal(writeDate(NEVER, type), null, type);
    if (type === undefined) continue;
    const format = { ieee754: false };
    assert.equal(writePrimitive(AT, { builtin: type }, format), JSON.stringify(written), type);
    assert.equal(writePrimitive(written, { builtin: type }, format), JSON.stringify(written), type);
    assert.equal(writePrimitive(NEVER, { builtin: type }, format), "null", type);
    assert.equal(writeRawValue(AT, { builtin: type }), written, type);
  }
});

Deno.test("infinite doubles are texts, other values what they are (JSON Format 7.1)", () => {
  const values: readonly (readonly [value: unknown, written: string])[] = [
    [1.5, "1.5"],
    [-0.25, "-0.25"],
    [1e21, "1e+21"],
    [Infinity, '"INF"'],
    [-Infinity, '"-INF"'],
    [NaN, '"NaN"'],
    ["12.5", '"12.5"'],
    [7n, "7"],
    [null, "null"],
  ];
  for (const [value, written] of values) assert.equal(writeDouble(value), written, String(value));
});

Deno.test("values of any kind are JSON text, numbers with all their digits", () => {
  const values: readonly (readonly [value: unknown, written: string])[] = [
    ['a"b', '"a\\"b"'],
    [1.5, "1.5"],
    [NaN, "null"],
    [-Infinity, "null"],
    [true, "true"],
    [false, "false"],
    [9007199254740993n, "9007199254740993"],
    [null, "null"],
    [undefined, "null"],
    [Symbol("a"), "null"],
    [() => 1, "null"],
    [AT, '"2024-02-29T12:34:56.789Z"'],
    [new Uint8Array([255, 239]), '"_-8="'],
    [new ExactNumber("1.50"), "1.50"],
    [{ toJSON: () => [1n] }, "[1]"],
    [{ toJSON: 1 }, '{"toJSON":1}'],
    [[], "[]"],
    [[1n, undefined, [null]], "[1,null,[null]]"],
    [{}, "{}"],
    [{ a: 1n, b: undefined, 'c"': { d: null } }, '{"a":1,"c\\"":{"d":null}}'],
  ];
  for (const [value, written] of values) assert.equal(stringify(value), written, written);
});

Deno.test("an object of members as text leaves out empty ones", () => {
  assert.equal(jsonObject([]), "{}");
  assert.equal(jsonObject(["", '"a":1', "", '"b":2']), '{"a":1,"b":2}');
});

Deno.test("raw values are texts without quotes, binary data in base64url (ABNF primitiveValue)", () => {
  const flags: ResolvedType = {
    builtin: "cds.Integer",
    extended: "flags",
    enum: { Read: { val: 1 }, Write: { val: 2 } },
  };
  const values: readonly (readonly [value: unknown, type: ResolvedType, written: string])[] = [
    ["a", { builtin: "cds.String" }, "a"],
    ['"a"', { builtin: "cds.String" }, '"a"'],
    ["1.50", { builtin: "cds.Decimal" }, "1.50"],
    ["/+8", { builtin: "cds.Binary" }, "_-8="],
    ["/+8=", { builtin: "cds.LargeBinary" }, "_-8="],
    [new Uint8Array([255]), { builtin: "cds.Binary" }, "_w=="],
    ["9007199254740993", { builtin: "cds.Int64" }, "9007199254740993"],
    [5, { builtin: "cds.Int64" }, "5"],
    [5, { builtin: "cds.Integer64" }, "5"],
    [1e-7, { builtin: "cds.DecimalFloat" }, "0.0000001"],
    [Infinity, { builtin: "cds.Double" }, "INF"],
    [true, { builtin: "cds.Boolean" }, "true"],
    [90, { builtin: "cds.Decimal", extended: "Edm.Duration" }, "PT1M30S"],
    [3, flags, "Read,Write"],
    [1, { ...flags, extended: "enum" }, "Read"],
  ];
  for (const [value, type, written] of values) {
    assert.equal(writeRawValue(value, type), written, JSON.stringify([value, type]));
  }
  assert.equal(writePrimitive(3, flags, { ieee754: true }), '"Read,Write"');
});
