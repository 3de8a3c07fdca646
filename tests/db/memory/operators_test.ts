import assert from "node:assert/strict";
import { DOUBLE_OPERATORS, like, OPERATORS } from "../../../src/db/memory/operators.ts";

const run = (word: string, left: unknown, right: unknown) => OPERATORS[word]!(left, () => right);

Deno.test("and, or know what is true, false and unknown (SQL)", () => {
  const [yes, no, unknown] = [1, 0, null];
  const table = [
    [yes, yes, yes, yes],
    [yes, no, no, yes],
    [yes, unknown, unknown, yes],
    [no, no, no, no],
    [no, unknown, no, unknown],
    [unknown, unknown, unknown, unknown],
  ];
  for (const [left, right, both, either] of table) {
    for (const [a, b] of [[left, right], [right, left]]) {
      assert.deepEqual([run("and", a, b), run("or", a, b)], [both, either], `${a} ${b}`);
    }
  }
});

Deno.test("== and != compare null as a value, the others give null beside it (db/README, Null)", () => {
  const table: readonly (readonly [left: unknown, right: unknown, isSame: boolean])[] = [
    [null, null, true],
    [null, 0, false],
    [null, "", false],
    [1, 1n, true],
    ["a", "a", true],
    ["a", "b", false],
    [2, 10, false],
  ];
  for (const [left, right, isSame] of table) {
    for (const [a, b] of [[left, right], [right, left]]) {
      assert.deepEqual([run("==", a, b), run("!=", a, b)], isSame ? [1, 0] : [0, 1], `${a} ${b}`);
      const known = a === null || b === null ? [null, null] : isSame ? [1, 0] : [0, 1];
      assert.deepEqual([run("=", a, b), run("<>", a, b)], known, `${a} ${b}`);
    }
  }
  const ordered = ["<", "<=", ">", ">="].map((word) =>
    [[1, 2], [2, 2], [3, 2]].map(([a, b]) => run(word, a, b))
  );
  assert.deepEqual(ordered, [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]]);
  for (const word of ["<", "<=", ">", ">=", "+", "-", "*", "/", "||"]) {
    assert.deepEqual([run(word, null, 1), run(word, 1, null)], [null, null], word);
  }
});

Deno.test("floating-point numbers are calculated as such where they are whole, too (IEEE 754)", () => {
  const double = (word: string, left: unknown, right: unknown) => DOUBLE_OPERATORS[word]!(left, () => right);
  assert.equal(double("*", 3, 0.5), 1.5);
  assert.equal(double("*", 2n ** 53n + 1n, 2), 2 ** 54);
  assert.equal(double("+", 2 ** 53, 1), 2 ** 53);
  assert.equal(double("-", 5, 1.5), 3.5);
  for (const word of ["+", "-", "*"]) assert.equal(double(word, null, 1), null, word);
});

Deno.test("whole numbers are exact as long as they have 64 bits, and floating-point numbers beyond, as in SQLite", () => {
  const most = 2n ** 63n - 1n;
  const table: readonly (readonly [word: string, left: unknown, right: unknown, expected: unknown])[] = [
    ["+", most - 1n, 1, most],
    ["-", -most, 1, -(2n ** 63n)],
    ["*", 2n ** 62n, -2, -(2n ** 63n)],
    ["-", most, most - 1n, 1],
    ["-", 2 ** 53 - 1, 2n ** 53n + 1n, -2],
    ["-", 2n ** 53n + 1n, 2 ** 53 - 1, 2],
    ["/", 2 ** 62, 2n ** 53n + 1n, 511],
    ["+", most, 1, 2 ** 63],
    ["+", most, most, 2 ** 64],
    ["*", most, 2, 2 ** 64],
    ["-", -most, 2, -(2 ** 63)],
    ["*", 1e200, 1e200, Infinity],
    ["*", 0, -1, 0],
    ["+", 0.5, 2, 2.5],
  ];
  for (const [word, left, right, expected] of table) {
    assert.equal(run(word, left, right), expected, `${left} ${word} ${right}`);
  }
});

Deno.test("like knows % and _, letters from A to Z without case, and an escape (db/README)", () => {
  const table:
    readonly (readonly [value: unknown, pattern: unknown, found: 0 | 1 | null, escape?: unknown])[] = [
      ["AZaz", "azAZ", 1],
      ["a", "A", 1],
      ["Z", "z", 1],
      ["[@{", "[@{", 1],
      ["@", "`", 0],
      ["[", "{", 0],
      ["\u00c4", "\u00e4", 0],
      ["abc", "abc", 1],
      ["abc", "ab", 0],
      ["ab", "abc", 0],
      ["", "", 1],
      ["", "%", 1],
      ["", "%%", 1],
      ["", "_", 0],
      ["a", "", 0],
      ["abc", "%", 1],
      ["abc", "a%", 1],
      ["abc", "%c", 1],
      ["abc", "%b", 0],
      ["abc", "%b%", 1],
      ["abc", "a%c%", 1],
      ["aXbXc", "a%X%c", 1],
      ["abab", "%ab", 1],
      ["aab", "%ab", 1],
      ["abac", "a%ab", 0],
      ["abc", "a_c", 1],
      ["ac", "a_c", 0],
      ["abc", "__", 0],
      ["\u{1f600}", "_", 1],
      [12, "1_", 1],
      ["a%", "a!%", 1, "!"],
      ["ab", "a!%", 0, "!"],
      ["a_", "a!_", 1, "!"],
      ["ab", "a!_", 0, "!"],
      ["a!", "a!!", 1, "!"],
      ["ab", "a!b", 1, "!"],
      ["ab%", "a_!%", 1, "!"],
      ["a", "a!", 0, "!"],
      ["a!", "a!", 0, "!"],
      ["a!", "a!", 1],
      ["a", "a\u{1f600}%", 0, "\u{1f600}"],
      [null, "a", null],
      ["a", null, null],
      ["a", "a", null, null],
    ];
  for (const [value, pattern, found, ...escape] of table) {
    assert.equal(like(value, pattern, ...escape), found, `${value} ${pattern} ${escape}`);
  }
  for (const escape of ["", "ab"]) {
    assert.throws(() => like("a", "a", escape), {
      status: 400,
      message: "The escape of like is a single character",
    });
  }
});
