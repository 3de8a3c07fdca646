/**
 * `assert` and `should` in the words of chai (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { assert as chai, should } from "../../src/test/expect/chai_assert.ts";

type Case = readonly [name: string, holds: readonly unknown[], fails: readonly unknown[]];

const CASES: readonly Case[] = [
  ["equal", [1, "1"], [1, 2]],
  ["notEqual", [1, 2], [1, "1"]],
  ["strictEqual", [1, 1], [1, "1"]],
  ["deepEqual", [{ a: [1] }, { a: [1] }], [{ a: [1] }, { a: [2] }]],
  ["notDeepEqual", [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 1 }]],
  ["include", ["abc", "b"], ["abc", "x"]],
  ["notInclude", ["abc", "x"], ["abc", "b"]],
  ["property", [{ a: 1 }, "a"], [{ a: 1 }, "b"]],
  ["notProperty", [{ a: 1 }, "b"], [{ a: 1 }, "a"]],
  ["propertyVal", [{ a: 1 }, "a", 1], [{ a: 1 }, "a", 2]],
  ["match", ["abc", /b/], ["abc", /x/]],
  ["instanceOf", [new Map(), Map], [{}, Map]],
  ["lengthOf", [[1], 1], [[1], 2]],
  ["isTrue", [true], [1]],
  ["isNull", [null], [undefined]],
  ["isDefined", [0], [undefined]],
  ["exists", [0], [null]],
  ["isArray", [[]], [{}]],
  ["isNotArray", [{}], [[]]],
  ["isString", [""], [1]],
  ["isAbove", [2, 1], [1, 1]],
  ["isAtMost", [1, 1], [2, 1]],
  ["isEmpty", [[]], [[1]]],
  ["sameMembers", [[1, 2], [2, 1]], [[1], [2]]],
  ["throws", [() => assert.fail("x"), /x/], [() => {}]],
  ["throw", [() => assert.fail("x"), Error, "x"], [() => assert.fail("x"), Error, "y"]],
  ["ok", [1], [0]],
  ["isOk", [1], [0]],
  ["isNotOk", [0], [1]],
  ["isFalse", [false], [0]],
  ["isNotNull", [undefined], [null]],
  ["isUndefined", [undefined], [null]],
  ["notExists", [null], [0]],
  ["isNotEmpty", [[1]], [[]]],
  ["isBelow", [1, 2], [1, 1]],
  ["isAtLeast", [1, 1], [1, 2]],
  ["typeOf", [1, "number"], ["1", "number"]],
  ["sameDeepMembers", [[{ a: 1 }], [{ a: 1 }]], [[{ a: 1 }], [{ a: 2 }]]],
  ["deepInclude", [[{ a: 1 }], { a: 1 }], [[{ a: 1 }], { a: 2 }]],
  ["notDeepInclude", [[{ a: 1 }], { a: 2 }], [[{ a: 1 }], { a: 1 }]],
  ["isObject", [{}], [[]]],
  ["isNotString", [1], ["1"]],
  ["notStrictEqual", [1, "1"], [1, 1]],
];

for (const [name, holds, fails] of CASES) {
  Deno.test(`assert.${name} holds and fails as in chai`, () => {
    chai[name](...holds as [unknown]);
    assert.throws(() => chai[name](...fails as [unknown]), assert.AssertionError);
  });
}

Deno.test("assert is a function, and has what node:assert has beside", () => {
  chai(1);
  assert.throws(() => chai(0, "no"), /no/);
  assert.equal(chai.rejects, assert.rejects);
});

Deno.test("messages of assert say what was found", async () => {
  const cases: readonly (readonly [name: string, given: readonly unknown[], message: string])[] = [
    ["fail", [], "Failed"],
    ["fail", ["why"], "why"],
    ["equal", [undefined, { a: 1 }], 'Expected undefined to equal {"a":1}'],
    ["notEqual", ["1", 1], 'Expected the opposite of what holds for "1"'],
  ];
  for (const [name, given, message] of cases) {
    assert.throws(() => chai[name](...given as [unknown]), { name: "AssertionError", message });
  }
  await chai.isFulfilled(Promise.resolve(1));
  await chai.isRejected(Promise.reject(1));
  await assert.rejects(async () => await chai.isFulfilled(Promise.reject(1)), assert.AssertionError);
  await assert.rejects(async () => await chai.isRejected(Promise.resolve(1)), assert.AssertionError);
});

Deno.test("should is a member of all values, which own members hide", () => {
  try {
    const { not, equal } = should();
    const value = { foo: "bar" } as unknown as {
      should: { have: { property(name: string): unknown } };
      foo: string;
    };
    value.should.have.property("foo");
    (value.foo as unknown as { should: { equal(other: string): unknown } }).should.equal("bar");
    assert.throws(() => value.should.have.property("x"), assert.AssertionError);
    const day = new Date(5);
    const wrapped: readonly (readonly [value: unknown, same: unknown])[] = [
      [new String("a"), "a"],
      [new Number(1), 1],
      [new Boolean(false), false],
      ["a", "a"],
      [0, 0],
      [day, day],
      [value, value],
    ];
    for (const [one, same] of wrapped) {
      (one as { readonly should: { equal(other: unknown): unknown } }).should.equal(same);
    }
    not.equal(1, 2);
    assert.throws(() => not.equal(1, 1), assert.AssertionError);
    assert.throws(() => not.exist(1), assert.AssertionError);
    not.exist(undefined);
    equal(1, 1);
    const own = Object.assign({}, { should: 1 });
    assert.equal(own.should, 1);
    assert.deepEqual(Object.keys({ a: 1 }), ["a"]);
  } finally {
    delete (Object.prototype as { should?: unknown }).should;
  }
});
