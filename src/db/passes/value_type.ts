/**
 * The built-in types of values, as far as conversions need to know them.
 *
 * @module
 */

import type { CastType, Expression, FunctionExpression, ValueExpression, Xo } from "../../cqn/cqn.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import { kindOfNumber, type TokenPlace } from "./arithmetic.ts";
import { comparedValue } from "../compared_value.ts";
import { operandType } from "./cast_whole.ts";
import { isBound } from "./references.ts";
import { type Scope, stepName } from "./scope.ts";
import { isText, typeOf } from "./type_of.ts";

/** Types of typed literals. */
const LITERALS: Readonly<Record<string, string>> = {
  date: "cds.Date",
  time: "cds.Time",
  timestamp: "cds.Timestamp",
  number: "cds.Decimal",
};
/** Functions that give one of their arguments, and how many of them. */
const ONE_OF: Readonly<Record<string, number>> = {
  ...{ coalesce: Infinity, ifnull: Infinity, max: Infinity, min: Infinity, nullif: 1 },
  ...{ first_value: 1, last_value: 1, lag: 1, lead: 1 },
};

/**
 * The built-in type of a value.
 *
 * @param expression the value, not lowered
 * @param place what its names refer to
 * @returns undefined where it cannot be told; numbers of different types are `cds.Decimal`
 */
export function builtinOf(expression: Expression, place: TokenPlace): string | undefined {
  let types = known.get(place.scope);
  if (!types) known.set(place.scope, types = new WeakMap());
  let found = types.get(expression);
  if (!found) types.set(expression, found = { type: findType(expression, place) });
  return found.type;
}

/** Each value is asked for by all that stand around it. */
const known: WeakMap<Scope, WeakMap<Expression, { readonly type: string | undefined }>> = new WeakMap();

function findType(expression: Expression, place: TokenPlace): string | undefined {
  const { cast } = expression as { readonly cast?: CastType };
  if (typeof cast?.type === "string") return cast.type;
  if (isBound(expression)) {
    return "ref" in expression && stepName(expression.ref[0]!) === "$now" ? "cds.Timestamp" : undefined;
  }
  if ("val" in expression) return typeOfLiteral(expression);
  if ("func" in expression && Object.hasOwn(ONE_OF, expression.func.toLowerCase())) {
    return commonType(argumentsOf(expression).slice(0, ONE_OF[expression.func.toLowerCase()]), place);
  }
  const [only, ...others] = "xpr" in expression && !("func" in expression) ? expression.xpr : [];
  if (typeof only === "object" && others.length === 0) return builtinOf(only, place);
  const branches = branchesOf(expression);
  if (branches) return commonType(branches, place);
  switch (kindOfNumber(expression, place)) {
    case "whole":
      return operandType(place.lowering, expression, place.scope) ?? "cds.Int64";
    case "decimal":
      return "cds.Decimal";
    case "calculated":
      return undefined;
  }
  if ("xpr" in expression && !("func" in expression) && expression.xpr.includes("||")) return "cds.String";
  return "SELECT" in expression || "SET" in expression
    ? undefined
    : operandType(place.lowering, expression, place.scope);
}

function typeOfLiteral({ val, literal }: Extract<Expression, { val: unknown }>): string | undefined {
  if (literal !== undefined && typeof val === "string") return LITERALS[literal];
  switch (typeof val) {
    case "string":
      return "cds.String";
    case "boolean":
      return "cds.Boolean";
    case "bigint":
      return "cds.Int64";
    case "number":
      return typeOfNumber(val);
  }
  return val instanceof Date ? "cds.Timestamp" : undefined;
}

function typeOfNumber(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 63) return "cds.Decimal";
  return Math.abs(value) < 2 ** 31 ? "cds.Integer" : "cds.Int64";
}

/** Whether an expression is a value that stands in the query, and not a cast of one. */
export function isLiteral(expression: Expression): expression is ValueExpression {
  return "val" in expression && !("cast" in expression);
}

/** The arguments of a call. */
export function argumentsOf({ args }: FunctionExpression): readonly Expression[] {
  const given = Array.isArray(args) ? args as readonly (Expression | "*")[] : [];
  return given.filter((arg): arg is Expression => arg !== "*");
}

/**
 * The values that a case chooses from.
 *
 * @param expression any expression
 * @returns undefined where it is none, or one that calculates them without parentheses
 */
export function branchesOf(expression: Expression): readonly Expression[] | undefined {
  if (!("xpr" in expression) || "func" in expression) return undefined;
  const { xpr } = expression;
  if (xpr[0] !== "case" || xpr.indexOf("end") !== xpr.length - 1) return undefined;
  const places = branchPlaces(xpr);
  return places?.map((at) => xpr[at] as Expression);
}

/**
 * Where the values that a case chooses from stand.
 *
 * @param xpr the tokens of a case
 * @returns undefined where one of them is more than one token
 */
export function branchPlaces(xpr: readonly Xo[]): readonly number[] | undefined {
  const places: number[] = [];
  for (const [at, token] of xpr.entries()) {
    if (token !== "then" && token !== "else") continue;
    const next = xpr[at + 2];
    if (typeof xpr[at + 1] !== "object" || (next !== "when" && next !== "else" && next !== "end")) {
      return undefined;
    }
    places.push(at + 1);
  }
  return places;
}

/** The type that values of which one is chosen have in common. */
export type OneType = string;

const INSTANTS: ReadonlySet<unknown> = new Set(["cds.Date", "cds.DateTime", "cds.Timestamp"]);

/**
 * The type of values of which one is chosen: that of those that are no literals, if the literals have a form of it.
 *
 * @param values the values, not lowered
 * @param place what their names refer to
 * @returns undefined where one of them is not known; `cds.Decimal` for numbers of different types, `cds.String` for values
 *   of different types
 */
export function commonType(values: readonly Expression[], place: TokenPlace): OneType | undefined {
  const given = values.filter((value) => !isBound(value) && !(isLiteral(value) && value.val === null));
  const literals = given.filter(isLiteral);
  const others = given.filter((value) => !isLiteral(value));
  const types = new Set((others.length > 0 ? others : literals).map((value) => builtinOf(value, place)));
  if (types.size === 0 || types.has(undefined)) return undefined;
  const type = typeOfAll([...types] as string[]); // none is undefined
  if (others.length === 0 || isText(type)) return type;
  return literals.every((literal) => isFormOf(literal, type)) ? type : "cds.String";
}

function typeOfAll(types: readonly string[]): OneType {
  if (types.length === 1) return types[0]!;
  if (types.every((type) => NUMBER_TYPES.has(type))) {
    return types.includes("cds.Double") ? "cds.Double" : "cds.Decimal";
  }
  return types.every((type) => INSTANTS.has(type)) ? "cds.Timestamp" : "cds.String";
}

function isFormOf(literal: ValueExpression, type: OneType): boolean {
  if (literal.literal === "number") return NUMBER_TYPES.has(type);
  try {
    comparedValue(literal.val, { type });
    return true;
  } catch {
    return false;
  }
}

/** Types that decide about the form of results. */
const SHOWN: ReadonlySet<unknown> = new Set(["cds.Boolean", "cds.DateTime", "cds.Double", "cds.Timestamp"]);

/**
 * The type of a column of a result, as far as its form depends on it.
 *
 * @param expression the value, not lowered
 * @param place what its names refer to
 */
export function resultType(expression: Expression, place: TokenPlace): string | undefined {
  const known = typeOf(expression);
  if (known !== undefined) return known;
  const type = builtinOf(expression, place);
  return SHOWN.has(type) ? type : undefined;
}
