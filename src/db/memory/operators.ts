/**
 * Operators with the null logic of SQL.
 *
 * @module
 */

import { compare, narrow, toFlag, toNumber, truth } from "./values.ts";

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
    if (!isWhole || isExact || Math.abs(result) > 2 ** 63) return result;
    return narrow((run as unknown as (left: bigint, right: bigint) => bigint)(BigInt(a), BigInt(b)));
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
