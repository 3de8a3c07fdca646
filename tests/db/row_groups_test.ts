import assert from "node:assert/strict";
import type { Xo } from "../../src/cqn/cqn.ts";
import { rowGroups } from "../../src/db/write/write_target.ts";

const rows = (count: number): Xo[][] =>
  Array.from({ length: count }, (_, at) => [{ ref: ["ID"] }, "=", { val: at }]);

const valuesOf = (where: readonly Xo[]): unknown[] =>
  where.flatMap((token): unknown[] =>
    typeof token === "string"
      ? []
      : "xpr" in token
      ? valuesOf(token.xpr ?? [])
      : "val" in token
      ? [token.val]
      : []
  );

Deno.test("rowGroups() names all rows in statements of few sizes, with at most 64 values", () => {
  for (const count of [0, 1, 2, 3, 7, 63, 64, 65, 200]) {
    for (const values of [1, 2, 3, 5, 64, 100]) {
      const groups = rowGroups(rows(count), values).map(valuesOf);
      assert.deepEqual([...new Set(groups.flat())], rows(count).map((_, at) => at), `${count} ${values}`);
      for (const { length } of groups) {
        assert.ok(length * values <= Math.max(64, values), `${length} of ${values}`);
        assert.equal(Math.log2(length) % 1, 0);
      }
    }
  }
  assert.deepEqual(rowGroups(rows(1), 1), [rows(1)[0]]);
  assert.equal(rowGroups(rows(200), 1).length, 4);
});
