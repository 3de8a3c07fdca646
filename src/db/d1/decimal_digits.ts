/**
 * How many digits behind the point the results of calculations with decimals have. Without functions of their own, the
 * platforms calculate with floating-point numbers, from which digits that cancel out leave a rest: `5.78 - 5.8`.
 *
 * @module
 */

import { arithmetic, call } from "../../algebra/build.ts";
import type { Call, Expr } from "../../algebra/tree.ts";

/** Texts of numbers in one result at most; what is made of more has the digits of floating-point numbers. */
const MOST = 6;

/** Numbers of digits, of which the largest counts; nothing where it is not known. */
type Digits = readonly Expr[] | undefined;

const known: WeakMap<Expr, Exclude<Digits, undefined> | "unknown"> = new WeakMap();

/**
 * The arguments of a function as the dialect takes them: behind those of sums, differences and remainders of decimals
 * come expressions, the largest value of which is the number of digits behind the point.
 *
 * @param call any call, lowered
 */
export function withDecimalDigits(given: Call): readonly (Expr | "*")[] {
  const { func, args = [] } = given;
  return Object.hasOwn(DIGITS, func.toLowerCase()) ? [...args, ...digitsOf(given) ?? []] : args;
}

function digitsOf(expression: Expr): Digits {
  let found = known.get(expression);
  if (found === undefined) known.set(expression, found = findDigits(expression) ?? "unknown");
  return found === "unknown" ? undefined : found;
}

function findDigits(expression: Expr): Digits {
  switch (expression.kind) {
    case "call": {
      const { func, args, over } = expression;
      if (over || !args || !Object.hasOwn(DIGITS, func)) return undefined;
      const [left, right] = args.map((arg) => arg === "*" ? undefined : digitsOf(arg));
      const found = DIGITS[func]!(left, right);
      return found && found.length > MOST ? undefined : found;
    }
    case "arithmetic": {
      const { op, left, right } = expression;
      return op === "/" ? undefined : DIGITS[OPERATORS[op]]!(digitsOf(left), digitsOf(right));
    }
    case "unary":
      return expression.op === "-" ? digitsOf(expression.arg) : undefined;
    case "reference":
    case "parameter":
    case "variable":
      return [call("$digits", [expression])];
    case "literal":
      return typeof expression.val === "number" ? [call("$digits", [expression])] : undefined;
  }
  return undefined;
}

const OPERATORS = {
  "+": "$decimal_add",
  "-": "$decimal_sub",
  "*": "$decimal_mul",
} as const;

/** The digits of results by those of the arguments. */
const DIGITS: Readonly<Record<string, (left: Digits, right: Digits) => Digits>> = {
  $exact: (value) => value,
  $decimal_add: largest,
  $decimal_sub: largest,
  $decimal_mul: (left, right) =>
    left && right &&
    left.flatMap((one) => right.map((other) => arithmetic(one, "+", other))),
  mod: largest,
  $mod: largest,
  $decimal_sum: (value) => value?.map((digits) => call("max", [digits])),
};

function largest(left: Digits, right: Digits): Digits {
  if (!left || !right) return undefined;
  const texts = new Set(left.map((one) => JSON.stringify(one)));
  return [...left, ...right.filter((one) => !texts.has(JSON.stringify(one)))];
}
