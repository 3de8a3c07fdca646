/** What is different between two versions of tables. */

import assert from "node:assert/strict";
import type { TableShape, TypeShape } from "../../../src/db/ddl/schema_shape.ts";
import { diffSchemas, withSurplus } from "../../../src/db/evolution/diff_schemas.ts";
import { POSTGRES_CHANGES } from "../../../src/db/evolution/postgres_changes.ts";

function table(type: TypeShape, more: Partial<TableShape> = {}): TableShape {
  const columns = [{ name: "value", sql: JSON.stringify(type), type }];
  return { name: "T", entity: "T", columns, key: [], constraints: [], ...more };
}

function text(type: TypeShape): string {
  const { builtin = "many", length, precision, scale } = type;
  return `${builtin}(${[length, precision, scale].filter((facet) => facet !== undefined)})`;
}

/** A type by its name, with its length, or its precision and scale. */
function type(name: string, first?: number, scale?: number | "floating"): TypeShape {
  const builtin = `cds.${name}`;
  if (first === undefined) return { builtin };
  return name === "Decimal"
    ? { builtin, precision: first, ...scale !== undefined && { scale } }
    : { builtin, length: first };
}

const WIDER: readonly (readonly [TypeShape, TypeShape])[] = [
  [type("String", 10), type("String", 11)],
  [type("String", 255), type("String")],
  [type("String"), type("String", 255)],
  [type("String"), type("LargeString")],
  [type("UUID"), type("LargeString")],
  [type("UUID"), type("String", 36)],
  [type("Binary", 10), type("Binary", 11)],
  [type("Binary", 10), type("Binary")],
  [type("Binary", 10), type("LargeBinary")],
  [type("Binary"), type("LargeBinary")],
  [type("Integer"), type("Integer", 1)],
  [type("UInt8"), type("Int16")],
  [type("Int16"), type("Integer")],
  [type("Integer"), type("Int64")],
  [type("Integer"), type("Integer64")],
  [type("UInt8"), type("Decimal", 3, 0)],
  [type("Int16"), type("Decimal", 7, 2)],
  [type("Integer"), type("Decimal", 10)],
  [type("Int64"), type("Decimal", 19)],
  [type("Integer"), type("Decimal")],
  [type("Decimal", 5, 2), type("Decimal", 6, 2)],
  [type("Decimal", 5, 2), type("Decimal", 6, 3)],
  [type("Decimal", 5, 2), type("Decimal")],
  [type("Decimal", 5, "floating"), type("Decimal", 6, "floating")],
  [type("Decimal", 5, 2), type("DecimalFloat")],
];

const OTHER: readonly (readonly [TypeShape, TypeShape])[] = [
  [type("String", 11), type("String", 10)],
  [type("String"), type("String", 254)],
  [type("LargeString"), type("String", 5000)],
  [type("UUID"), type("String", 35)],
  [type("String", 36), type("UUID")],
  [type("Integer"), type("String", 36)],
  [type("Integer"), type("LargeString")],
  [type("Binary", 11), type("Binary", 10)],
  [type("Binary"), type("Binary", 10)],
  [type("LargeBinary"), type("Binary")],
  [type("String", 10), type("Binary", 10)],
  [type("String", 10), type("LargeBinary")],
  [type("Int16"), type("UInt8")],
  [type("Int64"), type("Integer")],
  [type("Boolean"), type("Integer")],
  [type("Decimal", 3, 0), type("Integer")],
  [type("Double"), type("Integer")],
  [type("Integer"), type("Decimal", 9)],
  [type("Integer"), type("Decimal", 11, 2)],
  [type("Double"), type("Decimal")],
  [type("Boolean"), type("Decimal")],
  [type("Decimal", 6, 2), type("Decimal", 5, 2)],
  [type("Decimal", 5, 2), type("Decimal", 5, 3)],
  [type("Decimal", 5, 2), type("Decimal", 5, 1)],
  [type("Decimal"), type("Decimal", 38, 10)],
  [type("Decimal", 5, "floating"), type("Decimal", 6, 2)],
  [type("Decimal", 6, "floating"), type("Decimal", 5, "floating")],
  [type("Date"), type("Timestamp")],
  [type("Integer"), type("Double")],
  [type("String", 10), {}],
];

