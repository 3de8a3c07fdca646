/** Values of rows from a database as JavaScript has them (db/README, values). */

import assert from "node:assert/strict";
import type { OutputColumn } from "../../src/db/passes/scope.ts";
import { exactReaders, rowReaders } from "../../src/db/read/read_row.ts";

const NAME = "a";
const bytes = new Uint8Array([1, 2, 3]);
const binaries = { bytes: (value: Uint8Array) => [...value], stream: (value: Uint8Array) => value.length };

type More = Partial<Record<"type" | "element" | "nested" | "name", unknown>>;
const column = (more: More): OutputColumn => ({ name: NAME, ...more }) as unknown as OutputColumn;
const scaled = (scale: unknown) => column({ type: "cds.Decimal", element: { $type: { scale } } });
const items = column({ type: "cds.String", element: { $type: { items: {} } } });

type Readers = readonly ((row: Record<string, unknown>) => void)[];

/** What becomes of a value. */
function read(readers: Readers, value: unknown): unknown {
  const row: Record<string, unknown> = { [NAME]: value };
  for (const one of readers) one(row);
  return row[NAME];
}

Deno.test("values have the form of their type, those from JSON text as far as JSON has not given it already; null stays", () => {
  const values: readonly (readonly [More | OutputColumn, given: unknown, plain: unknown, nested: unknown])[] =
    [
      [{ type: "cds.Boolean" }, 0, false, 0],
      [{ type: "cds.Boolean" }, 1, true, 1],
      [{ type: "cds.Boolean" }, false, false, false],
      [{ type: "cds.Boolean" }, true, true, true],
      [
        { type: "cds.DateTime" },
        "2024-01-01T00:00:00.123Z",
        "2024-01-01T00:00:00Z",
        "2024-01-01T00:00:00.123Z",
      ],
      [{ type: "cds.DateTime" }, 5, 5, 5],
      [{ type: "cds.Binary" }, bytes, "AQID", bytes],
      [{ type: "cds.LargeBinary" }, bytes, "AQID", bytes],
      [{ type: "cds.Binary" }, "AQID", "AQID", "AQID"],
      [{ type: "cds.Double" }, "INF", Infinity, Infinity],
      [{ type: "cds.Double" }, "-INF", -Infinity, -Infinity],
      [{ type: "cds.Double" }, "NaN", NaN, NaN],
      [{ type: "cds.Double" }, "x", "x", "x"],
      [{ type: "cds.Double" }, 1.5, 1.5, 1.5],
      [{ type: "cds.Map" }, '{"b":1}', { b: 1 }, '{"b":1}'],
      [{ type: "cds.Map" }, { b: 1 }, { b: 1 }, { b: 1 }],
      [items, '["x"]', ["x"], '["x"]'],
      [{ type: "cds.String" }, "x", "x", "x"],
      [{}, 7, 7, 7],
    ];
  for (const [more, given, plain, nested] of values) {
    const columns = [column(more as More)];
    const what = JSON.stringify([more, given]);
    assert.deepEqual(read(rowReaders(columns, { nested: false }), given), plain, what);
    assert.deepEqual(read(rowReaders(columns, { nested: true }), given), nested, what);
    assert.equal(read(rowReaders(columns, { nested: false }), null), null, what);
  }
});

Deno.test("values that come as they should need no reader", () => {
  const plain = ["cds.String", "cds.Integer", "cds.Date", "cds.Timestamp", undefined].map((type) =>
    column({ type })
  );
  assert.deepEqual(rowReaders(plain, { nested: false }), []);
  const json = ["cds.Boolean", "cds.Binary", "cds.DateTime", "cds.Map"].map((type) => column({ type }));
  assert.deepEqual(rowReaders([...json, items], { nested: true }), []);
});

Deno.test("bytes become what is asked for, large ones another thing, also those of JSON; lists of them are lists", () => {
  for (const nested of [false, true]) {
    const options = { nested, binaries: binaries as never };
    for (const given of [bytes, "AQID"]) {
      assert.deepEqual(read(rowReaders([column({ type: "cds.Binary" })], options), given), [1, 2, 3]);
      assert.deepEqual(read(rowReaders([column({ type: "cds.LargeBinary" })], options), given), 3);
    }
  }
  const list = column({ type: "cds.Binary", element: { $type: { items: {} } } });
  assert.deepEqual(read(rowReaders([list], { nested: false, binaries: binaries as never }), '["AQID"]'), [
    "AQID",
  ]);
});

Deno.test("nested rows come from JSON text with their values and their number", () => {
  const double = column({ type: "cds.Double", name: "d" });
  const nested = (more: object) =>
    rowReaders([column({ nested: { columns: [double], ...more } })], { nested: false });
  const many = nested({ many: true, counted: false });
  assert.deepEqual(read(many, '[{"d":"INF"},{"d":null}]'), [{ d: Infinity }, { d: null }]);
  assert.deepEqual(read(many, "[]"), []);
  const one = nested({ many: false, counted: false });
  assert.deepEqual(read(one, '{"d":"INF"}'), { d: Infinity });
  assert.deepEqual(read(one, { d: "INF" }), { d: Infinity });
  assert.equal(read(one, null), null);
  const row: Record<string, unknown> = { [NAME]: '[{"d":1}]', [`${NAME}@odata.count`]: "7" };
  for (const reader of nested({ many: true, counted: true })) reader(row);
  assert.deepEqual(Object.keys(row), [NAME]);
  assert.equal((row[NAME] as { readonly $count?: number }).$count, 7);
  const inner = column({ name: "i", nested: { columns: [double], many: true, counted: false } });
  const outer = rowReaders([column({ nested: { columns: [inner], many: true, counted: false } })], {
    nested: false,
  });
  assert.deepEqual(read(outer, '[{"i":[{"d":"NaN"}]}]'), [{ i: [{ d: NaN }] }]);
});

Deno.test("exact numbers are texts with the digits of their type, also those of nested rows", () => {
  const values: readonly (readonly [OutputColumn, given: unknown, text: unknown])[] = [
    [column({ type: "cds.Int64" }), 5, "5"],
    [column({ type: "cds.Integer64" }), 9007199254740993n, "9007199254740993"],
    [column({ type: "cds.Decimal" }), 1e21, "1000000000000000000000"],
    [scaled("floating"), 1.5, "1.5"],
    [scaled(2), 1.5, "1.50"],
    [scaled(2), 1, "1.00"],
    [scaled(2), "1.239", "1.23"],
    [scaled(0), 7, "7"],
    [scaled(2), null, null],
    [column({ type: "cds.Integer" }), 5, 5],
    [column({ type: "cds.Double" }), 5, 5],
  ];
  for (const [one, given, text] of values) {
    assert.deepEqual(read(exactReaders([one]), given), text, String(text));
  }
  const nested = column({ nested: { columns: [{ ...scaled(1), name: "d" }] } });
  assert.deepEqual(read(exactReaders([nested]), [{ d: 1 }, { d: 2.5 }]), [{ d: "1.0" }, { d: "2.5" }]);
  assert.deepEqual(read(exactReaders([nested]), { d: 1 }), { d: "1.0" });
  assert.equal(read(exactReaders([nested]), null), null);
  assert.deepEqual(exactReaders([column({ nested: { columns: [column({ type: "cds.String" })] } })]), []);
});
