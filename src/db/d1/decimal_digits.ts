/**
 * How many digits behind the point the results of calculations with decimals have. Without functions of their own, the
 * platforms calculate with floating-point numbers, from which digits that cancel out leave a rest: `5.78 - 5.8`.
 *
 * @module
 */

import type { Expression, FunctionExpression, Xo } from "../../cqn/cqn.ts";

/** Texts of numbers in one result at most; what is made of more has the digits of floating-point numbers. */
const MOST = 6;

/** Numbers of digits, of which the largest counts; nothing where it is not known. */
type Digits = readonly Expression[] | undefined;

const known: WeakMap<Expression, Exclude<Digits, undefined> | "unknown"> = new WeakMap();

/**
 * The arguments of a function as the dialect takes them: behind those of sums, differences and remainders of decimals
 * come expressions, the largest value of which is the number of digits behind the point.
 *
 * @param call any call, lowered
 */
export function withDecimalDigits(call: FunctionExpression): readonly (Expression | "*")[] {
  const args = (call.args ?? []) as readonly (Expression | "*")[];
  if (!Object.hasOwn(DIGITS, call.func.toLowerCase())) return args;
  return [...args, ...digitsOf(call) ?? []];
}

function digitsOf(expression: Expression): Digits {
  let found = known.get(expression);
  if (found === undefined) known.set(expression, found = findDigits(expression) ?? "unknown");
  return found === "unknown" ? undefined : found;
}

function findDigits(expression: Expression): Digits {
  if ("cast" in expression) return undefined;
  if ("func" in expression) {
    const { args, xpr } = expression;
    const func = expression.func.toLowerCase();
    if (xpr || !Array.isArray(args) || !Object.hasOwn(DIGITS, func)) return undefined;
    const [left, right] = args.map((arg) => arg === "*" ? undefined : digitsOf(arg));
    const found = DIGITS[func](left, right);
    return found && found.length > MOST ? undefined : found;
  }
  if ("xpr" in expression) return ofTokens(expression.xpr);
  const isNumber = "ref" in expression || ("val" in expression && typeof expression.val === "number");
  return isNumber ? [{ func: "$digits", args: [expression] }] : undefined;
}

/** One operand, maybe with a sign, or two. */
function ofTokens([first, second, third, ...more]: readonly (Xo | undefined)[]): Digits {
  if (more.length > 0) return undefined;
  if (first === "-" && second !== undefined) return third === undefined ? ofTokens([second]) : undefined;
  if (typeof first !== "object") return undefined;
  if (second === undefined) return digitsOf(first);
  const combined = typeof second === "string" && Object.hasOwn(OPERATORS, second)
    ? OPERATORS[second]
    : undefined;
  return combined && typeof third === "object"
    ? DIGITS[combined](digitsOf(first), digitsOf(third))
    : undefined;
}

const OPERATORS: Readonly<Record<string, string>> = {
  "+": "$decimal_add",
  "-": "$decimal_sub",
  "*": "$decimal_mul",
};

/** The digits of results by those of the arguments. */
const DIGITS: Readonly<Record<string, (left: Digits, right: Digits) => Digits>> = {
  $exact: (value) => value,
  $decimal_add: largest,
  $decimal_sub: largest,
  $decimal_mul: (left, right) =>
    left && right && left.flatMap((one) => right.map((other): Expression => ({ xpr: [one, "+", other] }))),
  mod: largest,
  $mod: largest,
  $decimal_sum: (value) => value?.map((digits): Expression => ({ func: "max", args: [digits] })),
};

function largest(left: Digits, right: Digits): Digits {
  if (!left || !right) return undefined;
  const texts = new Set(left.map((one) => JSON.stringify(one)));
  return [...left, ...right.filter((one) => !texts.has(JSON.stringify(one)))];
}
