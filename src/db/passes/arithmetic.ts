/**
 * Calculations with decimals: engines that keep them as floating-point numbers give the decimals that those stand for.
 * Divisions: those of whole numbers cut the fraction, those by zero give null.
 *
 * @module
 */

import { call, numeral } from "../../algebra/build.ts";
import { functionRow } from "../../algebra/functions.ts";
import type { Arithmetic, ArithmeticOperator, Call, Expr, Unary } from "../../algebra/tree.ts";
import { someOf } from "../../algebra/walk_tree.ts";
import type { Lowering, Scope } from "./scope.ts";
import { numberKind, typeOfNumbers, widest } from "./value_type.ts";

/** Functions that lose no digit of decimals. */
const EXACT = { "+": "$decimal_add", "-": "$decimal_sub", "*": "$decimal_mul" } as const;

/** Where an expression stands. */
export interface Place {
  readonly lowering: Lowering;
  readonly scope: Scope;
}

/** A calculation or a sign, lowered. */
export function lowerCalculation(given: Arithmetic | Unary, place: Place): Expr {
  return exact(step(given, place));
}

/** One step, whose decimals have not yet their last digits. */
function step(given: Expr, place: Place): Expr {
  if (given.kind === "arithmetic") {
    return calculated(given.op, [step(given.left, place), step(given.right, place)]);
  }
  if (given.kind !== "unary" || given.op !== "-") return place.lowering.expression(given, place.scope);
  const arg = step(given.arg, place);
  return { kind: "unary", op: "-", arg: mayBeWhole(arg) ? wide(arg) : arg, type: typeOfNumbers([arg]) };
}

function calculated(op: ArithmeticOperator, sides: readonly [Expr, Expr]): Expr {
  const type = typeOfNumbers(sides);
  if (op === "/") return quotient(sides);
  if (type === "cds.Decimal") return call(EXACT[op], sides);
  const [left, right] = sides.map(sides.every(mayBeWhole) ? wide : exact);
  return { kind: "arithmetic", op, left: left!, right: right!, type };
}

function quotient(sides: readonly [Expr, Expr]): Expr {
  const type = typeOfNumbers(sides);
  const kind = widest(sides);
  if (kind !== "unknown") return call(kind === "whole" ? "div" : "divby", sides, { type });
  const [left, right] = sides;
  const divisor = call("nullif", [right, numeral(0)], { type: right.type });
  return { kind: "arithmetic", op: "/", left, right: divisor, type };
}

const STEPS: ReadonlySet<string> = new Set([...Object.values(EXACT), "divby"]);

/** A result with the digits that count. Quotients have no last digit, so that what is calculated of them is rounded. */
function exact(value: Expr): Expr {
  const isStep = value.kind === "call" && value.type === "cds.Decimal" && STEPS.has(value.func);
  const isSigned = value.kind === "unary" && numberKind(value) === "decimal" &&
    exact(value.arg) !== value.arg;
  return isStep || isSigned ? call(someOf(value, isQuotient) ? "$decimal" : "$exact", [value]) : value;
}

function isQuotient(value: Expr): boolean {
  if (value.kind !== "call") return value.kind === "arithmetic" && value.op === "/";
  return value.func === "div" || value.func === "divby" || functionRow(value.func)?.isRounded === true;
}

/** Aggregates of decimals, of which no digit is lost on the way. */
const RESULTS: Readonly<Record<string, string>> = {
  sum: "$decimal_sum",
  avg: "$decimal_avg",
  average: "$decimal_avg",
};

/** Sums and averages of decimals: a lowered call, or the decimal that it stands for. */
export function decimalAggregate(given: Call): Call {
  const [arg] = given.args ?? [];
  if (!Object.hasOwn(RESULTS, given.func) || typeof arg !== "object" || numberKind(arg) !== "decimal") {
    return given;
  }
  const func = RESULTS[given.func]!;
  const aggregate: Call = { ...given, func, type: "cds.Decimal" };
  return call(someOf(aggregate, isQuotient) ? "$decimal" : "$exact", [aggregate]);
}

/** Whole numbers, and parameters, of which it is known only when the query is written. */
function mayBeWhole(value: Expr): boolean {
  if (value.kind === "parameter" || numberKind(value) === "whole") return true;
  if (value.kind === "unary") return value.arg.wide === true;
  return value.kind === "arithmetic" && value.left.wide === true && value.right.wide === true;
}

/** Marks a whole number: calculations with it have 64 bits, also where a database has smaller integers. */
function wide(value: Expr): Expr {
  return { ...value, wide: true };
}
