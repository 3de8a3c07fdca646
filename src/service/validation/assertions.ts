/**
 * `@assert.range` and `@assert.format` of one element, compiled.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { ErrorProperties } from "../../errors/service_error.ts";
import type { LinkedElement } from "../../model/linked.ts";
import { limitPattern } from "../../util/bounded_pattern.ts";
import { linearMatcher } from "../../util/linear_pattern.ts";
import { placeOf } from "../../model/problems.ts";

/** Gives the error of a value that is not null, if it violates the rule. */
export type Assertion = (value: unknown) => Omit<ErrorProperties, "target"> | undefined;

/**
 * The rules of an element.
 *
 * @param annotated the element with the annotations in effect
 * @param type the element that gives the type
 * @throws ConfigurationError for a pattern that is none, or that a value could make run for ages
 */
export function assertionsOf(annotated: LinkedElement, type: LinkedElement): readonly Assertion[] {
  const range = annotated["@assert.range"];
  const rangeMessage = declaredMessage(annotated, "@assert.range");
  const format = annotated["@assert.format"];
  const assertions: Assertion[] = [];
  const symbols = type.$type.enum;
  if (symbols && (range === true || annotated["@assert.enum"] === true)) {
    const enumMessage = annotated["@assert.enum.message"] === undefined
      ? rangeMessage
      : declaredMessage(annotated, "@assert.enum");
    const values = Object.entries(symbols).map(([name, { val }]) => val ?? name);
    assertions.push((value) =>
      values.includes(value as string)
        ? undefined
        : { status: 400, code: "ASSERT_ENUM", args: [value, values.join(", ")], ...enumMessage }
    );
  } else if (Array.isArray(range) && range.length > 0) {
    assertions.push(rangeAssertion(Array.isArray(range[0]) ? range : [range], rangeMessage));
  }
  if (typeof format === "string") assertions.push(formatAssertion(format, annotated));
  return assertions;
}

interface Bound {
  readonly value: number | string | undefined;
  readonly isExclusive: boolean;
}

/** The text that a model declares for a check, or its key, with the arguments that it gets. */
interface Message {
  readonly $message?: string;
}

/**
 * The text that a model declares for a check: `@assert.range.message`, `@mandatory.message` and the like.
 *
 * @param annotated the element with the annotations in effect
 * @param check the annotation of the check
 */
export function declaredMessage(annotated: LinkedElement, check: `@${string}`): Message {
  const text = annotated[`${check}.message`];
  if (typeof text !== "string" || text === "") return {};
  return { $message: /^\{i18n>(.+)\}$/.exec(text)?.[1] ?? text };
}

function rangeAssertion(ranges: readonly unknown[], message: Message): Assertion {
  const bounds = ranges.map((range) => {
    const [low, high] = range as readonly unknown[];
    return { low: bound(low), high: bound(high) };
  });
  const { low, high } = bounds[0]!;
  const args = [text(low, ">", "-Infinity"), text(high, "<", "Infinity")];
  // texts of models name the bounds, ours the value, too
  const own = [low.value ?? "-Infinity", high.value ?? "Infinity"];
  return (value) => {
    if (bounds.some((one) => isAbove(value, one.low) && isBelow(value, one.high))) return undefined;
    return message.$message === undefined
      ? { status: 400, code: "ASSERT_RANGE", args: [value, ...args] }
      : { status: 400, code: "ASSERT_RANGE", args: own, ...message };
  };
}

/** `1` is included, `(1)` is not, `_` is open. */
function bound(given: unknown): Bound {
  if (typeof given !== "object" || given === null) {
    return { value: given as number | string, isExclusive: false };
  }
  const node = given as { val?: unknown; xpr?: readonly { val?: unknown }[]; "="?: unknown };
  const inner = "val" in node ? node.val : node.xpr?.[0]?.val;
  return inner === undefined
    ? { value: undefined, isExclusive: true }
    : { value: inner as number | string, isExclusive: true };
}

function text({ value, isExclusive }: Bound, sign: string, open: string): unknown {
  if (value === undefined) return `${sign}${open}`;
  return isExclusive ? `${sign}${value}` : value;
}

function isAbove(value: unknown, { value: low, isExclusive }: Bound): boolean {
  if (low === undefined) return true;
  const order = compare(value, low);
  return order > 0 || (order === 0 && !isExclusive);
}

function isBelow(value: unknown, { value: high, isExclusive }: Bound): boolean {
  if (high === undefined) return true;
  const order = compare(value, high);
  return order < 0 || (order === 0 && !isExclusive);
}

/** Not comparable values are in no range. */
function compare(value: unknown, limit: number | string): number {
  if (typeof limit === "string") {
    const given = value instanceof Date ? value.toISOString() : String(value);
    return given < limit ? -1 : given > limit ? 1 : 0;
  }
  const given = Number(value);
  return Number.isNaN(given) ? NaN : given - limit;
}

function formatAssertion(pattern: string, element: LinkedElement): Assertion {
  const matches = patternMatcher(pattern, element);
  const message = declaredMessage(element, "@assert.format");
  return (value) =>
    matches(String(value))
      ? undefined
      : { status: 400, code: "ASSERT_FORMAT", args: [value, pattern], ...message };
}

/** Characters of the longest value that a pattern is looked for in. */
const MAX_LENGTH = 4096;

/**
 * Matches with the regular expressions of the language, with others all ways at once where a value could make a pattern
 * run for ages. Patterns that this is impossible for stop the start, and values too long for a pattern do not match.
 */
function patternMatcher(pattern: string, element: LinkedElement): (value: string) => boolean {
  const expression = compilePattern(pattern, element);
  const limit = limitPattern(pattern);
  if (!("reason" in limit)) return (value) => value.length <= limit.maxLength && expression.test(value);
  const isFound = linearMatcher(expression);
  if (isFound) return (value) => value.length <= MAX_LENGTH && isFound(value);
  throw new ConfigurationError(
    `The pattern ${pattern} of ${element} ${limit.reason}: values could make it run for ages`,
    placeOf(element),
  );
}

function compilePattern(pattern: string, element: LinkedElement): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch { /* older patterns escape what needs no escape, which Unicode patterns refuse */ }
  try {
    return new RegExp(pattern);
  } catch (cause) {
    throw new ConfigurationError(
      `The pattern ${pattern} of ${element} is no regular expression`,
      placeOf(element),
      { cause },
    );
  }
}
