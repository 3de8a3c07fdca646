import assert from "node:assert/strict";
import { counted } from "../../src/util/counted.ts";

Deno.test("counted() gives numbers with singular and plural", () => {
  assert.deepEqual([0, 1, 2, 11].map((count) => counted(count, "file")), [
    ...["0 files", "1 file", "2 files", "11 files"],
  ]);
});
