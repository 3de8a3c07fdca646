import assert from "node:assert/strict";
import { boundedPattern, limitPattern } from "../../src/util/bounded_pattern.ts";
import { assertBounded } from "../assert_bounded.ts";

Deno.test("limitPattern() refuses patterns that may take exponential time", () => {
  const refused = [
    ...["(a+)+$", "(a|a)*", "(.*)*x", "(a?)*b", "^(([a-z])+.)+$", "(a)\\1", "(a?){50}a{50}", "(.*a){20}"],
    ...["a?".repeat(40) + "a".repeat(40), "(a|a)".repeat(40), "(?<n>a)\\k<n>", ".*.*.*.*.*x", "(a{0,9}){9}"],
    ...["(a{2,})*", "a{2,}".repeat(5) + "b", `(a+){${"0".repeat(20)},}$`, `(a+){${"0".repeat(20)}9}$`],
    ...["(\\u{61}+)+$", "(\\u{61}*)*$", "(\\u{1F600}?){2}"],
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

Deno.test("limitPattern() bounds the text by repetitions and choices, and more where a match may begin anywhere", () => {
  const lengths: Readonly<Record<string, number | string>> = {
    ...{ "^a*b$": 4096, "a*b": 4096, "^a*a*b$": 4096, "a*a*b": 271, "^a*a*a*b$": 271, "a+?a++b": 271 },
    ...{ "a*a*a*b": 66, "^a*a*a*a*b$": 66, "^a{2,}a{2,}a{2,}$": 271, "^a|a*a*b": 215, "^a*a*a{3}$": 4096 },
    ...{ "^\\u{61}+\\u{61}*a*b$": 271, "^\\u{61}\\u0061{2}$": 4096 },
    ...{ "a*a*a*a*b": "has too many repetitions or alternatives", "^(a*){1}a*a*$": 271 },
    ...{
      ["a?".repeat(12)]: 4096,
      ["a?".repeat(13)]: 2441,
      ["a?".repeat(19)]: 38,
      ["^" + "a?".repeat(13)]: 2441,
    },
    ...{
      ["a{0,3}".repeat(7)]: 1220,
      ["a{2,3}".repeat(13)]: 2441,
      ["(a|b)".repeat(13)]: 2441,
      ["(?:a|b)".repeat(14)]: 1220,
    },
    ...{
      ["a?".repeat(20)]: "has too many repetitions or alternatives",
      ["a?".repeat(25)]: "has too many repetitions or alternatives",
    },
    ...{
      ["(ab)?".repeat(13)]: 2441,
      ["[a?b*]?".repeat(13)]: 2441,
      ["\\*?".repeat(13)]: 2441,
      ["(?<n>a)?".repeat(13)]: 2441,
    },
  };
  for (const [pattern, expected] of Object.entries(lengths)) {
    const limit = limitPattern(pattern);
    assert.equal("reason" in limit ? limit.reason : limit.maxLength, expected, pattern);
  }
});

Deno.test("limitPattern() refuses to repeat what may match in several ways, and nothing else", () => {
  const repeats = "repeats a group that holds repetitions or alternatives";
  for (
    const pattern of ["(a|b)*", "(a|b){2}", "(a?)+", "((a|b)c)*", "(a(b*)c){0,2}", "(?:a+)*", "x(y(z|w)){3}"]
  ) {
    assert.deepEqual(limitPattern(pattern), { reason: repeats }, pattern);
  }
  for (
    const pattern of ["(a|b)", "(a|b)?", "(a|b){1}", "(a*)?", "(a{2}){9}", "(a|b)(c)*", "(a)*|b", "(a|b)c*"]
  ) {
    assert.ok("maxLength" in limitPattern(pattern), pattern);
  }
  for (const pattern of ["(a)\\1", "(a)\\9", "(?<n>a)\\k<n>"]) {
    assert.deepEqual(limitPattern(pattern), { reason: "has a back reference" }, pattern);
  }
  for (const pattern of ["\\0", "\\d", "[\\1]", "\\\\1"]) {
    assert.ok("maxLength" in limitPattern(pattern), pattern);
  }
});

Deno.test("boundedPattern() says of what is no regular expression that it is none, and compiles others once", () => {
  assert.deepEqual(boundedPattern("a{2,1}"), { reason: 'is no regular expression: "a{2,1}"' });
  assert.deepEqual(boundedPattern("(a|b)*"), {
    reason: "repeats a group that holds repetitions or alternatives",
  });
  const made = boundedPattern("^kept-\\p{L}$");
  assert.ok("expression" in made);
  assert.deepEqual([made.expression.flags, made.maxLength], ["u", 4096]);
  assert.equal(boundedPattern("^kept-\\p{L}$"), made);
  for (let index = 0; index < 49; index++) boundedPattern(`^other-${index}$`);
  assert.equal(boundedPattern("^kept-\\p{L}$"), made, "fifty are kept");
  boundedPattern("^one more$");
  assert.notEqual(boundedPattern("^kept-\\p{L}$"), made);
});
