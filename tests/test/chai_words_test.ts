/**
 * Assertions in the words of chai and jest: each holds for some values, and fails with its message for others (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Assertion, expect } from "../../src/test/expect/expect.ts";
import { createMocks } from "../../src/test/runner/mock_function.ts";

type Says = (about: Assertion) => unknown;

/** A check, the values it holds for, and those it fails for. */
type Rule = readonly [check: Says, holds: readonly unknown[], fails: readonly unknown[]];

/** Each check, and its opposite behind `not`, holds for the one values and fails for the others. */
function checkAll(rules: readonly Rule[]): void {
  for (const [check, holds, fails] of rules) {
    const says = (value: unknown) => `${check} of ${Deno.inspect(value)}`;
    const refuses = (value: unknown, run: () => unknown) =>
      assert.throws(run, assert.AssertionError, `${says(value)} does not fail`);
    for (const value of holds) {
      assert.doesNotThrow(() => check(expect(value)), says(value));
      refuses(value, () => check(expect(value).not));
      assert.doesNotThrow(() => check(expect(value).not.not), says(value));
    }
    for (const value of fails) {
      refuses(value, () => check(expect(value)));
      assert.doesNotThrow(() => check(expect(value).not), `not ${says(value)}`);
    }
  }
}

class Point {
  readonly #hidden = 1;
  x = 1;
  /** What is no own member. */
  get hidden(): number {
    return this.#hidden;
  }
}
const entry = { a: 1 };
const thrower = (error: unknown) => () => {
  throw error;
};

Deno.test("words without arguments look at the value itself", () =>
  checkAll([
    [(it) => it.to.be.true, [true], [1, false, "true"]],
    [(it) => it.to.be.false, [false], [0, true, undefined]],
    [(it) => it.to.be.null, [null], [undefined, 0]],
    [(it) => it.toBeNull(), [null], [undefined, 0]],
    [(it) => it.to.be.undefined, [undefined], [null, 0]],
    [(it) => it.toBeUndefined(), [undefined], [null, 0]],
    [(it) => it.toBeDefined(), [null, 0], [undefined]],
    [(it) => it.to.be.NaN, [NaN], [0, "x", undefined]],
    [(it) => it.toBeNaN(), [NaN], [0, "x", undefined]],
    [(it) => it.to.be.ok, [1, "a", {}], [0, "", null, undefined, NaN]],
    [(it) => it.toBeTruthy(), [1, "a", {}], [0, "", null, undefined, NaN]],
    [(it) => it.to.be.truthy, [1, "a", {}], [0, "", null, undefined, NaN]],
    [(it) => it.to.be.falsy, [0, "", null, undefined, NaN], [1, "a", {}]],
    [(it) => it.toBeFalsy(), [0, "", null, undefined, NaN], [1, "a", {}]],
    [(it) => it.to.exist, [0, "", false, NaN], [null, undefined]],
    [(it) => it.exists, [0, "", false, NaN], [null, undefined]],
    [
      (it) => it.to.be.empty,
      ["", [], {}, new Map(), new Set(), undefined, null],
      ["a", [1], new Array(1), { a: 1 }, new Map([[1, 1]]), new Set([1])],
    ],
  ]));

Deno.test("words that only make a sentence readable change nothing", () => {
  const { to, be, been, is, at, of, and, but, has, have, that, which, does, with: also, still, same, all } =
    expect(1);
  for (
    const word of [to, be, been, is, at, of, and, but, has, have, that, which, does, also, still, same, all]
  ) {
    assert.doesNotThrow(() => word.equal(1));
    assert.throws(() => word.equal(2), assert.AssertionError);
  }
  expect(1).also.equal(1);
});

