import assert from "node:assert/strict";
import { linearMatcher } from "../../src/util/linear_pattern.ts";

const PATTERNS: readonly RegExp[] = [
  /^[\w\-.]+@([\w-]+\.)+[\w-]{2,4}$/u,
  /(a+)+b/u,
  /^(a|ab)*c$/u,
  /x{2,4}(?:y|z)?$/u,
  /^(?:(?:a|b){2}){2,3}$/u,
  /^(a*)*$/u,
  /^$|b$/u,
  /(?<name>q|\d)+?\.|[^\d]{3}\-/,
  /^(?:\+|00)?1[ -]?(\d{2}|\(\d\)){2,}$/u,
];

Deno.test("linearMatcher() finds what the expression finds", () => {
  const letters = "aabbcxyz.@-019 q+(";
  let seed = 7;
  const next = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  for (const pattern of PATTERNS) {
    const matches = linearMatcher(pattern)!;
    for (let count = 0; count < 500; count++) {
      const text = Array.from({ length: next(9) }, () => letters[next(letters.length)]).join("");
      assert.equal(matches(text), pattern.test(text), `${pattern} in "${text}"`);
    }
    for (const text of ["joe.x@mail.example.com", "", "aaab", "1 12(3)", "😀-"]) {
      assert.equal(matches(text), pattern.test(text), `${pattern} in "${text}"`);
    }
  }
});

Deno.test("linearMatcher() takes what is outside of the basic plane for one character with the flag u only", () => {
  for (const pattern of [/^[^a]$/u, /^[^a]$/, /^[^a]{2}$/]) {
    assert.equal(linearMatcher(pattern)!("😀"), pattern.test("😀"), String(pattern));
  }
});

Deno.test("linearMatcher() repeats as often as each quantifier says, no more and no less", () => {
  for (const quantifier of ["", "?", "*", "+", "{2}", "{2,}", "{0,2}", "{1,3}", "{0}"]) {
    for (const body of ["a", "(?:ab)", "(?:a|b)", "(?:a?b)"]) {
      const pattern = new RegExp(`^${body}${quantifier}$`, "u");
      const matches = linearMatcher(pattern)!;
      for (const text of ["a", "ab", "b"].flatMap((one) => [0, 1, 2, 3, 4, 5].map((n) => one.repeat(n)))) {
        assert.equal(matches(text), pattern.test(text), `${pattern} in "${text}"`);
      }
    }
  }
});

Deno.test("linearMatcher() ends soon where one way after the other takes ages", () => {
  const started = performance.now();
  assert.equal(linearMatcher(/^(a+)+$/u)!("a".repeat(4096) + "b"), false);
  assert.ok(performance.now() - started < 1000);
});

Deno.test("linearMatcher() leaves back references, looks ahead and behind, and huge repetitions alone", () => {
  for (const pattern of [/(a)\1/u, /(?=a)b/u, /(?<!a)b/u, /\bfoo/u, /((a{99}){99}){99}/u]) {
    assert.equal(linearMatcher(pattern), undefined, String(pattern));
  }
});

Deno.test("linearMatcher() takes patterns of 2,001 characters at most", () => {
  const isTaken = (length: number) => linearMatcher(new RegExp("a".repeat(length))) !== undefined;
  assert.deepEqual([isTaken(2_001), isTaken(2_002)], [true, false]);
});
