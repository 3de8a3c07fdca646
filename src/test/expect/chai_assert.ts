/**
 * Assertions as functions, and as the member `should` of every value, in the words of chai.
 *
 * @module
 */

import nodeAssert from "node:assert/strict";
import { expect } from "./expect.ts";

/** An assertion: the value, what is expected of it, and what says more. */
export type AssertWord = (value: unknown, ...expected: readonly unknown[]) => unknown;

/** Assertions as functions; those of `node:assert` that have other names are there as well. */
export type ChaiAssert = ((value: unknown, message?: string) => void) & Readonly<Record<string, AssertWord>>;

type Named = Readonly<Record<string, AssertWord>>;

/** By name, what `expect(value)` is asked for; `not` in front of each gives its opposite. */
const PAIRS: Named = {
  Equal: (value, other) => nodeAssert.ok(value == other, `Expected ${shown(value)} to equal ${shown(other)}`),
  StrictEqual: (value, other) => expect(value).to.equal(other),
  DeepEqual: (value, other) => expect(value).to.deep.equal(other),
  Include: (value, part) => expect(value).to.include(part),
  DeepInclude: (value, part) => expect(value).to.deep.include(part),
  Property: (value, name) => expect(value).to.have.property(String(name)),
  InstanceOf: (value, type) => expect(value).to.be.instanceof(type as never),
  Match: (value, pattern) => expect(value).to.match(pattern as RegExp),
};

const KINDS = ["Array", "Object", "String", "Number", "Boolean", "Function"] as const;

const OTHERS: Named = {
  ok: (value) => expect(value).to.be.ok,
  isOk: (value) => expect(value).to.be.ok,
  isNotOk: (value) => expect(value).to.not.be.ok,
  isTrue: (value) => expect(value).to.equal(true),
  isFalse: (value) => expect(value).to.equal(false),
  isNull: (value) => expect(value).to.equal(null),
  isNotNull: (value) => expect(value).to.not.equal(null),
  isUndefined: (value) => expect(value).to.equal(undefined),
  isDefined: (value) => expect(value).to.not.equal(undefined),
  exists: (value) => expect(value).to.exist,
  notExists: (value) => expect(value).to.not.exist,
  isEmpty: (value) => expect(value).to.be.empty,
  isNotEmpty: (value) => expect(value).to.not.be.empty,
  isAbove: (value, least) => expect(value).to.be.above(least as number),
  isBelow: (value, most) => expect(value).to.be.below(most as number),
  isAtLeast: (value, least) => expect(value).to.be.at.least(least as number),
  isAtMost: (value, most) => expect(value).to.be.at.most(most as number),
  typeOf: (value, type) => expect(value).to.be.a(String(type)),
  lengthOf: (value, length) => expect((value as { readonly length: number }).length).to.equal(length),
  propertyVal: (value, name, member) => expect(value).to.have.property(String(name), member),
  sameMembers: (value, members) => expect(value).to.have.members(members as unknown[]),
  sameDeepMembers: (value, members) => expect(value).to.have.deep.members(members as unknown[]),
  throws: (act, ...expected) => expect(act).to.throw(...expected as never[]),
  throw: (act, ...expected) => expect(act).to.throw(...expected as never[]),
  isFulfilled: (promise) => expect(promise).to.be.fulfilled,
  isRejected: (promise) => expect(promise).to.be.rejected,
  fail: (message) => nodeAssert.fail(String(message ?? "Failed")),
};

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

/** `chai.assert`, with what `node:assert` has beside. */
export const assert: ChaiAssert = Object.assign(
  (value: unknown, message?: string) => nodeAssert.ok(value, message),
  nodeAssert,
  OTHERS,
  Object.fromEntries(
    Object.entries(PAIRS).flatMap(([name, check]) => [
      [`${name[0].toLowerCase()}${name.slice(1)}`, check],
      [`not${name}`, opposite(check)],
    ]),
  ),
  Object.fromEntries(KINDS.flatMap((kind) => {
    const check: AssertWord = (value) => expect(value).to.be.a(kind.toLowerCase());
    return [[`is${kind}`, check], [`isNot${kind}`, opposite(check)]];
  })),
) as unknown as ChaiAssert; // functions by the names above

function opposite(check: AssertWord): AssertWord {
  return (...given) => {
    let holds = true;
    try {
      check(...given);
    } catch {
      holds = false;
    }
    nodeAssert.ok(!holds, `Expected the opposite of what holds for ${shown(given[0])}`);
  };
}

/** What `chai.should()` gives. */
export interface Should {
  /** Assertions on values that may have no members. */
  (): Should;
  /** The values are equal. */
  equal(value: unknown, other: unknown): unknown;
  /** There is a value. */
  exist(value: unknown): unknown;
  /** The opposites. */
  readonly not: { equal(value: unknown, other: unknown): unknown; exist(value: unknown): unknown };
}

const SHOULD: Should = Object.assign((): Should => SHOULD, {
  equal: assert.strictEqual,
  exist: assert.exists,
  not: { equal: assert.notStrictEqual, exist: assert.notExists },
});

/** Gives every value the member `should`: tests that ask for it expect that. */
export function should(): Should {
  Object.defineProperty(Object.prototype, "should", {
    configurable: true,
    get(this: unknown) {
      return expect(
        this instanceof String || this instanceof Number || this instanceof Boolean ? this.valueOf() : this,
      );
    },
    set(value: unknown) {
      Object.defineProperty(this, "should", { value, configurable: true, enumerable: true, writable: true });
    },
  });
  return SHOULD;
}
