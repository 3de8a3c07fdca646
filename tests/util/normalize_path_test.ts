import assert from "node:assert/strict";
import { normalizePath } from "../../src/util/normalize_path.ts";

Deno.test("normalizePath() removes dots", () => {
  assert.equal(normalizePath("a/./b/../c"), "a/c");
  assert.equal(normalizePath("../../a"), "../../a");
  assert.equal(normalizePath("/a/../../b"), "/b");
});
