/**
 * Assertions in the style of chai: `expect(x).to.equal(1)`, as existing tests write them (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

/**
 * Begins an assertion.
 *
 * @param value what is looked at
 *
 * @example Numbers and objects
 * ```ts
 * import { expect } from "@fw/runtime/test";
 *
 * expect(1 + 1).to.equal(2);
 * expect({ a: 1, b: [1, 2] }).to.containSubset({ b: [1] });
 * expect([]).not.to.have.property("a");
 * ```
 */
export function expect(value: unknown): Assertion {
  return new Assertion(value, { isNegated: false, isDeep: false });
}

interface Flags {
  readonly isNegated: boolean;
  readonly isDeep: boolean;
}

/** An assertion about a value; words like `to` and `be` only make it readable. */
export class Assertion {
  readonly #value: unknown;
  readonly #flags: Flags;

  /**
   * Begins an assertion.
   *
   * @param value what is looked at
   * @param flags whether it is negated, and compares deeply
   */
  constructor(value: unknown, flags: Flags) {
    this.#value = value;
    this.#flags = flags;
  }

  /** Only makes the sentence readable. */
  get to(): this {
    return this;
  }
  /** Only makes the sentence readable. */
  get be(): this {
    return this;
  }
  /** Only makes the sentence readable. */
  get have(): this {
    return this;
  }
  /** Only makes the sentence readable. */
  get and(): this {
    return this;
  }
  /** Only makes the sentence readable. */
  get that(): this {
    return this;
  }
  /** Only makes the sentence readable. */
  get is(): this {
    return this;
  }
  /** Turns what follows into its opposite. */
  get not(): Assertion {
    return new Assertion(this.#value, { ...this.#flags, isNegated: !this.#flags.isNegated });
  }
  /** Lets `equal`, `include` and `property` compare members. */
  get deep(): Assertion {
    return new Assertion(this.#value, { ...this.#flags, isDeep: true });
  }
  /** The value is `true`. */
  get true(): this {
    return this.#check(this.#value === true, "to be true");
  }
  /** The value is `false`. */
  get false(): this {
    return this.#check(this.#value === false, "to be false");
  }
  /** The value is `null`. */
  get null(): this {
    return this.#check(this.#value === null, "to be null");
  }
  /** The value is `undefined`. */
  get undefined(): this {
    return this.#check(this.#value === undefined, "to be undefined");
  }
  /** The value counts as true. */
  get ok(): this {
    return this.#check(Boolean(this.#value), "to be truthy");
  }
  /** The value is neither `null` nor `undefined`. */
  get exist(): this {
    return this.#check(this.#value !== null && this.#value !== undefined, "to exist");
  }
  /** The value has no members or characters. */
  get empty(): this {
    const size = typeof this.#value === "string" ? this.#value.length : Object.keys(this.#value ?? {}).length;
    return this.#check(size === 0, "to be empty");
  }

  /** The value is the expected one; with `deep` it has the same members. */
  equal(expected: unknown): this {
    const isSame = this.#flags.isDeep ? isDeepStrictEqual(this.#value, expected) : this.#value === expected;
    return this.#check(isSame, "to equal", expected);
  }
  /** The value has the same members. */
  eql(expected: unknown): this {
    return this.#check(isDeepStrictEqual(this.#value, expected), "to eql", expected);
  }
  /** The text holds a text, the list an entry, the object these members. */
  include(expected: unknown): this {
    return this.#check(includes(this.#value, expected, this.#flags.isDeep), "to include", expected);
  }
  /** The same as `include`. */
  contain(expected: unknown): this {
    return this.include(expected);
  }
  /** Objects have at least these members, at any depth; lists hold each of these entries. */
  containSubset(expected: unknown): this {
    return this.#check(hasSubset(this.#value, expected), "to contain the subset", expected);
  }
  /** The object has a member, maybe with this value. */
  property(name: string, ...expected: readonly unknown[]): this {
    const members = Object(this.#value ?? {}) as Record<string, unknown>;
    const isThere = name in members &&
      (expected.length === 0 || same(members[name], expected[0], this.#flags));
    return this.#check(isThere, `to have the property ${name}`, expected[0]);
  }
  /** The list or text has a length. */
  lengthOf(expected: number): this {
    const { length } = Object(this.#value ?? {}) as { length?: number };
    return this.#check(length === expected, "to have the length", expected);
  }
  /** The same as `lengthOf`. */
  length(expected: number): this {
    return this.lengthOf(expected);
  }
  /** The text matches. */
  match(expected: RegExp): this {
    return this.#check(expected.test(String(this.#value)), "to match", expected);
  }
  /** The value is of a type: `string`, `array`, `null`, … */
  a(expected: string): this {
    const type = this.#value === null ? "null" : Array.isArray(this.#value) ? "array" : typeof this.#value;
    return this.#check(type === expected.toLowerCase(), "to be a", expected);
  }
  /** The same as `a`. */
  an(expected: string): this {
    return this.a(expected);
  }
  /** The value is an object of a class. */
  instanceOf(expected: new (...args: never[]) => unknown): this {
    return this.#check(this.#value instanceof expected, "to be an instance of", expected.name);
  }
  /** The number is greater. */
  above(expected: number): this {
    return this.#check(Number(this.#value) > expected, "to be above", expected);
  }
  /** The number is smaller. */
  below(expected: number): this {
    return this.#check(Number(this.#value) < expected, "to be below", expected);
  }
  /** The number is not smaller. */
  least(expected: number): this {
    return this.#check(Number(this.#value) >= expected, "to be at least", expected);
  }
  /** The number is not greater. */
  most(expected: number): this {
    return this.#check(Number(this.#value) <= expected, "to be at most", expected);
  }
  /** The function throws, maybe an error with such a message. */
  throw(expected?: string | RegExp): this {
    let thrown: unknown;
    let isThrown = false;
    try {
      (this.#value as () => unknown)();
    } catch (error) {
      isThrown = true;
      thrown = error;
    }
    return this.#check(isThrown && hasMessage(thrown, expected), "to throw", expected);
  }
  /** The promise rejects, maybe with such a message. */
  async rejectedWith(expected?: string | RegExp): Promise<void> {
    const [isRejected, reason] = await Promise.resolve(this.#value).then(
      () => [false, undefined] as const,
      (error) => [true, error] as const,
    );
    this.#check(isRejected && hasMessage(reason, expected), "to be rejected with", expected);
  }

  #check(holds: boolean, what: string, ...expected: readonly unknown[]): this {
    if (holds !== this.#flags.isNegated) return this;
    const tail = expected.length > 0 && expected[0] !== undefined ? ` ${Deno.inspect(expected[0])}` : "";
    const not = this.#flags.isNegated ? "not " : "";
    throw new assert.AssertionError({
      message: `Expected ${Deno.inspect(this.#value)} ${not}${what}${tail}`,
      actual: this.#value,
      expected: expected[0],
    });
  }
}

function same(left: unknown, right: unknown, { isDeep }: Flags): boolean {
  return isDeep ? isDeepStrictEqual(left, right) : left === right;
}

function includes(value: unknown, expected: unknown, isDeep: boolean): boolean {
  if (typeof value === "string") return value.includes(String(expected));
  const flags = { isNegated: false, isDeep };
  if (Array.isArray(value)) return value.some((one) => same(one, expected, flags));
  const members = Object(value ?? {}) as Record<string, unknown>;
  return Object.entries(Object(expected)).every(([name, one]) => same(members[name], one, flags));
}

function hasSubset(value: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return value === expected;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(expected)) {
    return Array.isArray(value) && expected.every((one) => value.some((item) => hasSubset(item, one)));
  }
  const members = value as Record<string, unknown>;
  return Object.entries(expected).every(([name, one]) => hasSubset(members[name], one));
}

function hasMessage(error: unknown, expected: string | RegExp | undefined): boolean {
  const message = error instanceof Error ? error.message : String(error);
  if (expected === undefined) return true;
  return typeof expected === "string" ? message.includes(expected) : expected.test(message);
}
