/** The rows of a collection that a client has, as text. */

import assert from "node:assert/strict";
import {
  type KnownRows,
  readDifference,
  readRows,
  writeDifference,
  writeRows,
} from "../../../src/odata/snapshots/known_rows.ts";
import { keysText } from "../../../src/odata/payload/key_predicate.ts";

const KEYS = ["ID", "locale"];

/** Rows by their first key, with their tags. */
function rowsOf(tags: Readonly<Record<number, string>>): KnownRows {
  return new Map(
    Object.entries(tags).map(([id, tag]) => {
      const keys = { ID: Number(id), locale: "de" };
      return [keysText(keys), { keys, tag }];
    }),
  );
}

Deno.test("rows are read as they were written, unless their entity has other keys now", () => {
  const rows = rowsOf({ 1: "a", 2: "b" });
  const text = writeRows(rows, KEYS);
  assert.deepEqual(readRows(text, KEYS), rows);
  assert.deepEqual(readRows(writeRows(new Map(), KEYS), KEYS), new Map());
  for (const keys of [["ID"], ["locale", "ID"], ["ID", "locale", "more"], ["ID", "lang"], []]) {
    assert.equal(readRows(text, keys), undefined, keys.join());
  }
});

Deno.test("a difference holds rows that are new, that have changed, and that are gone", () => {
  const base = rowsOf({ 1: "a", 2: "b", 3: "c" });
  const cases: readonly (readonly [now: Record<number, string>, rows: number, gone: number])[] = [
    [{ 1: "a", 2: "b", 3: "c" }, 0, 0],
    [{ 1: "x", 2: "b", 3: "c" }, 1, 0],
    [{ 1: "a", 2: "b", 3: "c", 4: "d" }, 1, 0],
    [{ 2: "b" }, 0, 2],
    [{ 2: "y", 5: "e" }, 2, 2],
    [{}, 0, 3],
  ];
  for (const [now, rows, gone] of cases) {
    const text = writeDifference(base, rowsOf(now), KEYS);
    const written = JSON.parse(text);
    assert.deepEqual([written.rows.length, written.gone.length], [rows, gone], text);
    const read = readDifference(base, text, KEYS);
    assert.deepEqual(Object.fromEntries(read), Object.fromEntries(rowsOf(now)), text);
  }
  assert.equal(base.size, 3);
});