Deno.test("equal compares values, behind deep and in eql their members", () =>
  checkAll([
    [(it) => it.to.equal(1), [1], [2, "1", NaN]],
    [(it) => it.equals(entry), [entry], [{ a: 1 }]],
    [(it) => it.eq(entry), [entry], [{ a: 1 }]],
    [(it) => it.to.deep.equal(entry), [entry, { a: 1 }], [{ a: 2 }, { a: 1, b: undefined }]],
    [(it) => it.deep.equals(entry), [{ a: 1 }], [{ a: 2 }]],
    [(it) => it.deep.eq(entry), [{ a: 1 }], [{ a: 2 }]],
    [(it) => it.to.eql(entry), [entry, { a: 1 }], [{ a: 2 }, { a: 1, b: undefined }]],
    [(it) => it.eqls(entry), [{ a: 1 }], [{ a: 2 }]],
    [(it) => it.toStrictEqual(entry), [{ a: 1 }], [{ a: 2 }, { a: 1, b: undefined }]],
    [(it) => it.toEqual(entry), [{ a: 1 }, { a: 1, b: undefined }], [{ a: 2 }]],
    [(it) => it.toBe(NaN), [NaN], [1]],
    [(it) => it.toBe(entry), [entry], [{ a: 1 }]],
    [(it) => it.toMatchObject({ a: 1 }), [{ a: 1, b: 2 }], [{ a: 2 }, null]],
    [(it) => it.to.containSubset([{ a: 1 }]), [[0, { a: 1, b: 2 }]], [[{ a: 2 }], []]],
    [(it) => it.to.satisfy((n: number) => n - 1), [2, "2"], [1]],
    [(it) => it.to.be.oneOf([1, entry]), [1, entry], [2, { a: 1 }]],
    [(it) => it.to.be.deep.oneOf([1, entry]), [1, { a: 1 }], [2]],
  ]));

Deno.test("include looks for an entry, members, keys or a part", () =>
  checkAll([
    [(it) => it.to.include(entry), [[entry], new Set([entry])], [[{ a: 1 }], []]],
    [(it) => it.includes("b"), ["abc", ["b"]], ["ac", ["abc"]]],
    [(it) => it.contain("b"), ["abc", ["b"]], ["ac", ["abc"]]],
    [(it) => it.contains("b"), ["abc", ["b"]], ["ac", ["abc"]]],
    [(it) => it.to.deep.include(entry), [[{ a: 1 }]], [[{ a: 2 }]]],
    [(it) => it.toContain(entry), [[entry]], [[{ a: 1 }]]],
    [(it) => it.toContainEqual(entry), [[{ a: 1 }]], [[{ a: 2 }]]],
    [(it) => it.toMatch("b."), ["ab.c"], ["abc"]],
    [(it) => it.toMatch(/b./), ["abc"], ["ab"]],
    [(it) => it.to.match(/^1/), ["1a", 12], ["a1"]],
    [(it) => it.to.match("^1"), ["1a", 12], ["a1"]],
    [(it) => it.matches(/^1/), ["1a"], ["a1"]],
    [(it) => it.to.have.members([2, 1]), [[1, 2]], [[1], [1, 2, 3], [1, 3], "12"]],
    [(it) => it.to.include.members([2, 1]), [[1, 2], [1, 2, 3]], [[1], [1, 3]]],
    [(it) => it.to.have.members([entry]), [[entry]], [[{ a: 1 }]]],
    [(it) => it.to.have.deep.members([entry]), [[entry], [{ a: 1 }]], [[{ a: 2 }]]],
    [(it) => it.to.have.keys("a", "b"), [{ a: 1, b: 2 }], [
      { a: 1 },
      { a: 1, b: 2, c: 3 },
      { a: 1, c: 2 },
      null,
    ]],
    [(it) => it.to.have.key(["a", "b"]), [{ a: 1, b: 2 }], [{ a: 1 }]],
    [(it) => it.to.include.keys(["a"], "b"), [{ a: 1, b: 2, c: 3 }], [{ a: 1, c: 2 }]],
    [(it) => it.to.have.any.keys("a", "b"), [{ a: 1, c: 2 }, { b: 2 }], [{ c: 3 }, {}]],
  ]));

