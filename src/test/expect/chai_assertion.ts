/**
 * Assertions in the style of chai.
 *
 * @module
 */

import { ChaiWords } from "./chai_words.ts";
import { type ErrorExpectation, isExpectedError } from "./checks.ts";
import { hasSubset, holds, isDeepEqual } from "./compare.ts";

/** What `above` and the like compare. */
export type Ordered = number | bigint | string | Date;

/** A check that also leads on to others: `to.be.an("array").of.length(5)`, `to.include.members([1])`. */
export type Word<A, P extends readonly unknown[]> = ((...args: P) => A) & A;

/** A class. */
export type AnyClass = abstract new (...args: never[]) => unknown;

/** An assertion about a value. */
export class ChaiAssertion extends ChaiWords {
  /** The promise resolves; await the assertion. */
  get fulfilled(): this {
    const settled = Promise.resolve(this.subject).then(() => true, () => false);
    return this.about(settled).flagged({ ...this.flags, awaits: "value" })
      .check((isFulfilled) => isFulfilled === true, "to be a promise that is fulfilled");
  }
  /** The promise rejects; await the assertion. */
  get rejected(): this {
    return this.flagged({ awaits: "reason" }).check(() => true, "to be rejected");
  }

  /** The value is the expected one; with `deep` it has the same members. */
  equal(expected: unknown, _message?: string): this {
    const { isDeep } = this.flags;
    return this.check(
      (value) => isDeep ? isDeepEqual(value, expected) : value === expected,
      "to equal",
      expected,
    );
  }
  /** The same as `equal`. */
  equals(expected: unknown, message?: string): this {
    return this.equal(expected, message);
  }
  /** The same as `equal`. */
  eq(expected: unknown, message?: string): this {
    return this.equal(expected, message);
  }
  /** The value has the same members. */
  eql(expected: unknown, _message?: string): this {
    return this.check((value) => isDeepEqual(value, expected), "to eql", expected);
  }
  /** The same as `eql`. */
  eqls(expected: unknown, message?: string): this {
    return this.eql(expected, message);
  }
  /** The text holds a text, the list an entry, the object these members; also a word in front of `members` and `keys`. */
  get include(): Word<this, [expected: unknown, message?: string]> {
    const { isDeep = false } = this.flags;
    return asWord(
      (expected: unknown) => this.check((value) => holds(value, expected, isDeep), "to include", expected),
      this.flagged({ isPart: true }),
    );
  }
  /** The same as `include`. */
  get includes(): Word<this, [expected: unknown, message?: string]> {
    return this.include;
  }
  /** The same as `include`. */
  get contain(): Word<this, [expected: unknown, message?: string]> {
    return this.include;
  }
  /** The same as `include`. */
  get contains(): Word<this, [expected: unknown, message?: string]> {
    return this.include;
  }
  /** Objects have at least these members, at any depth; lists hold each of these entries. */
  containSubset(expected: unknown, _message?: string): this {
    return this.check((value) => hasSubset(value, expected), "to contain the subset", expected);
  }
  /** The object has a member, maybe with this value; what follows is about the member. */
  property(name: PropertyKey, ...expected: readonly unknown[]): this {
    const { isDeep, isOwn = false, isNested, isNegated, awaits } = this.flags;
    const path = isNested ? String(name).split(/[.[\]]+/).filter((step) => step !== "") : [name];
    const checked = this.check(
      (value) => {
        const found = memberAt(value, path, isOwn);
        if (found === undefined || expected.length === 0) return found !== undefined;
        return isDeep ? isDeepEqual(found.value, expected[0]) : isSame(found.value, expected[0]);
      },
      `to have the property ${String(name)}`,
      expected[0],
    );
    if (isNegated || awaits) return checked;
    return this.about(memberAt(this.subject, path, isOwn)?.value);
  }
  /** The object has members of these names: exactly these, behind `include` at least. */
  keys(...names: readonly (PropertyKey | readonly PropertyKey[])[]): this {
    const expected = names.flat().map(String);
    const { isAny, isPart } = this.flags;
    return this.check(
      (value) => {
        const own = Object.keys(Object(value));
        if (isAny) return expected.some((name) => own.includes(name));
        return expected.every((name) => own.includes(name)) && (isPart || own.length === expected.length);
      },
      "to have the keys",
      expected,
    );
  }
  /** The same as `keys`. */
  key(...names: readonly (PropertyKey | readonly PropertyKey[])[]): this {
    return this.keys(...names);
  }
  /** The list has these entries in any order: exactly these, behind `include` at least. */
  members(expected: readonly unknown[], _message?: string): this {
    const { isDeep = false, isPart } = this.flags;
    return this.check(
      (value) =>
        Array.isArray(value) && (isPart || value.length === expected.length) &&
        expected.every((one) => holds(value, one, isDeep)),
      "to have the members",
      expected,
    );
  }
  /** The value is one of these. */
  oneOf(expected: readonly unknown[], _message?: string): this {
    const { isDeep = false } = this.flags;
    return this.check((value) => holds(expected, value, isDeep), "to be one of", expected);
  }
  /** The list or text has a length; what follows it may say how long: `length.above(3)`. */
  get length(): Word<this, [expected: number, message?: string]> {
    const word = this.about(lengthOf(this.subject)).flagged({ isNegated: this.flags.isNegated });
    const check = (expected: number) =>
      this.check((value) => lengthOf(value) === expected, "to have the length", expected);
    return asWord(check, word);
  }
  /** The same as `length`. */
  get lengthOf(): Word<this, [expected: number, message?: string]> {
    return this.length;
  }
  /** The text matches. */
  match(expected: RegExp | string, _message?: string): this {
    const pattern = typeof expected === "string" ? new RegExp(expected) : expected;
    return this.check((value) => pattern.test(String(value)), "to match", expected);
  }
  /** The same as `match`. */
  matches(expected: RegExp | string, message?: string): this {
    return this.match(expected, message);
  }
  /** The value passes a test. */
  satisfy(test: (value: never) => unknown): this {
    return this.check((value) => Boolean(test(value as never)), "to satisfy the function");
  }
  /** The value is of a type: `string`, `array`, `null`, … */
  get a(): Word<this, [expected: string | AnyClass, message?: string]> {
    return asWord(
      (expected: string | AnyClass) =>
        typeof expected === "string"
          ? this.check((value) => typeOf(value) === expected.toLowerCase(), "to be a", expected)
          : this.check((value) => isKindOf(value, expected), "to be a", expected.name),
      this,
    );
  }
  /** The same as `a`. */
  get an(): Word<this, [expected: string | AnyClass, message?: string]> {
    return this.a;
  }
  /** The value is an object of a class. */
  instanceOf(expected: AnyClass, _message?: string): this {
    return this.check((value) => value instanceof expected, "to be an instance of", expected.name);
  }
  /** The same as `instanceOf`. */
  instanceof(expected: AnyClass, message?: string): this {
    return this.instanceOf(expected, message);
  }
  /** The value is greater. */
  above(expected: Ordered, _message?: string): this {
    return this.check((value) => (value as Ordered) > expected, "to be above", expected);
  }
  /** The value is smaller. */
  below(expected: Ordered, _message?: string): this {
    return this.check((value) => (value as Ordered) < expected, "to be below", expected);
  }
  /** The value is not smaller. */
  least(expected: Ordered, _message?: string): this {
    return this.check((value) => (value as Ordered) >= expected, "to be at least", expected);
  }
  /** The value is not greater. */
  most(expected: Ordered, _message?: string): this {
    return this.check((value) => (value as Ordered) <= expected, "to be at most", expected);
  }
  /** The value lies between two others, or is one of them. */
  within(low: Ordered, high: Ordered, _message?: string): this {
    return this.least(low).most(high);
  }
  /** The number is nearly another. */
  closeTo(expected: number, delta: number, _message?: string): this {
    return this.check((value) => Math.abs(Number(value) - expected) <= delta, "to be close to", expected);
  }
  /** The same as `above`. */
  gt(expected: Ordered, message?: string): this {
    return this.above(expected, message);
  }
  /** The same as `above`. */
  greaterThan(expected: Ordered, message?: string): this {
    return this.above(expected, message);
  }
  /** The same as `least`. */
  gte(expected: Ordered, message?: string): this {
    return this.least(expected, message);
  }
  /** The same as `least`. */
  greaterThanOrEqual(expected: Ordered, message?: string): this {
    return this.least(expected, message);
  }
  /** The same as `below`. */
  lt(expected: Ordered, message?: string): this {
    return this.below(expected, message);
  }
  /** The same as `below`. */
  lessThan(expected: Ordered, message?: string): this {
    return this.below(expected, message);
  }
  /** The same as `most`. */
  lte(expected: Ordered, message?: string): this {
    return this.most(expected, message);
  }
  /** The same as `most`. */
  lessThanOrEqual(expected: Ordered, message?: string): this {
    return this.most(expected, message);
  }
  /** The function throws, maybe such an error; of a promise, it rejects: await the assertion. */
  throw(expected?: ErrorExpectation, message?: string | RegExp): this {
    const { subject } = this;
    if (subject instanceof Promise && !this.flags.awaits) return this.rejectedWith(expected, message);
    return this.check(
      (value) => {
        const [isThrown, error] = this.flags.awaits === "reason" ? [true, value] : outcomeOf(value);
        return isThrown && isExpectedError(error, expected, message);
      },
      "to throw",
      expected,
    );
  }
  /** The same as `throw`. */
  throws(expected?: ErrorExpectation, message?: string | RegExp): this {
    return this.throw(expected, message);
  }
  /** The promise rejects, maybe with such an error; await the assertion. */
  rejectedWith(expected?: ErrorExpectation, message?: string | RegExp): this {
    return this.flagged({ awaits: "reason" })
      .check((error) => isExpectedError(error, expected, message), "to be rejected with", expected);
  }
}

