/**
 * Comparing values in assertions (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { hasSubset, holds, isDeepEqual, Matcher, matchesObject } from "../../src/test/expect/compare.ts";
import { expect } from "../../src/test/expect/expect.ts";

type Pair = readonly [actual: unknown, expected: unknown];

const any = new Matcher("any", () => true);
const none = new Matcher("none", () => false);
const run = () => {};
class Point {
  x = 1;
}

/** Checks that a comparison is true for some pairs, and false for others. */
function compares(
  compare: (actual: unknown, expected: unknown) => boolean,
  { equal, different }: { readonly equal: readonly Pair[]; readonly different: readonly Pair[] },
): void {
  const print = (value: unknown) => Deno.inspect(value, { depth: 6 });
  for (const [list, isExpected] of [[equal, true], [different, false]] as const) {
    for (const [actual, expected] of list) {
      assert.equal(compare(actual, expected), isExpected, `${print(actual)} and ${print(expected)}`);
    }
  }
}

/** Pairs that are the same for every comparison of members. */
const SAME: readonly Pair[] = [
  [1, 1],
  [NaN, NaN],
  [null, null],
  [undefined, undefined],
  ["a", "a"],
  [run, run],
  [[], []],
  [{}, {}],
  [[1, [2]], [1, [2]]],
  [{ a: { b: 1 } }, { a: { b: 1 } }],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }],
  [new Point(), { x: 1 }],
  [new Date(5), new Date(5)],
  [7, any],
  [{ a: 7 }, { a: any }],
];

/** Pairs that differ for every comparison of members. */
const OTHER: readonly Pair[] = [
  [1, 2],
  [1, "1"],
  [null, undefined],
  [null, {}],
  [1, {}],
  [{}, 1],
  [{ a: 1 }, { a: 2 }],
  [{ a: { b: 1 } }, { a: { b: 2 } }],
  [{ a: 1 }, { b: 1 }],
  [{}, { a: 1 }],
  [[1, 2], [1, 3]],
  [[1], [1, 2]],
  [[2], [1]],
  [{}, [1]],
  [{ 0: 1, length: 1 }, [1]],
  [new Date(5), new Date(6)],
  [{}, new Date(5)],
  [7, none],
  [{ a: 7 }, { a: none }],
];

Deno.test("values are equal where they have the same members at any depth", () =>
  compares(isDeepEqual, {
    equal: [
      ...SAME,
      [/a/g, /a/g],
      [new Error("x"), new Error("x")],
      [Object.assign(new Error("x"), { code: 1 }), new Error("x")],
      [Uint8Array.of(1, 2), Uint8Array.of(1, 2)],
      [new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]])],
      [new Set([1, [2]]), new Set([1, [2]])],
      [{ a: undefined }, { a: undefined }],
      [[undefined], [undefined]],
      [[1, 2], [any, any]],
      [Object.create({ a: 1 }), { a: 1 }],
    ],
    different: [
      ...OTHER,
      [0, -0],
      [1, new Number(1)],
      [new Number(1), 1],
      [/a/g, /a/i],
      [/a/, /b/],
      [new Error("x"), new Error("y")],
      [new Error("x"), new TypeError("x")],
      [new Error("x"), { message: "x", name: "Error" }],
      [Uint8Array.of(1, 2), Uint8Array.of(1, 3)],
      [Uint8Array.of(1, 2), Uint8Array.of(1)],
      [Uint8Array.of(1), [1]],
      [new Map([["a", 1]]), new Map([["a", 2]])],
      [new Map([["a", 1]]), new Map()],
      [new Set([1]), new Set([2])],
      [new Set([1]), new Set([1, 2])],
      [new Map(), new Set()],
      [() => {}, () => {}],
      [{ a: 1, b: 2 }, { a: 1 }],
      [{ a: undefined }, {}],
      [{}, { a: undefined }],
      [{ a: undefined }, { b: undefined }],
      [[1, 2], [1]],
      [[2], [none]],
    ],
  }));

Deno.test("members that are undefined equal missing ones where they are ignored, at any depth", () =>
  compares((actual, expected) => isDeepEqual(actual, expected, { ignoresUndefined: true }), {
    equal: [
      ...SAME,
      [{ a: undefined }, {}],
      [{}, { a: undefined }],
      [{ a: undefined }, { b: undefined }],
      [[{ a: undefined }], [{}]],
      [{ b: { a: undefined } }, { b: {} }],
      [new Set([{ a: undefined }]), new Set([{}])],
    ],
    different: [...OTHER, [{ a: null }, {}], [{ a: 1 }, { a: undefined }], [[undefined], []]],
  }));