Deno.test("property looks for a member, of its own or at a path, maybe with a value", () =>
  checkAll([
    [(it) => it.to.have.property("a"), [{ a: 1 }, { a: undefined }, Object.create({ a: 1 })], [
      {},
      null,
      undefined,
    ]],
    [(it) => it.to.have.property("a", entry), [{ a: entry }], [{ a: { a: 1 } }, {}]],
    [(it) => it.to.have.property("a", expect.any(Number)), [{ a: 1 }], [{ a: "1" }]],
    [(it) => it.to.have.property("a", undefined), [{ a: undefined }], [{ a: 1 }, {}]],
    [(it) => it.to.have.deep.property("a", entry), [{ a: { a: 1 } }], [{ a: { a: 2 } }]],
    [(it) => it.to.have.own.property("hidden"), [{ hidden: 1 }], [new Point()]],
    [(it) => it.to.have.property("hidden"), [new Point()], [{}]],
    [(it) => it.to.have.property("a.b"), [{ "a.b": 1 }], [{ a: { b: 1 } }]],
    [(it) => it.to.have.nested.property("a.b"), [{ a: { b: 1 } }], [{ a: null }, { a: 1 }, { b: 1 }]],
    [(it) => it.to.have.nested.property("a[1].b", 2), [{ a: [0, { b: 2 }] }], [{ a: [{ b: 2 }] }]],
    [(it) => it.toHaveProperty("a.b", { c: 1 }), [{ a: { b: { c: 1 } } }], [{ a: { b: { c: 2 } } }]],
    [(it) => it.toHaveProperty(["a", "b"]), [{ a: { b: 1 } }], [{ a: {} }]],
    [(it) => it.to.have.property("length"), ["text", []], [1]],
    [(it) => it.to.have.property("toString"), [1, {}], [null, undefined]],
  ]));

Deno.test("what follows property and length is about the member", () => {
  expect({ a: [1, 2] }).to.have.property("a").that.has.length(2);
  expect({ a: { b: 1 } }).to.have.nested.property("a.b").that.equals(1);
  expect(new Point()).to.have.property("hidden").that.equals(1);
  expect(new Point()).to.have.own.property("x").that.equals(1);
  expect([1, 2]).to.have.length.above(1).and.below(3);
  expect("text").to.have.length(4).and.equal("text");
  const members = expect({ a: 1 }).not.to.have.property("b");
  assert.doesNotThrow(() => members.to.equal(1), "the opposite stays about the object");
});

Deno.test("length is that of lists and texts, or the size", () =>
  checkAll([
    [(it) => it.to.have.length(2), ["ab", [1, 2], new Set([1, 2])], ["a", [], new Map(), null, undefined, 2]],
    [(it) => it.to.have.lengthOf(0), ["", [], new Map()], ["a", {}]],
    [(it) => it.toHaveLength(1), ["a", [1]], ["", [1, 2]]],
    [(it) => it.to.have.length.above(1), [[1, 2]], [[1]]],
    [(it) => it.to.have.lengthOf.below(2), [[1]], [[1, 2]]],
  ]));

Deno.test("a is the type of a value, or its class", () =>
  checkAll([
    [
      (it) => it.to.be.a("string"),
      ["", "a"],
      [1, null],
    ],
    [(it) => it.to.be.a("String"), ["a"], [1]],
    [(it) => it.to.be.an("array"), [[]], [{}, null, "array"]],
    [(it) => it.to.be.an("object"), [{}, new Point()], [[], null, new Date(), () => {}]],
    [(it) => it.to.be.a("null"), [null], [undefined, {}]],
    [(it) => it.to.be.an("undefined"), [undefined], [null]],
    [(it) => it.to.be.a("function"), [() => {}, async () => {}, Point], [{}]],
    [(it) => it.to.be.a("promise"), [Promise.resolve()], [{}]],
    [(it) => it.to.be.a("date"), [new Date()], ["2020"]],
    [(it) => it.to.be.a("error"), [new TypeError()], [{}]],
    [(it) => it.to.be.a(Point), [new Point()], [{ x: 1 }, "point"]],
    [(it) => it.to.be.a(String), ["a"], [1]],
    [(it) => it.to.be.an(Array), [[]], [{}]],
    [(it) => it.to.be.instanceOf(Point), [new Point()], [{ x: 1 }]],
    [(it) => it.to.be.an.instanceof(Error), [new TypeError()], [{}]],
    [(it) => it.toBeInstanceOf(Error), [new TypeError()], [{}]],
  ]));

