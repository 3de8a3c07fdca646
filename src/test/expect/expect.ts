/**
 * Assertions in the styles of chai and jest, as existing tests write them (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { type AnyClass, ChaiAssertion } from "./chai_assertion.ts";
import type { ErrorExpectation } from "./checks.ts";
import { holds, isDeepEqual, Matcher, matchesObject } from "./compare.ts";

/** An assertion about a value, in the words of chai (`to.equal`) or jest (`toBe`). */
export class Assertion extends ChaiAssertion {
  /** Looks at what the promise resolves to; await the assertion. */
  get resolves(): this {
    return this.flagged({ awaits: "value" });
  }
  /** Looks at what the promise rejects with; await the assertion. */
  get rejects(): this {
    return this.flagged({ awaits: "reason" });
  }
  /** The value is the expected one. */
  toBe(expected: unknown): this {
    return this.check((value) => Object.is(value, expected), "to be", expected);
  }
  /** The value has the same members; undefined ones do not count. */
  toEqual(expected: unknown): this {
    return this.check(
      (value) => isDeepEqual(value, expected, { ignoresUndefined: true }),
      "to equal",
      expected,
    );
  }
  /** The value has the same members. */
  toStrictEqual(expected: unknown): this {
    return this.eql(expected);
  }
  /** The value has at least these members. */
  toMatchObject(expected: unknown): this {
    return this.check((value) => matchesObject(value, expected), "to match", expected);
  }
  /** The text matches, or holds a text. */
  toMatch(expected: RegExp | string): this {
    return typeof expected === "string" ? this.include(expected) : this.match(expected);
  }
  /** The list has the entry, the text the text. */
  toContain(expected: unknown): this {
    return this.check((value) => holds(value, expected, false), "to contain", expected);
  }
  /** The list has an entry with these members. */
  toContainEqual(expected: unknown): this {
    return this.check((value) => holds(value, expected, true), "to contain", expected);
  }
  /** The value has a member at a path, maybe with this value. */
  toHaveProperty(path: string | readonly string[], ...expected: readonly unknown[]): this {
    return this.nested.deep.property(typeof path === "string" ? path : path.join("."), ...expected);
  }
  /** The list or text has a length. */
  toHaveLength(expected: number): this {
    return this.length(expected);
  }
  /** The function throws, maybe such an error. */
  toThrow(expected?: ErrorExpectation): this {
    return this.throw(expected);
  }
  /** The same as `toThrow`. */
  toThrowError(expected?: ErrorExpectation): this {
    return this.throw(expected);
  }
  /** The value is of a class. */
  toBeInstanceOf(expected: AnyClass): this {
    return this.instanceOf(expected);
  }
  /** The value is not undefined. */
  toBeDefined(): this {
    return this.check((value) => value !== undefined, "to be defined");
  }
  /** The value is undefined. */
  toBeUndefined(): this {
    return this.undefined;
  }
  /** The value is null. */
  toBeNull(): this {
    return this.null;
  }
  /** The value is not a number. */
  toBeNaN(): this {
    return this.NaN;
  }
  /** The value counts as true. */
  toBeTruthy(): this {
    return this.ok;
  }
  /** The value counts as false. */
  toBeFalsy(): this {
    return this.falsy;
  }
  /** The number is greater. */
  toBeGreaterThan(expected: number | bigint): this {
    return this.above(expected);
  }
  /** The number is not smaller. */
  toBeGreaterThanOrEqual(expected: number | bigint): this {
    return this.least(expected);
  }
  /** The number is smaller. */
  toBeLessThan(expected: number | bigint): this {
    return this.below(expected);
  }
  /** The number is not greater. */
  toBeLessThanOrEqual(expected: number | bigint): this {
    return this.most(expected);
  }
  /** The number is the same to some digits behind the point. */
  toBeCloseTo(expected: number, digits: number = 2): this {
    return this.closeTo(expected, 10 ** -digits / 2);
  }
  /** The mock function was called. */
  toHaveBeenCalled(): this {
    return this.check((mock) => callsOf(mock).length > 0, "to have been called");
  }
  /** The mock function was called so many times. */
  toHaveBeenCalledTimes(expected: number): this {
    return this.check((mock) => callsOf(mock).length === expected, "to have been called times", expected);
  }
  /** The mock function was called with these arguments. */
  toHaveBeenCalledWith(...expected: readonly unknown[]): this {
    const isCalled = (mock: unknown) => callsOf(mock).some((args) => isDeepEqual(args, expected));
    return this.check(isCalled, "to have been called with", expected);
  }
  /** The last call of the mock function had these arguments. */
  toHaveBeenLastCalledWith(...expected: readonly unknown[]): this {
    const isCalled = (mock: unknown) => isDeepEqual(callsOf(mock).at(-1), expected);
    return this.check(isCalled, "to have been last called with", expected);
  }
}