Deno.test("a type is wider where it has every value of the one before, in the form in which databases keep it", () => {
  for (const [kind, pairs] of [["wider", WIDER], ["other", OTHER]] as const) {
    for (const [before, after] of pairs) {
      const { changed: [change] } = diffSchemas([table(before)], [table(after)]);
      assert.equal(change?.changed[0]?.type, kind, `${text(before)} → ${text(after)}`);
    }
  }
});

Deno.test("a constraint that is defined otherwise is dropped and added; the same one is neither, in any order", () => {
  const integer = type("Integer");
  const unique = (name: string, column: string) => ({ name, definition: `UNIQUE ("${column}")` });
  const before = table(integer, { constraints: [unique("a", "x"), unique("b", "y")] });
  assert.deepEqual(
    diffSchemas([before], [table(integer, { constraints: [unique("b", "y"), unique("a", "x")] })]).changed,
    [],
  );
  const { changed: [change] } = diffSchemas([before], [
    table(integer, { constraints: [unique("a", "z"), unique("c", "y")] }),
  ]);
  assert.deepEqual(change!.addedConstraints, [unique("a", "z"), unique("c", "y")]);
  assert.deepEqual(change!.droppedConstraints, [unique("a", "x"), unique("b", "y")]);
  // of a table that was there before any model nothing is known but its columns
  const { key: _key, ...unknown } = table(integer);
  assert.deepEqual(diffSchemas([unknown], [before]).changed, []);
});

Deno.test("names are compared without letter case; a thing with an earlier name is what had it, once", () => {
  const integer = type("Integer");
  const [old, one, other] = [
    table(integer, { name: "Old" }),
    table(integer, { name: "One", was: "OLD" }),
    table(integer, { name: "Other", was: "old" }),
  ];
  assert.deepEqual(diffSchemas([old], [table(integer, { name: "OLD" })]).created, []);
  const { created, dropped, changed } = diffSchemas([old], [one, other]);
  assert.deepEqual([created, dropped], [[other], []]);
  assert.deepEqual(changed.map(({ before, after, renamed }) => [before, after, renamed]), [[old, one, true]]);
  // what is still wanted itself has not become another
  assert.deepEqual(diffSchemas([old], [old, one]).created, [one]);
});

Deno.test("columns that stay though nobody wants them take null, unless they have a default", () => {
  const column = (name: string, more: object) => ({ name, sql: "INT", type: type("Integer"), ...more });
  const before = table(type("Integer"), {
    columns: [
      column("value", {}),
      column("a", { notNull: true }),
      column("b", { notNull: true, fallback: "1" }),
      column("c", { fallback: "1" }),
    ],
  });
  const [after] = withSurplus([before], [table(type("Integer"))], { taken: new Set() });
  const shown = after.columns.map(({ name, notNull, fallback }) => [name, notNull, fallback]);
  assert.deepEqual(shown, [
    ["value", undefined, undefined],
    ["a", undefined, undefined],
    ["b", true, "1"],
    ["c", undefined, "1"],
  ]);
});

Deno.test("a column that the database has fits where its values go by the same literals", () => {
  const cases: readonly (readonly [there: string, wanted: string, fits: boolean])[] = [
    ["integer", "BIGINT", true],
    ["smallint", "INT", true],
    ["integer", "DECIMAL(9, 2)", true],
    ["numeric", "INTEGER", false],
    ["integer", "VARCHAR(9)", false],
    ["text", "DECIMAL", false],
    ["character varying", "UUID", true],
    ["double precision", "numeric", true],
    ["timestamp with time zone", "DATE", false],
    ["time without time zone", "TIMESTAMP", false],
    ["time", "TIME", true],
    ["date", "DATE", true],
    ["bytea", "BYTEA", true],
    ["boolean", "BOOLEAN", true],
    ["jsonb", "JSONB", true],
    ["bytea", "TEXT", false],
    ["hstore", "TEXT", true],
  ];
  const found = cases.map(([there, wanted]) => [there, wanted, POSTGRES_CHANGES.fits(there, wanted)]);
  assert.deepEqual(found, cases);
});
