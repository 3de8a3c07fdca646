import assert from "node:assert/strict";
import { booleanOf } from "../../src/util/boolean_of.ts";

Deno.test("booleanOf() knows the forms of truth values, and no others", () => {
  for (const value of [true, 1, 1n, "1", "true", "TRUE"]) assert.equal(booleanOf(value), true);
  for (const value of [false, 0, 0n, "0", "false", "False"]) assert.equal(booleanOf(value), false);
  for (const value of [2, -1, 2n, "", "yes", null, undefined, {}]) assert.equal(booleanOf(value), undefined);
});
