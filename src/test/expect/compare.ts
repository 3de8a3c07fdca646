/**
 * Comparing values in assertions.
 *
 * @module
 */

/** A value that decides itself what it equals: `expect.any(Number)`. */
export class Matcher {
  /** Says whether a value is accepted. */
  readonly accepts: (value: unknown) => boolean;
  readonly #text: string;

  /**
   * Creates a matcher.
   *
   * @param text how messages print it
   * @param accepts says whether a value is accepted
   */
  constructor(text: string, accepts: (value: unknown) => boolean) {
    this.#text = text;
    this.accepts = accepts;
  }

  /** How messages print it. */
  toString(): string {
    return this.#text;
  }
}

/** How values are compared. */
export interface Comparison {
  /** Whether members that are undefined equal missing ones. */
  readonly ignoresUndefined?: boolean;
}

/**
 * Whether two values have the same members at any depth; classes do not count.
 *
 * @param actual the value
 * @param expected what it should be; may hold matchers
 * @param how what counts
 */
export function isDeepEqual(actual: unknown, expected: unknown, how: Comparison = {}): boolean {
  if (expected instanceof Matcher) return expected.accepts(actual);
  if (Object.is(actual, expected)) return true;
  if (!isObject(actual) || !isObject(expected)) return false;
  if (tagOf(actual) !== tagOf(expected)) return false;
  if (actual instanceof Date) return actual.getTime() === (expected as unknown as Date).getTime();
  if (actual instanceof RegExp) return String(actual) === String(expected);
  if (actual instanceof Error) {
    return actual.message === (expected as unknown as Error).message &&
      actual.name === (expected as unknown as Error).name;
  }
  if (
    ArrayBuffer.isView(actual) || Array.isArray(actual) || actual instanceof Map || actual instanceof Set
  ) return sameLists(actual, expected, how);
  if (typeof actual === "function") return false;
  const [left, right] = [namesOf(actual, how), namesOf(expected, how)];
  return left.length === right.length &&
    right.every((name) => name in actual && isDeepEqual(actual[name], expected[name], how));
}

/**
 * Whether objects have at least some members at any depth; lists hold each of the expected entries. Functions are asked.
 *
 * @param actual the value
 * @param expected the members
 */
export function hasSubset(actual: unknown, expected: unknown): boolean {
  if (expected instanceof Matcher) return expected.accepts(actual);
  if (typeof expected === "function") return expected === actual || Boolean(expected(actual));
  if (!isObject(expected) || expected instanceof Date) return isDeepEqual(actual, expected);
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && expected.every((one) => actual.some((item) => hasSubset(item, one)));
  }
  return isObject(actual) && Object.entries(expected).every(([name, one]) => hasSubset(actual[name], one));
}

/**
 * Whether a value is an object whose members match those expected, lists entry by entry.
 *
 * @param actual the value
 * @param expected the members
 */
export function matchesObject(actual: unknown, expected: unknown): boolean {
  if (!isObject(expected) || expected instanceof Matcher || expected instanceof Date) {
    return isDeepEqual(actual, expected);
  }
  if (!isObject(actual)) return false;
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && actual.length === expected.length &&
      expected.every((one, at) => matchesObject(actual[at], one));
  }
  return Object.entries(expected).every(([name, one]) => matchesObject(actual[name], one));
}

/**
 * Whether a value holds another: a text a text, a list or set an entry, an object these members.
 *
 * @param actual the value
 * @param expected what it holds
 * @param isDeep whether members are compared
 */
export function holds(actual: unknown, expected: unknown, isDeep: boolean): boolean {
  if (typeof actual === "string") return actual.includes(String(expected));
  const isSame = (one: unknown, other: unknown) =>
    isDeep || other instanceof Matcher ? isDeepEqual(one, other) : Object.is(one, other);
  if (actual instanceof Set || Array.isArray(actual) || ArrayBuffer.isView(actual)) {
    return [...actual as Iterable<unknown>].some((one) => isSame(one, expected));
  }
  return isObject(actual) && isObject(expected) &&
    Object.entries(expected).every(([name, one]) => isSame(actual[name], one));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value);
}

function namesOf(value: Record<string, unknown>, { ignoresUndefined }: Comparison): string[] {
  const names: string[] = [];
  for (const name in value) if (!ignoresUndefined || value[name] !== undefined) names.push(name);
  return names;
}

function sameLists(actual: unknown, expected: unknown, how: Comparison): boolean {
  const [left, right] = [actual, expected].map((list) => Array.from(list as ArrayLike<unknown>));
  return left.length === right.length && left.every((one, at) => isDeepEqual(one, right[at], how));
}
