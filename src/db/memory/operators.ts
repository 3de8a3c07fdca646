/**
 * Operators with the null logic of SQL.
 *
 * @module
 */

import { compare, narrow, toFlag, toNumber, truth } from "./values.ts";
import { ServiceError } from "../../errors/service_error.ts";

/** A binary operator; the right side is computed on demand. */
export type Operator = (left: unknown, right: () => unknown) => unknown;

function strict(apply: (left: unknown, right: unknown) => unknown): Operator {
  return (left, right) => {
    if (left === null) return null;
    const other = right();
    return other === null ? null : apply(left, other);
  };
}

function comparison(test: (order: number) => boolean): Operator {
  return strict((left, right) => toFlag(test(compare(left, right))));
}

function isSame(left: unknown, right: unknown): boolean {
  return left === null || right === null ? left === right : compare(left, right) === 0;
}

type Calculation = <N extends number>(left: N, right: N) => number;

/** Whole numbers too large for a number are calculated as bigint, unless they are no integers of 64 bits. */
function arithmetic(run: Calculation): Operator {
  return strict((left, right) => {
    const [a, b] = [toNumber(left), toNumber(right)];
    const result = run(Number(a) as never, Number(b) as never);
    const isWhole = [a, b].every((one) => typeof one === "bigint" || Number.isInteger(one));
    const isExact = typeof a === "number" && typeof b === "number" && Number.isSafeInteger(result);
    if (!isWhole || isExact) return result + 0; // zero has no sign
    const exact = (run as unknown as (left: bigint, right: bigint) => bigint)(BigInt(a), BigInt(b));
    return exact === BigInt.asIntN(64, exact) ? narrow(exact) : result;
  });
}

/** The division of SQL: that of two whole numbers cuts the fraction, that by zero gives null. */
export function divide(left: unknown, right: unknown): number | bigint | null {
  const [one, other] = [toNumber(left), toNumber(right)];
  const [a, b] = [Number(one), Number(other)];
  if (b === 0) return null;
  const isLarge = typeof one === "bigint" || typeof other === "bigint";
  if (isLarge && Number.isInteger(a) && Number.isInteger(b)) return narrow(BigInt(one) / BigInt(other));
  return Number.isInteger(a) && Number.isInteger(b) ? Math.trunc(a / b) + 0 : a / b; // zero has no sign
}

function doubles(run: (left: number, right: number) => number): Operator {
  return strict((left, right) => run(Number(toNumber(left)), Number(toNumber(right))));
}

/** Operators by their lower-case word. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  or: (left, right) => {
    const a = truth(left);
    if (a === true) return 1;
    const b = truth(right());
    return b === true ? 1 : a === null || b === null ? null : 0;
  },
  and: (left, right) => {
    const a = truth(left);
    if (a === false) return 0;
    const b = truth(right());
    return b === false ? 0 : a === null || b === null ? null : 1;
  },
  "=": comparison((order) => order === 0),
  "<>": comparison((order) => order !== 0),
  "==": (left, right) => toFlag(isSame(left, right())),
  "!=": (left, right) => toFlag(!isSame(left, right())),
  "<": comparison((order) => order < 0),
  "<=": comparison((order) => order <= 0),
  ">": comparison((order) => order > 0),
  ">=": comparison((order) => order >= 0),
  "+": arithmetic((left, right) => left + right),
  "-": arithmetic((left, right) => left - right),
  "*": arithmetic((left, right) => left * right),
  "/": strict(divide),
  "||": strict((left, right) => `${left}${right}`),
};

/** Operators of floating-point numbers, which are whole by chance only. */
export const DOUBLE_OPERATORS: Readonly<Record<string, Operator>> = {
  ...OPERATORS,
  "+": doubles((left, right) => left + right),
  "-": doubles((left, right) => left - right),
  "*": doubles((left, right) => left * right),
};

/** A character of a pattern: one that stands for itself, or for one or any others. */
interface PatternPart {
  readonly character: string;
  readonly isWildcard: boolean;
}

/**
 * Whether a text is like a pattern; letters from `A` to `Z` have no case, others have.
 *
 * @param value any value, taken as text
 * @param pattern `%` stands for any text, `_` for one character
 * @param escape the character behind which they stand for themselves, if there is one
 * @throws ServiceError 400 for an escape that is no single character
 */
export function like(value: unknown, pattern: unknown, escape?: unknown): 0 | 1 | null {
  if (value === null || pattern === null || escape === null) return null;
  const sign = escape === undefined ? undefined : String(escape);
  if (sign !== undefined && [...sign].length !== 1) {
    throw new ServiceError({ status: 400, message: "The escape of like is a single character" });
  }
  const parts = partsOf([...String(pattern)], sign);
  return toFlag(parts !== undefined && matches([...String(value)].map(lowerLatin), parts));
}

/** The parts of a pattern; undefined where it ends with the escape, which no text is like. */
function partsOf(pattern: readonly string[], escape: string | undefined): PatternPart[] | undefined {
  const parts: PatternPart[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const isEscaped = pattern[at] === escape;
    if (isEscaped && ++at === pattern.length) return undefined;
    const character = lowerLatin(pattern[at]!);
    parts.push({ character, isWildcard: !isEscaped && (character === "%" || character === "_") });
  }
  return parts;
}

function lowerLatin(character: string): string {
  return character >= "A" && character <= "Z" && character.length === 1 ? character.toLowerCase() : character;
}

/** Linear in text times pattern. */
function matches(value: readonly string[], pattern: readonly PatternPart[]): boolean {
  const isAny = (at: number) => pattern[at]?.isWildcard === true && pattern[at].character === "%";
  const stands = ({ character, isWildcard }: PatternPart, one: string) =>
    isWildcard ? character === "_" : character === one;
  let [t, p] = [0, 0];
  let again: readonly [t: number, p: number] | undefined; // where the last % has not taken enough
  while (t < value.length) {
    if (isAny(p)) again = [t, ++p];
    else if (p < pattern.length && stands(pattern[p]!, value[t]!)) [t, p] = [t + 1, p + 1];
    else if (again) [t, p] = again = [again[0] + 1, again[1]];
    else return false;
  }
  while (isAny(p)) p++;
  return p === pattern.length;
}
