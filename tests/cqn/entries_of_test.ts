import assert from "node:assert/strict";
import { copyRow, entriesOf, selectedEntries } from "../../src/cqn/entries_of.ts";
import type { InsertBody, Row } from "../../src/cqn/cqn.ts";

const of = (body: Partial<InsertBody>) => entriesOf({ into: "E", ...body } as InsertBody);

Deno.test("entriesOf() gives the rows of a query, whether it has entries, rows or values of columns (csn-cqn 6)", () => {
  const entries = [{ a: 1 }];
  const columns = ["a", "b"];
  assert.equal(of({ entries }), entries);
  assert.deepEqual(of({ columns, values: [1, 2] }), [{ a: 1, b: 2 }]);
  assert.deepEqual(of({ columns, rows: [[1, 2], [3, 4]] }), [{ a: 1, b: 2 }, { a: 3, b: 4 }]);
  assert.deepEqual(of({ columns }), []);
  assert.throws(
    () => of({ values: [1] }),
    /^TypeError: Expected the names of columns beside rows of values$/,
  );
  for (const [values, found] of [[[1], "1 value"], [[1, 2, 3], "3 values"]] as const) {
    const message = `Expected values of the columns a, b, found ${found}`;
    assert.throws(() => of({ columns, values }), { name: "TypeError", message });
  }
});

Deno.test("selectedEntries() names what was selected by the columns that it is written to", () => {
  const rows = [{ x: 1, y: 2 }];
  assert.equal(selectedEntries(rows, undefined), rows);
  assert.deepEqual(selectedEntries(rows, ["a", "b"]), [{ a: 1, b: 2 }]);
  assert.throws(() => selectedEntries(rows, ["a"]), /found 2 values/);
});

Deno.test("copyRow() copies rows, lists and structures, and leaves other values as they are", () => {
  const at = new Date(0);
  const row: Row = { list: [{ n: 1 }, [2]] as never, part: { n: 1 }, at: at as never, none: null };
  const copy = copyRow(row);
  assert.deepEqual(copy, row);
  assert.equal(copy.at, at);
  const [[first], [found]] = [row, copy].map(({ list }) => list as unknown as Row[]);
  assert.notEqual(found, first);
  assert.notEqual(copy.part, row.part);
});
