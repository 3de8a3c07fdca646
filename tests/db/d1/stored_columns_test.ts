/** Tables as writes to D1 see them, and their values in JSON. */

import assert from "node:assert/strict";
import { columnText, fingerprint, storedTable, toWire, wireText } from "../../../src/db/d1/stored_columns.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  entity A {
    n : Integer not null; key one : Integer; s : String; key two : String; sum : Integer = n + 1 stored; read : Integer = n;
    d : Decimal; f : Double; b : Binary; l : LargeBinary; t : LargeString; flag : Boolean; long : Int64;
    day : Date; at : Timestamp default $now; many : many String; id : UUID;
  }
  entity NoKey { n : Integer; }
  entity Rowid { RowId : Integer; }
  entity Both { rowid : Integer; OID : Integer; }
  entity Calculated { n : Integer; oid : Integer = n + 1 stored; rowid : Integer = n + 2 stored; }
  @assert.unique.n: [n] entity Unique { key ID : Integer; n : Integer; }`));

const table = (name: string) => storedTable(MODEL, MODEL.entity(name)!);

Deno.test("a table has columns that rows give, columns that are calculated, and a key, which is a number where the model has none", () => {
  const { stored, generated, keys, isNumbered, hasUnique } = table("A");
  assert.deepEqual(stored.map(({ name }) => name), [
    ...["n", "one", "s", "two", "d", "f", "b", "l", "t", "flag", "long", "day", "at", "many", "id"],
  ]);
  assert.deepEqual([generated.map(({ name }) => name), keys, isNumbered, hasUnique], [
    ["sum"],
    [1, 3],
    false,
    false,
  ]);
  const notNull = stored.filter((column) => column.notNull).map(({ name }) => name);
  assert.deepEqual(notNull, ["n", "one", "two"]);
  assert.equal(table("A"), table("A"));
  assert.equal(table("Unique").hasUnique, true);
  const cases: readonly (readonly [entity: string, number: string])[] = [
    ["NoKey", "rowid"],
    ["Rowid", "oid"],
    ["Both", "_rowid_"],
    ["Calculated", "_rowid_"],
  ];
  for (const [entity, number] of cases) {
    const { stored, keys, isNumbered } = table(entity);
    const { name, type, notNull } = stored.at(-1)!;
    assert.deepEqual([entity, name, type, notNull], [entity, number, "INTEGER", false]);
    assert.deepEqual([keys, isNumbered], [[stored.length - 1], true]);
  }
});

Deno.test("values have a form in JSON that loses nothing", () => {
  const cases = [
    [12345678901234567890n, "12345678901234567890"],
    [Infinity, "9e999"],
    [-Infinity, "-9e999"],
    [1.5, 1.5],
    [null, null],
    ["text", "text"],
    [new Uint8Array([0, 10, 255]), "000AFF"],
  ] as const;
  assert.deepEqual(cases.map(([value]) => toWire(value)), cases.map(([, wire]) => wire));
});

Deno.test("columns are read and written by the affinity of their types (SQLite, datatype3 3.1)", () => {
  const { stored } = table("A");
  const forms = Object.fromEntries(stored.map((column) => [column.name, columnText(column, "j")]));
  const [text, integer, numeric] = ["cast(j as text)", "cast(j as integer)", "cast(j as numeric)"];
  const bytes = "unhex(j)";
  assert.deepEqual(forms, {
    ...{ n: integer, one: integer, long: integer, flag: numeric, d: numeric },
    ...{ s: text, two: text, t: text, day: text, at: text, many: text, id: text },
    ...{ f: "iif(j = 'NaN', 'NaN', cast(j as real))", b: bytes, l: bytes },
  });
  const read = Object.fromEntries(stored.map((column) => [column.name, wireText(column)]));
  assert.equal(read.s, '"s"');
  assert.equal(read.b, `iif("b" is null, null, hex("b"))`);
  assert.match(read.f, /^iif\("f" in \(9e999, -9e999\), iif\("f" > 0, '9e999', '-9e999'\), "f"\)$/);
  assert.notEqual(read.n, '"n"');
  assert.equal(read.flag.replaceAll("flag", "n"), read.n);
});

Deno.test("the text of a row is as deep as the halves of its columns", () => {
  const text = fingerprint(table("A"));
  assert.equal(fingerprint(table("NoKey")), `(quote("n") || ',' || quote("rowid"))`);
  let [depth, deepest] = [0, 0];
  for (const letter of text.replaceAll("quote(", "[")) {
    if (letter === "(") deepest = Math.max(deepest, ++depth);
    else if (letter === ")") depth--;
    else if (letter === "[") depth++;
  }
  assert.ok(deepest <= 4, `${deepest}`);
  assert.deepEqual(text.match(/"\w+"/g), table("A").stored.map(({ name }) => `"${name}"`));
});
