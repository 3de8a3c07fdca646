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
    not.exist(undefined);
    equal(1, 1);
    const own = Object.assign({}, { should: 1 });
    assert.equal(own.should, 1);
    assert.deepEqual(Object.keys({ a: 1 }), ["a"]);
  } finally {
    delete (Object.prototype as { should?: unknown }).should;
  }
});
