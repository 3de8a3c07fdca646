/** Values of elements in texts of files, and records of CSV. */

import assert from "node:assert/strict";
import { type CsvRecord, parseCsv, separatorOf } from "../../src/db/csv.ts";
import { isOutsideOfEnum, isWanted, noValue, toValue } from "../../src/db/initial_values.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const ENTITY = linkModel(parseCdl(`
  entity E { key ID : UUID; key no : Integer; key auto : Integer default 1; flag : Boolean; small : UInt8; short : Int16; int : Integer;
    long : Int64; dec : Decimal; dbl : Double; day : Date; clock : Time; dt : DateTime; ts : Timestamp; text : String(3);
    tags : many String; map : Map; color : String enum { red; blue = 'b' }; level : Integer enum { low = 1; high = 2 };
    must : String not null; filled : String not null @cds.on.insert: 'x'; standard : String not null default 'y'; }`))
  .entity("E")!;
const column = (name: string) => ENTITY.$flat.get(name)!;

Deno.test("texts of files are values of their elements; an empty one is null", () => {
  const cases: readonly [name: string, text: string, value: unknown][] = [
    ["text", "", null],
    ["int", "", null],
    ["text", "abc", "abc"],
    ["flag", "TRUE", true],
    ["flag", "1", true],
    ["flag", "false", false],
    ["flag", "0", false],
    ["flag", "yes", undefined],
    ["flag", "true1", undefined],
    ["small", "+7", 7],
    ["short", "-7", -7],
    ["int", "1.5", undefined],
    ["int", "x", undefined],
    ["long", "9007199254740993", "9007199254740993"],
    ["long", "7", 7],
    ["dec", "123456789012345", 123456789012345],
    ["dec", "1234567890123456", "1234567890123456"],
    ["dec", "000000000000000001.5", 1.5],
    ["dec", ".5", 0.5],
    ["dec", "5.", 5],
    ["dec", "1e3", 1000],
    ["dec", "1e", undefined],
    ["dec", ".", undefined],
    ["dbl", "0.12345678901234567", 0.12345678901234567],
    ["dbl", "INF", undefined],
    ["day", "2024-02-29", "2024-02-29"],
    ["day", "2023-02-29", undefined],
    ["day", "2024-02-29x", undefined],
    ["clock", "23:59:59", "23:59:59"],
    ["clock", "24:00:00", undefined],
    ["dt", "2024-02-29T12:34:56Z", "2024-02-29T12:34:56Z"],
    ["ts", "2024-02-29T12:34:56.789Z", "2024-02-29T12:34:56.789Z"],
    ["ts", "2024-02-30T12:34:56.789Z", undefined],
    ["ts", "2024-02-29T25:34:56.789Z", undefined],
    ["tags", '["a"]', ["a"]],
    ["map", '{"a":1}', { a: 1 }],
    ["map", "{", undefined],
  ];
  for (const [name, text, value] of cases) {
    assert.deepEqual(toValue(text, column(name)), value, `${name} ${text}`);
  }
});

Deno.test("what is no value is told with what would be one", () => {
  const cases: Readonly<Record<string, string>> = {
    flag: "true or false",
    int: "a whole number",
    long: "Int64",
    dec: "a number like 12.34",
    dbl: "a number like 12.34",
    day: "a date like 2026-12-31",
    clock: "a time like 13:45:00",
    dt: "an instant like 2026-12-31T13:45:00Z",
    ts: "an instant like 2026-12-31T13:45:00Z",
    small: "UInt8",
    map: "Map",
  };
  for (const [name, form] of Object.entries(cases)) {
    assert.equal(noValue("x", column(name)), `"x" is not a value of "${name}", expected ${form}`);
  }
});

Deno.test("values are wanted where nothing fills what is null; a default is for what is not there", () => {
  const wanted = [...ENTITY.$flat.values()].filter(isWanted).map(({ name }) => name);
  assert.deepEqual(wanted, ["no", "must", "standard"]);
});

Deno.test("values are outside of an enumeration where it lists neither them nor a symbol without value", () => {
  const outside = (name: string, ...values: unknown[]) =>
    values.filter((value) => isOutsideOfEnum(value, column(name)));
  assert.deepEqual(outside("color", "red", "b", "blue", null), ["blue"]);
  assert.deepEqual(outside("level", 1, "2", 3), [3]);
  assert.deepEqual(outside("text", "any"), []);
});

Deno.test("the separator of CSV is the first comma, semicolon or tab of its first line outside of quotes", () => {
  const cases: readonly [text: string, separator: string][] = [
    ["a,b;c", ","],
    ["a;b,c", ";"],
    ["a\tb", "\t"],
    ['"a,b";c', ";"],
    ['"a"",b";c', ";"],
    ["\n \r\na;b", ";"],
    ["a\nb;c", ","],
    ["", ","],
  ];
  for (const [text, separator] of cases) assert.equal(separatorOf(text), separator, JSON.stringify(text));
});

Deno.test("records of CSV have their lines, quoted fields may hold separators, quotes and line ends, blank lines are skipped", () => {
  const records: readonly [text: string, records: readonly CsvRecord[]][] = [
    ["\ufeffa,b\n1,2", [{ line: 1, fields: ["a", "b"] }, { line: 2, fields: ["1", "2"] }]],
    ["a\r\n\r\n\nb\r\n", [{ line: 1, fields: ["a"] }, { line: 4, fields: ["b"] }]],
    ['a,b\n"x\ny","it""s"\n3,4', [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["x\ny", 'it"s'] },
      { line: 4, fields: ["3", "4"] },
    ]],
    ['a;null;"null";', [{ line: 1, fields: ["a", null, "null", ""] }]],
    [",", [{ line: 1, fields: ["", ""] }]],
    ['""', []],
    ["a\r", [{ line: 1, fields: ["a"] }]],
  ];
  for (const [text, expected] of records) {
    assert.deepEqual(parseCsv(text, "x.csv"), expected, JSON.stringify(text));
  }
});

Deno.test("spaces around fields of CSV are left out and told, with the line", () => {
  const remarks: unknown[] = [];
  const records = parseCsv('a, b\n "x" ,y\nz,w', "x.csv", (...remark) => remarks.push(remark));
  assert.deepEqual(records.map(({ fields }) => fields), [["a", "b"], ["x", "y"], ["z", "w"]]);
  assert.deepEqual(remarks, [["Spaces around fields are left out", 1], [
    "Spaces around fields are left out",
    2,
  ]]);
});

Deno.test("an open quote and text behind a closing one are refused with file and line", () => {
  assert.throws(() => parseCsv('a\n"b\nc', "x.csv"), {
    name: "ConfigurationError",
    message: "x.csv:2: Expected a closing quote, but found the end of the file",
  });
  assert.throws(() => parseCsv('a;b\n1;"b"c', "x.csv"), {
    message: "x.csv:2: Expected ; or a line end after the quote, but found c",
  });
});
