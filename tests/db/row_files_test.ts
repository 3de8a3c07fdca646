/** Files with rows, read piece by piece: `fw data`. */

import assert from "node:assert/strict";
import { initialData } from "../../src/db/initial_data.ts";
import { headOf, lineOf, type PlacedRow, readRows, type RowFormat } from "../../src/db/transfer/row_files.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(
  parseCdl("entity my.E { key ID : Integer; a : String; b : String; n : Int64; tags : many String; }"),
);
const ENTITY = MODEL.entities("my").E;

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function read(text: string, format: RowFormat, size = Infinity): Promise<PlacedRow[]> {
  const source = size === Infinity ? pieces(text, text.length || 1) : pieces(text, size);
  return await Array.fromAsync(readRows(source, { file: `E.${format}`, format, entity: ENTITY }));
}

const CSV: Readonly<Record<string, string>> = {
  "line ends at the end": "ID,a,b\n1,x,y\n2,z,\n",
  "no line end": "ID,a,b\n1,x,y\n2,z,w",
  "carriage returns": "ID,a,b\r\n1,x,y\r\n2,z,w\r\n",
  "quotes": 'ID,a,b\n1,"x, ""y""\nz",w\n2,"","""\n"""\n',
  "quotes behind spaces": 'ID, a ,b\n1, "x\n,y" , w\n2,z,w\n',
  "quotes inside of fields": 'ID,a,b\n1,x"y,z"w\n2,5" and 6",\n',
  "quoted names": '"ID","a","b"\n1,x,y\n',
  "semicolons": "ID;a;b\n1;x,1;y\n2;z;w\n",
  "tabs": "ID\ta\tb\n1\tx,1\ty;2\n",
  "blank lines": "\n  \r\nID;a;b\n\n1;x,1;y\n\n\n2;z;w\n\n",
  "byte-order mark": "\uFEFFID;a;b\n1;x;y\n",
  "one column": "ID\n1\n2\n",
  "head only": "ID,a,b\n",
  "nothing": "",
};

Deno.test("CSV has the same rows at the same lines, however it is cut into pieces, and as initial data", async () => {
  for (const [name, text] of Object.entries(CSV)) {
    const all = await read(text, "csv");
    const initial = initialData(MODEL, [{ file: "my.E.csv", text }]).get("my.E") ?? [];
    assert.deepEqual(all.map(({ row }) => row), initial, name);
    for (let size = 1; size <= text.length; size++) {
      assert.deepEqual(await read(text, "csv", size), all, `${name}, by ${size}`);
    }
  }
  const lines = async (name: string) => (await read(CSV[name]!, "csv")).map(({ line }) => line);
  assert.deepEqual(await lines("quotes"), [2, 4]);
  assert.deepEqual(await lines("blank lines"), [5, 8]);
});

Deno.test("rows are there as soon as their lines are, without the rest of the file", async () => {
  for (
    const [format, first, rest] of [
      ["csv", 'ID,a\n1,"x\ny"\n2,z', '\n3,"w"'],
      ["jsonl", '{"ID":1,"a":"x\\ny"}\n{"ID":2,"a":"z"', '}\n{"ID":3,"a":"w"}'],
    ] as const
  ) {
    const told: unknown[] = [];
    const source = async function* (): AsyncGenerator<string> {
      for (const piece of [first, rest]) {
        told.push("piece");
        yield await Promise.resolve(piece);
      }
    };
    const rows = readRows(source(), { file: `E.${format}`, format, entity: ENTITY });
    for await (const { row } of rows) told.push(row.a);
    assert.deepEqual(told, ["piece", "x\ny", "piece", "z", "w"], format);
  }
});

Deno.test("lines of JSON are rows, however they are cut into pieces; blank ones are none", async () => {
  const text =
    '\uFEFF{"ID":1,"a":"x\\ny","n":"9007199254740993","tags":["t"]}\n\n  \r\n{"ID":2}\r\n{"ID":3,"a":""}';
  const all = [
    { row: { ID: 1, a: "x\ny", n: "9007199254740993", tags: ["t"] }, line: 1 },
    { row: { ID: 2 }, line: 4 },
    { row: { ID: 3, a: "" }, line: 5 },
  ];
  for (const size of [1, 2, 7, 30, 60, Infinity]) {
    assert.deepEqual(await read(text, "jsonl", size), all, String(size));
  }
});

Deno.test("what is no row is told with its file and line", async () => {
  const cases: readonly (readonly [format: RowFormat, text: string, message: RegExp])[] = [
    ["csv", 'ID,a\n1,x\n2,"y\n3,z', /^E\.csv:3: Expected a closing quote/],
    ["csv", 'ID,a\n1,"x"y\n', /^E\.csv:2: Expected , or a line end after the quote, but found y/],
    ["csv", "ID,c\n1,x\n", /^E\.csv:1: .*"c"/],
    ["csv", "ID,a\n1,x\n\nx,y\n", /^E\.csv:4: "x" is not a value of "ID"/],
    ["csv", "ID,a\n1,x,y\n", /^E\.csv:2: Expected 2 fields, but found 3/],
    ["jsonl", '{"ID":1}\n{"ID":2\n', /^E\.jsonl:2: Expected a row in JSON/],
    ["jsonl", "\n[1]\n", /^E\.jsonl:2: Expected an object in JSON/],
    ["jsonl", '{"ID":1}\n{"c":2}\n', /^E\.jsonl:2: .*"c"/],
  ];
  for (const [format, text, message] of cases) {
    for (const size of [1, 5, Infinity]) {
      await assert.rejects(read(text, format, size), { name: "ConfigurationError", message }, text);
    }
  }
});

Deno.test("what is written is read again as it was", async () => {
  const columns = ["ID", "a", "b", "n", "tags"];
  const texts = ['"', ",", ";", "\t", "x\ny", "x\r\ny", " x", "x ", "null", "\uFEFFx", '5" x', "plain", "😀"];
  const rows = texts.map((a, ID) => ({ ID, a, b: texts.at(-ID)!, n: "9007199254740993", tags: [a, "z"] }));
  for (const format of ["csv", "jsonl"] as const) {
    const text = headOf(columns, format) + rows.map((row) => lineOf(row, columns, format)).join("");
    assert.deepEqual((await read(text, format)).map(({ row }) => row), rows, format);
  }
  const [none, empty] = [{ ID: 1, a: null }, { ID: 1, a: "" }];
  assert.equal(lineOf(none, ["ID", "a", "b"], "csv"), "1,,\n");
  assert.equal(lineOf(empty, ["ID", "a"], "csv"), "1,\n");
  assert.equal(lineOf(none, ["ID", "a"], "jsonl"), '{"ID":1,"a":null}\n');
  assert.equal(lineOf(empty, ["ID", "a"], "jsonl"), '{"ID":1,"a":""}\n');
  assert.equal(
    lineOf({ n: 9007199254740993n, a: new Uint8Array([1, 2, 3]) }, ["n", "a"], "csv"),
    "9007199254740993,AQID\n",
  );
  assert.equal(headOf(columns, "jsonl"), "");
});
