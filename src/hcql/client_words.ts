/**
 * The words of queries that clients send: operators, functions, literals.
 *
 * @module
 */

import type { Expression } from "../cqn/cqn.ts";
import { ServiceError, unsupported } from "../errors/service_error.ts";
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

/** What values are, as far as operators and functions need to know. */
export type ValueKind = "boolean" | "number" | "text" | "date" | "time" | "instant" | "binary" | "collection";

const NUMBERS = [
  ...["UInt8", "Int16", "Int32", "Integer", "Int64", "Integer64", "Decimal", "DecimalFloat", "Double"],
];

/** Kinds by built-in type. */
export const KINDS: Readonly<Record<string, ValueKind | undefined>> = {
  "cds.Boolean": "boolean",
  ...Object.fromEntries(NUMBERS.map((name) => [`cds.${name}`, "number"])),
  ...{ "cds.String": "text", "cds.LargeString": "text", "cds.UUID": "text" },
  ...{ "cds.Date": "date", "cds.Time": "time", "cds.DateTime": "instant", "cds.Timestamp": "instant" },
  ...{ "cds.Binary": "binary", "cds.LargeBinary": "binary" },
};

/** How many arguments functions of CQL take at least, and at most. */
export const ARGUMENTS: Readonly<Record<string, readonly [number, number]>> = {
  coalesce: [2, Infinity],
  concat: [2, Infinity],
};

/** What can be written as text, and has an order. */
const TEXTS: readonly ValueKind[] = ["text", "number", "boolean", "date", "time", "instant"];
/** What can be compared with other values than null. */
export const COMPARED: readonly ValueKind[] = [...TEXTS, "binary"];

/** The kinds of values that a function takes, by its name or by what it takes in URLs. */
export const TAKEN: Readonly<Record<string, readonly ValueKind[] | undefined>> = {
  ...{ sum: ["number"], avg: ["number"], average: ["number"], min: TEXTS, max: TEXTS },
  ...{ lower: TEXTS, upper: TEXTS, length: COMPARED, text: TEXTS, whole: ["number"], number: ["number"] },
  ...{ day: ["date", "instant"], clock: ["time", "instant"], instant: ["instant"] },
};

/** Variables that clients may use. */
export const VARIABLES: ReadonlySet<string> = new Set(["$now", "$user"]);

/** The error for what is no query. */
export function bad(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}

/** The error for what queries may say, and those of clients may not. */
export function notRun(what: string): ServiceError {
  return unsupported(`Not run for clients: ${what}`);
}

/** Characters of a value that an error repeats. */
const SHOWN = 100;

/** A literal as operand. */
export function valueOf({ val, literal }: Members): Expression {
  if (val instanceof ExactNumber) return numberOf(val.text);
  if (typeof val === "object" && val !== null) {
    throw bad("A value must be a text, a number, true, false or null");
  }
  if (literal === "number") return numberOf(String(val));
  return typeof literal === "string" && /^(?:date|time|timestamp)$/.test(literal)
    ? { val: val!, literal }
    : { val: val! };
}

/** A number with all its digits. */
function numberOf(text: string): Expression {
  if (/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))) {
    return { val: text, literal: "number" };
  }
  throw bad(`"${text.slice(0, SHOWN)}" is no number`);
}

/** A number of rows, alone or as literal. */
export function numberIn(given: JsonValue | undefined, name: string): number | undefined {
  const value = isJsonObject(given) ? given.val : given;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw bad(`${name} must be a whole number`);
}
