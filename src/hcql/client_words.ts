/**
 * The words of queries that clients send: operators, functions, literals.
 *
 * @module
 */

import type { Expression } from "../cqn/cqn.ts";
import { ServiceError } from "../errors/service_error.ts";
import { ExactNumber, type JsonValue } from "../odata/payload/parse_json.ts";
import { isJsonObject } from "../odata/payload/reading.ts";

/** An object of a query. */
export type Members = { readonly [name: string]: JsonValue };

/** Operators of expressions. */
export const OPERATORS: ReadonlySet<string> = new Set([
  ...["=", "==", "!=", "<>", "<", "<=", ">", ">=", "in", "not", "between", "and", "or", "like", "is", "null"],
  ...["exists", "+", "-", "*", "/", "||", "case", "when", "then", "else", "end"],
]);

/** Functions that URLs have, too, and those of CQL with the same meaning. */
export const FUNCTIONS: ReadonlySet<string> = new Set([
  ...[
    "contains",
    "startswith",
    "endswith",
    "tolower",
    "toupper",
    "lower",
    "upper",
    "trim",
    "length",
    "concat",
  ],
  ...[
    "substring",
    "indexof",
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "round",
    "floor",
    "ceiling",
  ],
  ...["count", "countdistinct", "sum", "min", "max", "avg", "average", "coalesce", "now", "date", "time"],
]);

/** Variables that clients may use. */
export const VARIABLES: ReadonlySet<string> = new Set(["$now", "$user"]);

/** The error for what is no query. */
export function bad(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}

/** The error for what queries may say, and those of clients may not. */
export function notRun(what: string): ServiceError {
  return new ServiceError({ status: 501, message: `Not run for clients: ${what}`, $sanitize: false });
}

/** A literal as operand. */
export function valueOf({ val, literal }: Members): Expression {
  if (val instanceof ExactNumber) return { val: val.text, literal: "number" };
  if (typeof val === "object" && val !== null) {
    throw bad("A value must be a text, a number, true, false or null");
  }
  return typeof literal === "string" && /^(?:date|time|timestamp|number)$/.test(literal)
    ? { val: val!, literal }
    : { val: val! };
}

/** A number of rows, alone or as literal. */
export function numberIn(given: JsonValue | undefined, name: string): number | undefined {
  const value = isJsonObject(given) ? given.val : given;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw bad(`${name} must be a whole number`);
}
