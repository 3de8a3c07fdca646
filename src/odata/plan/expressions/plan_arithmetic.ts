/**
 * Arithmetic with numbers, durations, dates and instants (OData 4.01 Part 2, section 5.1.1.2).
 *
 * @module
 */

import { arithmetic, call, cast, negative } from "../../../algebra/build.ts";
import type { ArithmeticOperator, Expr } from "../../../algebra/tree.ts";
import type { BinaryExpr, BinaryOperator } from "../../url/ast.ts";
import type { ValueType } from "./literal_values.ts";
import { badRequest } from "../plan_error.ts";
import {
  DECIMAL,
  DURATION,
  groupOf,
  INT64,
  INTEGER,
  isRounded,
  ROUNDED,
  rounded,
  type Typed,
} from "../scope.ts";

const OPERATORS: Readonly<Partial<Record<BinaryOperator, ArithmeticOperator>>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
};

/** Calculations of IEEE 754: a division by zero is infinite, or no number. */
const DOUBLES: Readonly<Partial<Record<BinaryOperator, string>>> = {
  add: "$double_add",
  sub: "$double_sub",
  mul: "$double_mul",
  div: "$double_div",
  divby: "$double_div",
};

/** Divisions of other numbers, which fail where the divisor is zero. */
const DIVISIONS: ReadonlySet<BinaryOperator> = new Set(["div", "divby", "mod"]);

/**
 * The type of a literal that numbers are divided by.
 *
 * @param operator the operator
 * @param types that of what is divided, and that of the literal
 * @returns a type that refuses zero, unless the numbers are floating-point ones
 */
export function divisorType(
  operator: BinaryOperator,
  [dividend, divisor]: readonly [ValueType | undefined, ValueType | undefined],
): ValueType | undefined {
  const isInfinite = operator !== "mod" && (isDouble(dividend) || isDouble(divisor));
  if (!DIVISIONS.has(operator) || isInfinite || divisor === undefined) return divisor;
  return {
    ...divisor,
    refuses: (value) => Number(value) === 0 ? "A number cannot be divided by zero" : undefined,
  };
}

function isDouble(type: ValueType | undefined): boolean {
  return type?.builtin === "cds.Double";
}

/**
 * Whether an operator calculates.
 *
 * @param operator any operator
 * @returns true for `add`, `sub`, `mul`, `div`, `divby` and `mod`
 */
export function isArithmetic(operator: BinaryOperator): boolean {
  return operator in OPERATORS || operator === "mod" || operator === "divby";
}

/**
 * Plans a calculation.
 *
 * @param expr operator and place
 * @param sides its operands, planned
 * @returns the value with its type
 * @throws {ServiceError} 400 for operands that the operator does not take
 */
export function planArithmetic(
  { operator, offset }: BinaryExpr,
  [left, right]: readonly [Typed, Typed],
): Typed {
  const groups = [groupOf(left.type), groupOf(right.type)];
  if (groups.includes("instant")) return withInstant(operator, [left, right], offset);
  if (groups.includes("duration")) return withDuration(operator, [left, right], offset);
  for (const group of groups) {
    if (group !== "number" && group !== undefined) throw badRequest("A number is expected", offset);
  }
  const whole = isWhole(left.type) && isWhole(right.type);
  const decimal = isRounded(left.type) || isRounded(right.type) ? ROUNDED : DECIMAL;
  const args = [left.expr, right.expr];
  const nullable = left.nullable || right.nullable;
  const quotient = isLarge(left) || isLarge(right) ? INT64 : INTEGER;
  const calculates = isDouble(left.type) || isDouble(right.type);
  if (operator === "mod") {
    const type = whole ? quotient : calculates ? DOUBLE : decimal;
    return { expr: call("$mod", args), type, nullable };
  }
  if (calculates) return { expr: call(DOUBLES[operator]!, args), type: DOUBLE, nullable };
  if (operator === "div" && whole) return { expr: call("$div", args), type: quotient, nullable };
  if (operator === "divby" || operator === "div") {
    return { expr: rounded(call("$divby", args)), type: ROUNDED, nullable };
  }
  if (whole) return { expr: arithmetic(wide(left), OPERATORS[operator]!, right.expr), type: INT64, nullable };
  const expr = call(`$decimal_${operator}`, args);
  // the engines have more digits of it than those that are right, and not the same
  return { expr: decimal === ROUNDED ? rounded(expr) : expr, type: decimal, nullable };
}

const DOUBLE: ValueType = { builtin: "cds.Double" };

function isLarge({ type }: Typed): boolean {
  return type?.builtin === "cds.Int64" || type?.builtin === "cds.Integer64";
}

/** The result of a calculation may be larger than its operands. */
function wide(value: Typed): Expr {
  const { expr } = value;
  if (isLarge(value) || expr.kind === "cast") return expr;
  return cast(expr, { type: INT64.builtin });
}

/**
 * Whether a type is one of whole numbers.
 *
 * @param type any type
 */
export function isWhole(type: ValueType | undefined): boolean {
  return type !== undefined && groupOf(type) === "number" &&
    !["cds.Decimal", "cds.DecimalFloat", "cds.Double"].includes(type.builtin);
}

const SHIFTS: Readonly<Record<string, string>> = {
  "cds.Date": "$shift_date",
  "cds.DateTime": "$shift_datetime",
  "cds.Timestamp": "$shift_timestamp",
};

/** An instant or date and a duration, or the duration between two of them. */
function withInstant(
  operator: BinaryOperator,
  [left, right]: readonly [Typed, Typed],
  offset: number,
): Typed {
  const nullable = left.nullable || right.nullable;
  const [one, other] = [groupOf(left.type), groupOf(right.type)];
  if (one === "instant" && other === "instant" && operator === "sub") {
    return { expr: call("$seconds_between", [left.expr, right.expr]), type: DURATION, nullable };
  }
  if (one !== "instant" || other !== "duration" || (operator !== "add" && operator !== "sub")) {
    throw badRequest(`The operator "${operator}" does not take operands of these types`, offset);
  }
  const type = left.type!; // its group is known
  const seconds = operator === "add" ? right.expr : negative(right.expr);
  // a date shifted too far is none
  return { expr: call(SHIFTS[type.builtin], [left.expr, seconds]), type, nullable: true };
}

/** Durations are seconds: they are added, and multiplied by numbers. */
function withDuration(
  operator: BinaryOperator,
  [left, right]: readonly [Typed, Typed],
  offset: number,
): Typed {
  const both = groupOf(left.type) === groupOf(right.type);
  const first = groupOf(left.type) === "duration";
  const other = groupOf(first ? right.type : left.type);
  const scales = operator === "mul" || (first && (operator === "div" || operator === "divby"));
  const fits = both
    ? operator === "add" || operator === "sub"
    : scales && (other === "number" || other === undefined);
  if (!fits) throw badRequest(`The operator "${operator}" does not take operands of these types`, offset);
  const expr = operator === "div" || operator === "divby"
    ? call("$divby", [left.expr, right.expr])
    : arithmetic(left.expr, OPERATORS[operator]!, right.expr);
  return { expr, type: DURATION, nullable: true };
}