/** The arguments of the calls of a mock function of jest or `node:test`. */
function callsOf(mock: unknown): readonly (readonly unknown[])[] {
  const { calls } = (Object(mock) as { mock?: { calls?: readonly unknown[] } }).mock ?? {};
  if (!calls) throw new TypeError("Expected a mock function, found none");
  return calls.map((call) =>
    Array.isArray(call) ? call : (call as { readonly arguments: readonly unknown[] }).arguments
  );
}

/** Begins assertions, and makes values that decide what they equal. */
export interface Expect {
  /** Begins an assertion. */
  (value?: unknown, message?: string): Assertion;
  /** Fails. */
  fail(message?: string): never;
  /** Equals any value of a class; `Number`, `String` and the like accept their primitives. */
  any(expected: AnyClass | ((value: never) => unknown)): Matcher;
  /** Equals everything but `null` and `undefined`. */
  anything(): Matcher;
  /** Equals objects that have at least these members. */
  objectContaining(expected: object): Matcher;
  /** Equals lists that have at least these entries. */
  arrayContaining(expected: readonly unknown[]): Matcher;
  /** Equals texts that hold a text. */
  stringContaining(expected: string): Matcher;
  /** Equals texts that match. */
  stringMatching(expected: RegExp | string): Matcher;
}

/**
 * Begins an assertion.
 *
 * @example Numbers and objects
 * ```ts
 * import { expect } from "@fw/runtime/test";
 *
 * expect(1 + 1).to.equal(2);
 * expect({ a: 1, b: [1, 2] }).to.containSubset({ b: [1] });
 * expect([]).not.to.have.property("a");
 * await expect(Promise.resolve({ ID: 1 })).resolves.toEqual({ ID: expect.any(Number) });
 * ```
 */
export const expect: Expect = Object.assign((value?: unknown, _message?: string) => new Assertion(value), {
  fail: (message = "expect.fail()"): never => {
    throw new assert.AssertionError({ message });
  },
  any: (expected: AnyClass | ((value: never) => unknown)) =>
    new Matcher(
      `any ${expected.name}`,
      (value) => typeof value === expected.name.toLowerCase() || Object(value) instanceof expected,
    ),
  anything: () => new Matcher("anything", (value) => value !== null && value !== undefined),
  objectContaining: (expected: object) =>
    new Matcher("an object with some members", (value) => matchesObject(value, expected)),
  arrayContaining: (expected: readonly unknown[]) =>
    new Matcher(
      "a list with some entries",
      (value) => Array.isArray(value) && expected.every((one) => holds(value, one, true)),
    ),
  stringContaining: (expected: string) =>
    new Matcher(`a text with ${expected}`, (value) => typeof value === "string" && value.includes(expected)),
  stringMatching: (expected: RegExp | string) =>
    new Matcher(
      `a text like ${expected}`,
      (value) => typeof value === "string" && new RegExp(expected).test(value),
    ),
});
