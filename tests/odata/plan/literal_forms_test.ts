import assert from "node:assert/strict";
import { literalEnd, quoteLength } from "../../../src/odata/plan/shapes/literal_forms.ts";

Deno.test("quotes are written as they are or as %27, and as nothing else", () => {
  const lengths = ["'", "%27", "%37", "%2", "%", "%%7", "a27", '"', ""].map((raw) => quoteLength(raw, 0));
  assert.deepEqual(lengths, [1, 3, 0, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual([0, 1, 2, 4, 5, 9].map((at) => quoteLength("a'%27", at)), [0, 1, 3, 0, 0, 0]);
});

Deno.test("a string ends at its quote, whatever else is encoded in it", () => {
  for (const text of ["''", "'a%37b'", "%27a%37b%27", "'a''b'", "'a%27%27b'", "'%C3%BC'"]) {
    assert.equal(literalEnd("string", `${text} and`, 0), text.length, text);
  }
  for (const text of ["'a", "'a%37", "'a%2", "'a&'", "'a#'", "'%FF'", "%37a%37"]) {
    assert.equal(literalEnd("string", text, 0), 0, text);
  }
});
