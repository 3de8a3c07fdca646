import assert from "node:assert/strict";
import { holdsUnstorable } from "../../src/util/unstorable_text.ts";

Deno.test("holdsUnstorable() finds null characters and lone surrogates in values and names at any depth", () => {
  for (const text of ["a\0b", "\ud800", "\udc00x"]) {
    for (const value of [text, [text], { a: [{ b: text }] }, { [text]: 1 }]) {
      assert.equal(holdsUnstorable(value), true);
    }
  }
  for (const value of ["😀", 1, null, { a: ["b"] }, new Uint8Array(2)]) {
    assert.equal(holdsUnstorable(value), false);
  }
});
