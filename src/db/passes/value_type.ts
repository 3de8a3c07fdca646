import { functionRow } from "../../algebra/functions.ts";
import type { Call, Expr, Literal } from "../../algebra/tree.ts";
import { isBound } from "../../algebra/build.ts";
import { INTEGER_TYPES, NUMBER_TYPES } from "../../model/builtin_types.ts";
import { comparedValue } from "../bind_values.ts";
import type { ResolvedType } from "../../model/linked.ts";

/** What is known of numbers: `whole` and `decimal` ones, and floating-point numbers or whatever else. */
export type NumberKind = "whole" | "decimal" | "other" | "unknown";

const WIDTH: Readonly<Record<NumberKind, number>> = { whole: 0, unknown: 1, decimal: 2, other: 3 };

/** Types that are compared as instants. */
export const INSTANTS: ReadonlySet<unknown> = new Set(["cds.Date", "cds.DateTime", "cds.Timestamp"]);

/** Whether a type is one of texts. */
export function isText(type: unknown): boolean {
  return type === "cds.String" || type === "cds.LargeString";
}

/** Whether a lowered value is one that stands in the query, and not a cast of one. */
export function isLiteral(value: Expr): value is Literal {
  return value.kind === "literal";
}

/** What is known of the number that a lowered value is. */
export function numberKind(value: Expr): NumberKind {
  if (value.kind === "variable") return "whole"; // what is given says itself what it is
  if (value.kind === "literal" && typeof value.val !== "number") return "unknown";
  const { type } = value;
  if (type === undefined) return "unknown";
  if (INTEGER_TYPES.has(type)) return "whole";
  return type === "cds.Decimal" || type === "cds.DecimalFloat" ? "decimal" : "other";
}

/** The kind of what is calculated of numbers. */
export function widest(values: readonly Expr[]): NumberKind {
  return values.map(numberKind).reduce((one, other) => WIDTH[one] < WIDTH[other] ? other : one, "whole");
}

/** The type of what is calculated of numbers. */
export function typeOfNumbers(values: readonly Expr[]): string | undefined {
  switch (widest(values)) {
    case "whole":
      return "cds.Int64";
    case "decimal":
      return "cds.Decimal";
    case "other":
      return values.every(({ type }) => NUMBER_TYPES.has(type)) ? "cds.Double" : undefined;
  }
  return undefined;
}

/**
 * The type of values of which one is chosen: that of those that are no literals, if the literals have a form of it.
 *
 * @returns undefined where one of them is not known; `cds.Decimal` for numbers of different types, `cds.String` for values
 *   of different types
 */
export function commonType(values: readonly Expr[]): string | undefined {
  const given = values.filter((value) => !isBound(value) && !(isLiteral(value) && value.val === null));
  const literals = given.filter(isLiteral);
  const others = given.filter((value) => !isLiteral(value));
  const types = new Set((others.length > 0 ? others : literals).map(({ type }) => type));
  if (types.size === 0 || types.has(undefined)) return undefined;
  const type = typeOfAll([...types] as string[]); // none is undefined
  if (others.length === 0 || isText(type)) return type;
  return literals.every((literal) => isFormOf(literal, type)) ? type : "cds.String";
}

function typeOfAll(types: readonly string[]): string {
  if (types.length === 1) return types[0]!;
  if (types.every((type) => NUMBER_TYPES.has(type))) {
    return types.includes("cds.Double") ? "cds.Double" : "cds.Decimal";
  }
  return types.every((type) => INSTANTS.has(type)) ? "cds.Timestamp" : "cds.String";
}

function isFormOf({ val, literal }: Literal, type: string): boolean {
  if (literal === "number") return NUMBER_TYPES.has(type);
  try {
    comparedValue(val, { type });
    return true;
  } catch {
    return false;
  }
}

/** The type of one of several values, whichever it is. */
export function typeOfChoice(values: readonly Expr[]): string | undefined {
  const type = commonType(values);
  const hasFraction = values.some((value) => isLiteral(value) && value.type === "cds.Decimal");
  return INTEGER_TYPES.has(type) && hasFraction ? "cds.Decimal" : type;
}

/** The type of the result of a call, of which the arguments are lowered. */
export function typeOfCall({ func, args = [], type }: Call): string | undefined {
  const values = args.filter((arg) => arg !== "*");
  switch (functionRow(func)?.like) {
    case "one":
      return typeOfChoice(values);
    case "first":
      return commonType(values.slice(0, 1));
    case "numbers":
      return typeOfNumbers(values);
    case "mean":
      return typeOfNumbers(values) === "cds.Double" ? "cds.Double" : type;
  }
  return type;
}

/** Types that decide about the form of results. */
const SHOWN: ReadonlySet<unknown> = new Set(["cds.Boolean", "cds.DateTime", "cds.Double", "cds.Timestamp"]);
/** Types of calculated numbers: how they come is left to the database. */
const CALCULATED: ReadonlySet<unknown> = new Set(["cds.Int64", "cds.Decimal"]);

/**
 * The type of a column of a result, as far as its form depends on it.
 *
 * @param given the value, not lowered
 * @param lowered the value
 */
export function resultType(given: Expr, lowered: Expr): string | undefined {
  if (given.kind === "cast" && given.type !== undefined) return given.type;
  const row = given.kind === "call" ? functionRow(given.func) : undefined;
  const { type } = row?.odata?.keepsType ? argumentOf(lowered) : lowered;
  const result = row?.result;
  if (result !== undefined && !CALCULATED.has(result)) return result;
  return SHOWN.has(type) ? type : undefined;
}

/** What a lowered function of numbers is called with. */
function argumentOf(lowered: Expr): Expr {
  return lowered.kind === "call" ? lowered.args![0] as Expr : lowered;
}

/** The symbols of a type. */
export type EnumSymbols = NonNullable<ResolvedType["enum"]>;

/**
 * The value of a symbol. Of a type without such a symbol its name is the value.
 *
 * @param symbol its name
 * @param symbols those of the type, if it is known
 */
export function symbolValue(symbol: string, symbols: EnumSymbols | undefined): Scalar {
  const found = symbols && Object.hasOwn(symbols, symbol) ? symbols[symbol] : undefined;
  return found?.val ?? symbol;
}

type Scalar = string | number | boolean;