const ABOVE: readonly (readonly [Says, Says])[] = [
  [(it) => it.to.be.above(2), (it) => it.to.be.at.most(2)],
  [(it) => it.gt(2), (it) => it.lte(2)],
  [(it) => it.greaterThan(2), (it) => it.lessThanOrEqual(2)],
  [(it) => it.toBeGreaterThan(2), (it) => it.toBeLessThanOrEqual(2)],
];
const BELOW: readonly (readonly [Says, Says])[] = [
  [(it) => it.to.be.below(2), (it) => it.to.be.at.least(2)],
  [(it) => it.lt(2), (it) => it.gte(2)],
  [(it) => it.lessThan(2), (it) => it.greaterThanOrEqual(2)],
  [(it) => it.toBeLessThan(2), (it) => it.toBeGreaterThanOrEqual(2)],
];

Deno.test("numbers are compared with their bounds", () => {
  for (const [above, most] of ABOVE) checkAll([[above, [3, 2.1], [2, 1]], [most, [2, 1], [3, 2.1]]]);
  for (const [below, least] of BELOW) checkAll([[below, [1, 1.9], [2, 3]], [least, [2, 3], [1, 1.9]]]);
  for (const inside of [1, 2, 3]) expect(inside).to.be.within(1, 3);
  for (const outside of [0, 4]) {
    assert.throws(() => expect(outside).to.be.within(1, 3), assert.AssertionError);
  }
  checkAll([
    [(it) => it.to.be.above(new Date(5)), [new Date(6)], [new Date(5)]],
    [(it) => it.to.be.closeTo(10, 2), [8, 12, 10, "11"], [7.9, 12.1, "x"]],
    [(it) => it.toBeCloseTo(1), [1.0049, 0.9951], [1.006, 0.994]],
    [(it) => it.toBeCloseTo(1, 0), [1.5, 0.5], [1.6, 0.4]],
  ]);
});

const failure = Object.assign(new TypeError("bad thing"), { code: "E1", detail: { at: 1 } });

/** What is known of the error above, and what is not so. */
const ERRORS: readonly (readonly [isExpected: boolean, ...expected: readonly unknown[]])[] = [
  [true],
  [true, "thing"],
  [true, "E1"],
  [false, "E"],
  [false, "other"],
  [true, /^bad/],
  [false, /^thing/],
  [true, TypeError],
  [true, Error],
  [false, RangeError],
  [false, Point],
  [true, TypeError, "bad"],
  [true, TypeError, /thing$/],
  [false, TypeError, "other"],
  [false, RangeError, "bad"],
  [true, undefined, "bad"],
  [false, undefined, "other"],
  [true, (error: Error) => error === failure],
  [true, (error: Error) => error.message],
  [false, () => ""],
  [true, new Error("bad thing")],
  [false, new TypeError("bad")],
  [true, { code: "E1" }],
  [true, { code: "E1", message: /bad/ }],
  [true, { detail: { at: 1 } }],
  [false, { code: "E1", message: /good/ }],
  [false, { code: "E2" }],
  [false, { code: "E1", detail: { at: 2 } }],
];

Deno.test("throw and rejectedWith know an error by text, code, pattern, class, members or a function", async () => {
  for (const [isExpected, ...expected] of ERRORS) {
    const given = expected as [string, string];
    const checks: readonly Says[] = [
      (it) => it.to.throw(...given),
      (it) => it.throws(...given),
      ...(expected.length < 2
        ? [
          (it: Assertion) => it.toThrow(...expected as []),
          (it: Assertion) => it.toThrowError(...expected as []),
        ]
        : []),
    ];
    checkAll(checks.map((check): Rule => {
      return isExpected ? [check, [thrower(failure)], [() => {}]] : [check, [], [thrower(failure)]];
    }));
    const outcomeOf = async (about: Assertion) => await about.then(() => true, () => false);
    const awaited: readonly Says[] = [(it) => it.to.be.rejectedWith(...given), (it) => it.to.throw(...given)];
    for (const check of awaited) {
      const outcome = await outcomeOf(check(expect(Promise.reject(failure))) as Assertion);
      assert.equal(outcome, isExpected, Deno.inspect(expected));
    }
    const rejects = await outcomeOf(expect(Promise.reject(failure)).rejects.toThrow(expected[0] as string));
    if (expected.length < 2) assert.equal(rejects, isExpected, Deno.inspect(expected));
  }
});