/** A function that has the members of an assertion as well. */
function asWord<F, A extends object>(check: F, assertion: A): F & A {
  const word = check as F & { length?: unknown; name?: unknown };
  // own members would hide those of the assertion
  delete word.length;
  delete word.name;
  return Object.setPrototypeOf(word, assertion);
}

function outcomeOf(run: unknown): readonly [isThrown: boolean, error: unknown] {
  try {
    (run as () => unknown)();
    return [false, undefined];
  } catch (error) {
    return [true, error];
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  const tag = Object.prototype.toString.call(value).slice(8, -1).toLowerCase();
  return typeof value === "object" ? tag : typeof value;
}

/** Whether a value is of a class, or what a class like `String` wraps. */
function isKindOf(value: unknown, expected: AnyClass): boolean {
  return value instanceof expected || typeof value === expected.name.toLowerCase();
}

function lengthOf(value: unknown): unknown {
  const { length, size } = Object(value ?? {}) as { length?: unknown; size?: unknown };
  return length ?? size;
}

function isSame(value: unknown, expected: unknown): boolean {
  return expected instanceof Object && "accepts" in expected
    ? isDeepEqual(value, expected)
    : value === expected;
}

function memberAt(
  value: unknown,
  path: readonly PropertyKey[],
  isOwn: boolean,
): { readonly value: unknown } | undefined {
  let at = value;
  for (const step of path) {
    if (at === null || at === undefined) return undefined;
    const holder = Object(at) as Record<PropertyKey, unknown>;
    if (isOwn ? !Object.hasOwn(holder, step) : !(step in holder)) return undefined;
    at = holder[step];
  }
  return { value: at };
}
