/**
 * Calculations with decimals: engines that keep them as floating-point numbers give the decimals that those stand for.
 * Divisions: those of whole numbers cut the fraction, those by zero give null.
 *
 * @module
 */

import type { CastType, Expression, FunctionExpression, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { INTEGER_TYPES } from "../../model/builtin_types.ts";
import { callOf, operandType } from "./cast_whole.ts";
import { type Lowering, Scope } from "./scope.ts";
import { lowerSource } from "./source.ts";
import { wide } from "./wide.ts";

const PRECEDENCE: Readonly<Record<string, number>> = { "+": 1, "-": 1, "*": 2, "/": 2 };
/** Functions that lose no digit of decimals. */
const EXACT = { "+": "$decimal_add", "-": "$decimal_sub", "*": "$decimal_mul" } as const;

type Operator = keyof typeof EXACT | "/";

/**
 * What is known of the number that an expression gives: whether it is `whole`, a `decimal`, of another type or unknown.
 *
 * @param expression the expression, not lowered
 * @param place what its names refer to
 */
export function kindOfNumber(expression: Expression, place: TokenPlace): Kind | "calculated" {
  const kind = kindOf(expression, place);
  return kind === "unknown" && innerRun(expression)?.some(isOperator) ? "calculated" : kind;
}

/** What is known of numbers: `whole` and `decimal` ones, and floating-point numbers or whatever else. */
type Kind = "whole" | "decimal" | "other" | "unknown";

/** The expression that a part of the tokens stands for. */
export interface Calculated {
  readonly expression: Expression;
  /** Tokens it stands for. */
  readonly length: number;
}

/** Where tokens stand. */
export interface TokenPlace {
  readonly lowering: Lowering;
  readonly scope: Scope;
}

/**
 * Lowers a calculation with decimals, or one that divides, that starts at a token.
 *
 * @param tokens operands and operators
 * @param at where it may start
 * @param place what their names refer to
 * @returns undefined where there is none, or one with other numbers only
 */
export function lowerCalculation(
  tokens: readonly Xo[],
  at: number,
  place: TokenPlace,
): Calculated | undefined {
  if (isOperator(tokens[at - 1]) || tokens[at - 1] === "||") return undefined;
  const run = runAt(tokens, at);
  if (!run.slice(1).some(isOperator) || tokens[at + run.length] === "||") return undefined;
  const isDecimal = kindOfRun(run, place) === "decimal";
  const divides = dividesIn(run);
  if (!isDecimal && !divides) return undefined;
  const expression = new RunParser(run, place).parse();
  return {
    expression: isDecimal ? { func: resultOf(run), args: [expression] } : expression,
    length: run.length,
  };
}

/**
 * How many tokens are a calculation with whole numbers only, which has 64 bits whatever its operands have.
 *
 * @param tokens operands and operators
 * @param at where it may start
 * @param place what its names refer to
 */
export function wholeCalculation(tokens: readonly Xo[], at: number, place: TokenPlace): number {
  if (isOperator(tokens[at - 1])) return 0;
  const run = runAt(tokens, at);
  return isCalculation(run) && run.every((token) => isWhole(token, place)) ? run.length : 0;
}

/** Whole numbers, and parameters, of which it is known only when the query is written. */
function isWhole(token: Xo, place: TokenPlace): boolean {
  if (typeof token === "string") return true;
  if ("ref" in token && token.param) return true;
  const run = innerRun(token);
  if (!run) return kindOf(token, place) === "whole";
  const ofScope = remembered(wholes, place.scope, () => new WeakMap<readonly Xo[], boolean>());
  return remembered(ofScope, run, () => run.every((inner) => isWhole(inner, place)));
}

/**
 * Sums and averages of decimals.
 *
 * @param call the call, lowered
 * @param given the call, of which only the name is lowered
 * @param place what its names refer to
 * @returns the call, or the decimal that it stands for
 */
export function decimalAggregate(
  call: FunctionExpression,
  given: FunctionExpression,
  place: TokenPlace,
): Expression {
  const { func: name } = given;
  const [arg] = Array.isArray(given.args) ? given.args as readonly (Expression | "*")[] : [];
  if (!Object.hasOwn(RESULTS, name) || typeof arg !== "object" || kindOf(arg, place) !== "decimal") {
    return call;
  }
  return callOf(resultOf([given]), { ...call, func: RESULTS[name]! });
}

/** Aggregates of decimals, of which no digit is lost on the way. */
const RESULTS: Readonly<Record<string, string>> = {
  sum: "$decimal_sum",
  avg: "$decimal_avg",
  average: "$decimal_avg",
};

/** Quotients have no last digit, so that what is calculated of them is rounded. */
function resultOf(tokens: readonly Xo[]): string {
  return tokens.some(hasQuotient) ? "$decimal" : "$exact";
}

function hasQuotient(token: Xo | "*"): boolean {
  if (typeof token !== "object") return token === "/";
  if ("func" in token && AVERAGES.has(token.func.toLowerCase())) return true;
  const { args, xpr } = token as { readonly args?: readonly Xo[] | object; readonly xpr?: readonly Xo[] };
  return [args, xpr].some((tokens) => Array.isArray(tokens) && tokens.some(hasQuotient));
}

/** Whether a token is an operator between numbers. */
export function isOperator(token: Xo | undefined): boolean {
  return typeof token === "string" && Object.hasOwn(PRECEDENCE, token);
}

/** Whether operands are calculated with, or have a sign. */
export function isCalculation(run: readonly Xo[]): boolean {
  return run.some(isOperator);
}

/**
 * Operands with operators between them, maybe with a sign in front of each.
 *
 * @param tokens operands and operators
 * @param at where it may start
 * @returns nothing where there is no operand
 */
export function runAt(tokens: readonly Xo[], at: number): readonly Xo[] {
  let end = at;
  for (let next = at;;) {
    if (tokens[next] === "-" || tokens[next] === "+") next++;
    if (typeof tokens[next] !== "object") break;
    end = next + 1;
    if (!isOperator(tokens[end])) break;
    next = end + 1;
  }
  return tokens.slice(at, end);
}

/** The calculation in parentheses, if an operand is one. */
function innerRun(operand: Expression): readonly Xo[] | undefined {
  if (!("xpr" in operand) || "func" in operand || "cast" in operand || !operand.xpr) return undefined;
  const { xpr } = operand;
  return xpr.length > 0 && runAt(xpr, 0).length === xpr.length ? xpr : undefined;
}

/** What is known of calculations in parentheses: each is asked for by all that stand around it. */
const divisions: WeakMap<readonly Xo[], boolean> = new WeakMap();
const kinds: WeakMap<Scope, WeakMap<readonly Xo[], Kind>> = new WeakMap();
const wholes: WeakMap<Scope, WeakMap<readonly Xo[], boolean>> = new WeakMap();

function dividesIn(run: readonly Xo[]): boolean {
  return run.some((token) => token === "/" || (typeof token === "object" && dividesInside(token)));
}

function dividesInside(operand: Expression): boolean {
  const run = innerRun(operand);
  return run !== undefined && remembered(divisions, run, () => dividesIn(run));
}

function remembered<K extends object, V>(known: WeakMap<K, V>, key: K, compute: () => V): V {
  let value = known.get(key);
  if (value === undefined) known.set(key, value = compute());
  return value;
}

function kindOfRun(run: readonly Xo[], place: TokenPlace): Kind {
  let kind: Kind = "whole";
  for (const token of run) if (typeof token === "object") kind = wider(kind, kindOf(token, place));
  return kind;
}

const WIDTH: Readonly<Record<Kind, number>> = { whole: 0, unknown: 1, decimal: 2, other: 3 };

/** The kind of what is calculated of numbers of two kinds. */
function wider(one: Kind, other: Kind): Kind {
  return WIDTH[one] < WIDTH[other] ? other : one;
}

/** Functions that give a number like their arguments, and those that give whole ones. */
const LIKE_ARGUMENTS: ReadonlySet<string> = new Set([
  "abs",
  "coalesce",
  "ifnull",
  "max",
  "min",
  "mod",
  "$mod",
  "sum",
]);
const WHOLE: ReadonlySet<string> = new Set(["ceiling", "floor", "sign"]);
const AVERAGES: ReadonlySet<string> = new Set(["avg", "average"]);

function kindOf(operand: Expression, place: TokenPlace): Kind {
  const { cast } = operand as { readonly cast?: CastType };
  const run = innerRun(operand);
  if (run) {
    const ofScope = remembered(kinds, place.scope, () => new WeakMap<readonly Xo[], Kind>());
    return remembered(ofScope, run, () => kindOfRun(run, place));
  }
  if ("SELECT" in operand) return kindOfQuery(operand, place);
  if ("SET" in operand || "list" in operand || "#" in operand) return "unknown";
  if (typeof cast?.type !== "string") {
    const kind = "func" in operand ? kindOfCall(operand, place) : kindOfCase(operand, place);
    if (kind !== undefined) return kind;
  }
  if ("val" in operand && typeof operand.val !== "number") return "unknown";
  if ("ref" in operand && operand.param) return "unknown";
  const type = typeof cast?.type === "string" ? cast.type : operandType(place.lowering, operand, place.scope);
  if (type === undefined) return "unknown";
  if (INTEGER_TYPES.has(type)) return "whole";
  return type === "cds.Decimal" || type === "cds.DecimalFloat" ? "decimal" : "other";
}

function kindOfCall({ func, args = [] }: FunctionExpression, place: TokenPlace): Kind | undefined {
  const name = func.toLowerCase();
  if (AVERAGES.has(name)) return "decimal";
  const given = Array.isArray(args)
    ? (args as readonly (Expression | "*")[]).filter((arg) => arg !== "*")
    : [];
  if (name === "round") return given.length === 1 ? "whole" : "decimal";
  if (WHOLE.has(name)) return "whole";
  if (name === "nullif") return kindOfRun(given.slice(0, 1), place);
  return LIKE_ARGUMENTS.has(name) ? kindOfRun(given, place) : undefined;
}

/** That of the column of a query. */
function kindOfQuery({ SELECT: { from, columns } }: SelectQuery, { lowering, scope }: TokenPlace): Kind {
  const [column] = columns ?? [];
  if (typeof column !== "object") return "unknown";
  const inner = new Scope(scope);
  lowerSource(lowering, from, inner);
  return kindOf(column as Expression, { lowering, scope: inner });
}

/** That of the values a case chooses from. */
function kindOfCase(operand: Expression, place: TokenPlace): Kind | undefined {
  if (!("xpr" in operand) || operand.xpr?.[0] !== "case") return undefined;
  return kindOfRun(
    operand.xpr.filter((_, at, { [at - 1]: before }) => before === "then" || before === "else"),
    place,
  );
}

/** One step of a calculation with operands of a kind. */
function calculated(operator: Operator, args: readonly [Expression, Expression], kind: Kind): Expression {
  if (operator === "/") return quotient(args, kind);
  if (kind === "decimal") return { func: EXACT[operator], args };
  const [left, right] = kind === "whole" ? args.map(wide) : args;
  return { xpr: [left, operator, right] };
}

function quotient(args: readonly [Expression, Expression], kind: Kind): Expression {
  if (kind !== "unknown") return { func: kind === "whole" ? "div" : "divby", args };
  const [left, right] = args;
  return { xpr: [left, "/", { func: "nullif", args: [right, { val: 0, literal: "number" }] }] };
}

/** Reads a calculation by precedence. */
class RunParser {
  readonly #run: readonly Xo[];
  readonly #place: TokenPlace;
  #index = 0;

  constructor(run: readonly Xo[], place: TokenPlace) {
    this.#run = run;
    this.#place = place;
  }

  parse(): Expression {
    return this.#calculation(1).expression;
  }

  /** Operands and operators, down to those that bind as strongly as asked for. */
  #calculation(least: number): Operand {
    let left = this.#operand();
    for (;;) {
      const operator = this.#run[this.#index];
      const precedence = typeof operator === "string" ? PRECEDENCE[operator]! : 0;
      if (precedence < least) return left;
      this.#index++;
      const right = this.#calculation(precedence + 1);
      const kind = wider(left.kind, right.kind);
      const args = [left.expression, right.expression] as const;
      left = { expression: calculated(operator as Operator, args, kind), kind };
    }
  }

  #operand(): Operand {
    const token = this.#run[this.#index++]!;
    if (typeof token === "string") {
      const { expression, kind } = this.#operand();
      const operand = kind === "whole" ? wide(expression) : expression;
      return { expression: token === "-" ? { xpr: ["-", operand] } : expression, kind };
    }
    const inner = innerRun(token);
    if (inner) return new RunParser(inner, this.#place).#calculation(1);
    const { lowering, scope } = this.#place;
    return { expression: lowering.expression(token, scope), kind: kindOf(token, this.#place) };
  }
}

/** A part of a calculation, lowered. */
interface Operand {
  readonly expression: Expression;
  readonly kind: Kind;
}
