import assert from "node:assert/strict";
import { fillPlaceholders } from "../../src/util/fill_placeholders.ts";

Deno.test("fillPlaceholders() puts values where their numbers stand, and leaves numbers without value", () => {
  assert.equal(fillPlaceholders("{0} of {1}, {0}, {2}", [1, null]), "1 of null, 1, {2}");
  assert.equal(fillPlaceholders("{0}", []), "{0}");
  assert.equal(fillPlaceholders("a{0}", [Object.create(null)]), "a");
});