Deno.test("a subset has some of the members and entries, and functions decide themselves", () =>
  compares(hasSubset, {
    equal: [
      ...SAME,
      [{ a: 1, b: 2 }, { a: 1 }],
      [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }],
      [[1, 2, 3], [3, 1]],
      [[{ a: 1, b: 2 }], [{ b: 2 }]],
      [{ a: [1, { b: 1 }] }, { a: [{ b: 1 }] }],
      [7, (value: number) => value > 6],
      [{ a: 7 }, { a: (value: number) => value > 6 }],
      [{ a: 1 }, { b: undefined }],
    ],
    different: [
      ...OTHER,
      [7, (value: number) => value > 7],
      [[1], [2]],
      [[1], [1, 2]],
      [undefined, { a: 1 }],
      [null, {}],
      [new Date(5), new Date(7)],
      ["a", ["a"]],
    ],
  }));

Deno.test("an object matches with more members, a list with as many entries", () =>
  compares(matchesObject, {
    equal: [
      ...SAME,
      [{ a: 1, b: 2 }, { a: 1 }],
      [[{ a: 1, b: 2 }, 3], [{ a: 1 }, 3]],
      [{ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }],
      [new Error("x"), { message: "x" }],
    ],
    different: [
      ...OTHER,
      [[1, 2], [1]],
      [[1, 2], [2, 1]],
      [{ a: [1, 2] }, { a: [1] }],
      [null, {}],
      ["a", { length: 1 }],
    ],
  }));

const entry = { a: 1 };

Deno.test("a text holds a text, a list an entry, an object members that are the same", () => {
  const both: readonly Pair[] = [
    ["text", "ex"],
    ["a1", 1],
    [[1, NaN], NaN],
    [[entry], entry],
    [new Set([entry]), entry],
    [Uint8Array.of(1, 2), 2],
    [{ a: 1, b: 2 }, { b: 2 }],
    [{ a: entry }, { a: entry }],
    [[1], any],
    [{ a: 1 }, { a: any }],
    [{ a: 1 }, {}],
  ];
  const neither: readonly Pair[] = [
    ["text", "x t"],
    [[1], 2],
    [[], undefined],
    [[1], none],
    [new Set([1]), 2],
    [new Set([1]), {}],
    [Uint8Array.of(1, 2), 3],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1 }, { a: none }],
    [{ a: 1 }, "a"],
    [1, 1],
    [null, {}],
    [undefined, {}],
  ];
  const byMembers: readonly Pair[] = [
    [[entry], { a: 1 }],
    [new Set([entry]), { a: 1 }],
    [{ b: entry }, { b: { a: 1 } }],
  ];
  compares((actual, part) => holds(actual, part, true), {
    equal: [...both, ...byMembers],
    different: neither,
  });
  compares((actual, part) => holds(actual, part, false), {
    equal: both,
    different: [...neither, ...byMembers],
  });
});

Deno.test("matchers accept what their names say, and print so", () => {
  const [accepted, refused] = [true, false];
  const cases: readonly (readonly [matcher: Matcher, value: unknown, isExpected: boolean])[] = [
    [expect.any(Number), 1, accepted],
    [expect.any(Number), "1", refused],
    [expect.any(String), "", accepted],
    [expect.any(Boolean), false, accepted],
    [expect.any(Function as never), run, accepted],
    [expect.any(Object), {}, accepted],
    [expect.any(Array), [], accepted],
    [expect.any(Array), {}, refused],
    [expect.any(Point), new Point(), accepted],
    [expect.any(Point), { x: 1 }, refused],
    [expect.any(Point), null, refused],
    [expect.anything(), 0, accepted],
    [expect.anything(), null, refused],
    [expect.anything(), undefined, refused],
    [expect.objectContaining({ a: 1 }), { a: 1, b: 2 }, accepted],
    [expect.objectContaining({ a: 1 }), { a: 2 }, refused],
    [expect.objectContaining({ a: 1 }), null, refused],
    [expect.arrayContaining([{ a: 1 }]), [0, { a: 1 }], accepted],
    [expect.arrayContaining([1, 2]), [1], refused],
    [expect.arrayContaining(["a"]), "a", refused],
    [expect.stringContaining("ex"), "text", accepted],
    [expect.stringContaining("ex"), "no", refused],
    [expect.stringContaining("ex"), ["ex"], refused],
    [expect.stringMatching(/^t/), "text", accepted],
    [expect.stringMatching("x.$"), "text", accepted],
    [expect.stringMatching(/^x/), "text", refused],
    [expect.stringMatching("1"), 1, refused],
  ];
  for (const [matcher, value, isExpected] of cases) {
    assert.equal(matcher.accepts(value), isExpected, `${matcher} and ${Deno.inspect(value)}`);
  }
  assert.equal(String(expect.any(Point)), "any Point");
});
