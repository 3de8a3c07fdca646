import assert from "node:assert/strict";
import { boundedPattern, limitPattern } from "../../src/util/bounded_pattern.ts";
import { assertBounded } from "../assert_bounded.ts";

Deno.test("limitPattern() refuses patterns that may take exponential time", () => {
  const refused = [
    ...["(a+)+$", "(a|a)*", "(.*)*x", "(a?)*b", "^(([a-z])+.)+$", "(a)\\1", "(a?){50}a{50}", "(.*a){20}"],
    ...["a?".repeat(40) + "a".repeat(40), "(a|a)".repeat(40), "(?<n>a)\\k<n>", ".*.*.*.*.*x", "(a{0,9}){9}"],
    ...["(a{2,})*", "a{2,}".repeat(5) + "b"],
  ];
  for (const pattern of refused) assert.ok("reason" in limitPattern(pattern), pattern);
});

Deno.test("limitPattern() admits patterns in use, for shorter text where they may take longer", () => {
  const admitted = [
    "^[0-9]{5}$",
    "^[^@]+@[^@]+\\.[^@]+$",
    "(?:ab)+",
    "^(a|b)$",
    "\\+\\d{1,9}",
    "[(+|]*",
    "(a{2})*",
    "a{1,3}b{1,3}c{1,3}d{1,3}e{1,3}$",
  ];
  for (const pattern of admitted) {
    const limit = limitPattern(pattern);
    assert.ok("maxLength" in limit && limit.maxLength >= 255, pattern);
  }
  const length = (pattern: string) => (limitPattern(pattern) as { maxLength: number }).maxLength;
  assert.equal(length("^abc$"), 4096);
  assert.ok(length("^a*a*a*b$") < length("^a*a*b$"));
});

Deno.test("boundedPattern() takes patterns of 256 characters and no longer ones", () => {
  assert.equal("reason" in boundedPattern("a".repeat(256)), false);
  assert.deepEqual(boundedPattern("a".repeat(257)), { reason: "is too long" });
});

Deno.test("limitPattern() keeps the worst case of what it admits short", async () => {
  for (const pattern of ["^a*a*a*b$", "a*a*b", "^a*a*b$", "a*b", "^(a|a)(a|a)(a|a)a*a*b$", "a?a?a?a?a*b"]) {
    const { maxLength } = limitPattern(pattern) as { maxLength: number };
    const isLong = () => assert.equal(new RegExp(pattern, "u").test("a".repeat(maxLength)), false);
    await assertBounded(isLong, pattern);
  }
});
