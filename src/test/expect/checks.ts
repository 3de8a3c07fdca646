/**
 * What all assertions are made of: a value, flags, and one check.
 *
 * @module
 */

import assert from "node:assert/strict";

/** What the words in front of a check say. */
export interface Flags {
  /** The opposite must hold. */
  readonly isNegated?: boolean;
  /** Members are compared. */
  readonly isDeep?: boolean;
  /** Only own members count. */
  readonly isOwn?: boolean;
  /** Names of members are paths. */
  readonly isNested?: boolean;
  /** More than what is expected is accepted. */
  readonly isPart?: boolean;
  /** One of several is enough. */
  readonly isAny?: boolean;
  /** The value is a promise: what it resolves to is looked at, or what it rejects with. */
  readonly awaits?: "value" | "reason";
}

/** What a test looks for in a thrown error: part of its message, a pattern, a class, members, or a function. */
export type ErrorExpectation = string | RegExp | object | ((error: never) => unknown);

/** A value under test. Checks of a promise are made when it is settled: await the assertion. */
export class Checks implements Promise<unknown> {
  /** How objects of this class print. */
  readonly [Symbol.toStringTag]: string = "Assertion";
  /** The value. */
  protected readonly subject: unknown;
  /** What the words so far say. */
  protected readonly flags: Flags;
  /** The checks of a promise. */
  protected pending: Promise<unknown> | undefined;

  /**
   * Begins an assertion.
   *
   * @param value what is looked at
   * @param flags what the words so far say
   */
  constructor(value: unknown, flags: Flags = {}) {
    this.subject = value;
    this.flags = flags;
  }

  /** Ends when the checks of a promise are made. */
  then<A = unknown, B = never>(
    onfulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const settled = this.pending ?? Promise.resolve(undefined);
    return settled.then((outcome) => (outcome as Settled | undefined)?.value).then(onfulfilled, onrejected);
  }

  /** Takes what a check of a promise failed with. */
  catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<unknown> {
    return this.then(undefined, onrejected);
  }

  /** Acts when the checks of a promise are made. */
  finally(onfinally?: (() => void) | null): Promise<unknown> {
    return this.then().finally(onfinally);
  }

  /** The same value with more flags. */
  protected flagged(flags: Flags): this {
    const Class = this.constructor as new (value: unknown, flags: Flags) => this;
    return new Class(this.subject, { ...this.flags, ...flags });
  }

  /** Another value with the same flags. */
  protected about(value: unknown): this {
    const Class = this.constructor as new (value: unknown, flags: Flags) => this;
    return new Class(value, {});
  }

  /**
   * Makes a check, now or when the promise is settled.
   *
   * @param test whether it holds
   * @param what what is expected, for the message
   * @param expected the value it is compared with
   */
  protected check(test: (value: unknown) => boolean, what: string, ...expected: readonly unknown[]): this {
    const { awaits } = this.flags;
    if (awaits === undefined) {
      this.evaluate(this.subject, test(this.subject), [what, ...expected]);
      return this;
    }
    this.pending = (this.pending ?? settle(this.subject)).then((settled) => {
      const { isRejected, value } = settled as Settled;
      if (awaits === "value" && isRejected) throw value;
      const isWrong = awaits === "reason" && !isRejected;
      this.evaluate(
        value,
        !isWrong && test(value),
        isWrong ? ["to be the reason of a promise"] : [what, ...expected],
      );
      return settled;
    });
    return this;
  }

  /** Fails where the outcome of a check is not what the words say. */
  protected evaluate(actual: unknown, isTrue: boolean, [what, ...expected]: readonly unknown[]): void {
    if (isTrue !== (this.flags.isNegated === true)) return;
    const tail = expected[0] !== undefined ? ` ${print(expected[0])}` : "";
    const message = `Expected ${print(actual)} ${this.flags.isNegated ? "not " : ""}${what}${tail}`;
    throw new assert.AssertionError({ message, actual, expected: expected[0] });
  }
}

/**
 * Whether an error is the one a test looks for.
 *
 * @param error what was thrown
 * @param expected what is known of it; undefined: anything
 * @param message what its message holds, beside a class
 */
export function isExpectedError(
  error: unknown,
  expected?: ErrorExpectation,
  message?: string | RegExp,
): boolean {
  if (message !== undefined && !isExpectedError(error, message)) return false;
  if (expected === undefined) return true;
  const { message: text = String(error), code } = Object(error) as { message?: string; code?: unknown };
  if (typeof expected === "string") return String(text).includes(expected) || code === expected;
  if (expected instanceof RegExp) return expected.test(String(text));
  if (typeof expected === "function") {
    if (isClass(expected)) return error instanceof expected;
    return Boolean(expected(error as never));
  }
  const members = Object(error) as Record<string, unknown>;
  if (expected instanceof Error) return text === expected.message;
  return Object.entries(expected).every(([name, one]) =>
    one instanceof RegExp ? one.test(String(members[name])) : Object.is(members[name], one) ||
      JSON.stringify(members[name]) === JSON.stringify(one)
  );
}

function isClass(value: object): value is new () => unknown {
  return value === Error || (value as { prototype?: unknown }).prototype instanceof Error ||
    /^class\b/.test(Function.prototype.toString.call(value));
}

interface Settled {
  readonly isRejected: boolean;
  readonly value: unknown;
}

function settle(subject: unknown): Promise<Settled> {
  const promise = typeof subject === "function" ? Promise.resolve().then(() => subject()) : subject;
  return Promise.resolve(promise).then(
    (value) => ({ isRejected: false, value }),
    (value) => ({ isRejected: true, value }),
  );
}

function print(value: unknown): string {
  return Deno.inspect(value, { depth: 8 });
}
