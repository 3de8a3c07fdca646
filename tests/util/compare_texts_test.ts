import assert from "node:assert/strict";
import { compareTexts } from "../../src/util/compare_texts.ts";

Deno.test("compareTexts() orders by code points, a text behind what it begins with", () => {
  const ordered = [
    "",
    "A",
    "AB",
    "B",
    "a",
    "a\u0000",
    "aa",
    "ä",
    "\ud7ff",
    "\ue000",
    "\ue000a",
    "\uffff",
    "\u{10000}",
    "\u{10ffff}",
  ];
  for (const [x, a] of ordered.entries()) {
    for (const [y, b] of ordered.entries()) {
      assert.equal(Math.sign(compareTexts(a, b)), Math.sign(x - y), JSON.stringify([a, b]));
    }
  }
});
