/** Rows that the database in memory finds by the value of a column. */

import assert from "node:assert/strict";
import { lookup } from "../../../src/db/memory/source.ts";

Deno.test("rows are found by the value of a column, and null is equal to nothing", () => {
  const rows = [
    ...[{ n: 1, t: "a" }, { n: 2, t: "null" }, { n: 1, t: null }, { t: "undefined" }, { n: null, t: "a" }],
  ];
  const found = (column: string, value: unknown) =>
    lookup(rows, { column, value } as Parameters<typeof lookup>[1]).map((row) => rows.indexOf(row as never));
  for (
    const [column, value, expected] of [
      ...[["n", 1, [0, 2]], ["n", 2, [1]], ["n", 3, []], ["n", null, []], ["n", "null", []]] as const,
      ...[["n", "undefined", []], ["n", undefined, []], ["t", "a", [0, 4]], ["t", "null", [1]]] as const,
      ...[["t", "undefined", [3]], ["t", null, []], ["none", 1, []]] as const,
    ]
  ) assert.deepEqual(found(column, value), expected, `${column} ${value}`);
});