Deno.test("what is thrown may be no error", () =>
  checkAll([
    [(it) => it.to.throw("tex"), [thrower("text")], [thrower(undefined), thrower(null)]],
    [(it) => it.to.throw(/^5$/), [thrower(5)], [thrower(6)]],
    [(it) => it.to.throw(), [thrower(undefined)], [() => undefined]],
    [(it) => it.to.throw({ a: 1 }), [thrower({ a: 1, b: 2 })], [thrower({ a: 2 }), thrower(null)]],
    [(it) => it.to.throw(Point), [thrower(new Point())], [thrower({ x: 1 })]],
  ]));

Deno.test("calls of a mock function are counted and compared", () => {
  const { fn } = createMocks();
  const called = (...calls: readonly (readonly unknown[])[]) => {
    const mock = fn();
    for (const args of calls) mock(...args);
    return mock;
  };
  const byNodeTest = { mock: { calls: [{ arguments: [1, { a: 1 }] }] } };
  checkAll([
    [(it) => it.toHaveBeenCalled(), [called([]), byNodeTest], [called()]],
    [(it) => it.toHaveBeenCalledTimes(1), [called([]), byNodeTest], [called(), called([], [])]],
    [(it) => it.toHaveBeenCalledWith(1, { a: 1 }), [called([1, { a: 1 }], [2]), byNodeTest], [
      called([1]),
      called([1, { a: 2 }]),
      called(),
    ]],
    [(it) => it.toHaveBeenLastCalledWith(2), [called([1], [2])], [called([2], [1]), called(), byNodeTest]],
  ]);
  for (const value of [null, 1, () => {}, { mock: {} }]) {
    assert.throws(() => expect(value).toHaveBeenCalled(), {
      name: "TypeError",
      message: /Expected a mock function/,
    });
  }
});

Deno.test("a message says what was found, what was expected of it, and the opposite", () => {
  const messageOf = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      return (error as Error).message;
    }
  };
  const cases: readonly (readonly [() => unknown, string])[] = [
    [() => expect({ a: 1 }).to.eql({ a: 2 }), "Expected { a: 1 } to eql { a: 2 }"],
    [() => expect(1).not.to.equal(1), "Expected 1 not to equal 1"],
    [() => expect(1).to.equal(undefined), "Expected 1 to equal"],
    [() => expect(1).to.be.null, "Expected 1 to be null"],
    [() => expect(1).to.be.a("string"), 'Expected 1 to be a "string"'],
    [() => expect(1).to.be.a(Point), 'Expected 1 to be a "Point"'],
    [() => expect([1]).to.have.length(2), "Expected [ 1 ] to have the length 2"],
    [() => expect({}).to.have.property("a"), "Expected {} to have the property a"],
    [() => expect({}).to.have.property("a", 1), "Expected {} to have the property a 1"],
    [() => expect.fail("why"), "why"],
    [() => expect.fail(), "expect.fail()"],
  ];
  for (const [run, message] of cases) assert.equal(messageOf(run), message);
  const deep = { 1: { 2: { 3: { 4: { 5: { 6: { 7: { 8: { 9: { 10: {} } } } } } } } } } };
  assert.match(messageOf(() => expect(deep).to.be.null)!, /"8": \{ "9": \[Object\] \}/);
  assert.throws(() => expect(1).to.equal(2), { name: "AssertionError", actual: 1, expected: 2 });
  assert.throws(() => expect.fail(), assert.AssertionError);
});
