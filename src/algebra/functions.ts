/**
 * The functions of expressions: what they take, what they give, and where they are. Who adds one adds a row here, and what it
 * is on each engine: `db/render/sqlite_functions.ts`, `db/render/postgres_functions.ts`, `db/memory/functions.ts`. D1 has
 * those of SQLite, but what `db/sqlite/sql_functions.ts` registers; URLs and remote services follow the row (`odata`).
 *
 * @module
 */

import type { Expr } from "./tree.ts";

/** What an argument of a canonical function of OData is. */
export type ArgumentKind = "text" | "pattern" | "whole" | "number" | "day" | "instant" | "clock" | "duration";

/** A canonical function of OData (4.01 Part 2, section 5.1.1). */
export interface CanonicalFunction {
  /** Its arguments; without them it has a plan of its own in `odata/plan/expressions`. */
  readonly takes?: readonly ArgumentKind[];
  /** How many arguments it takes at least, and at most. */
  readonly count: readonly [number, number];
  /** Its name in the spelling of the standard, where that has capitals. */
  readonly name?: string;
  /** Whether its result has the type of its argument. */
  readonly keepsType?: boolean;
}

/** The engines of databases. */
export type Engine = "memory" | "sqlite" | "postgres" | "d1";

/** What is known of a function. */
export interface FunctionRow {
  /** The built-in type of its result, whatever its arguments. */
  readonly result?: string;
  /** Its result is the first argument, one of its arguments, a number like them, or one that lies between them. */
  readonly like?: "first" | "one" | "numbers" | "mean";
  /** The type that elements of views have, where it is another one; that of the first argument with `first`. */
  readonly declared?: string;
  /** How many of its first arguments it takes as text, whatever they are. */
  readonly texts?: number;
  /** Whether its result is no longer than its first argument. */
  readonly shortens?: boolean;
  /** Whether it gives one value for the rows of a group. */
  readonly aggregates?: boolean;
  /** Whether its result has no last digit. */
  readonly isRounded?: boolean;
  /** Whether it takes values of any type, also those whose type nothing tells. */
  readonly takesAny?: boolean;
  /** Whether it is one of the database itself that takes numbers of any type. */
  readonly takesNumbers?: boolean;
  readonly odata?: CanonicalFunction;
  /** The engines that have it; default: all. */
  readonly engines?: readonly Engine[];
}

const [BOOLEAN, WHOLE, LONG, DECIMAL, DOUBLE, STRING] = [
  "cds.Boolean",
  "cds.Integer",
  "cds.Int64",
  "cds.Decimal",
  "cds.Double",
  "cds.String",
];

const canonical = (...takes: readonly ArgumentKind[]): CanonicalFunction => ({
  takes,
  count: [takes.length, takes.length],
});

const WITH_PATTERNS: readonly Engine[] = ["memory", "sqlite", "postgres"];
const ON_SERVERS: readonly Engine[] = ["memory", "sqlite", "postgres"];

/** All arguments of a function. */
const ALL = Infinity;

/** Functions by lower-case name; those that start with `$` are made by passes. */
const FUNCTIONS: Readonly<Record<string, FunctionRow>> = {
  contains: { result: BOOLEAN, texts: ALL, odata: canonical("text", "text") },
  startswith: { result: BOOLEAN, texts: ALL, odata: canonical("text", "text") },
  endswith: { result: BOOLEAN, texts: ALL, odata: canonical("text", "text") },
  matchespattern: {
    result: BOOLEAN,
    texts: 1,
    odata: { ...canonical("text", "pattern"), name: "matchesPattern" },
    engines: WITH_PATTERNS,
  },
  indexof: { result: WHOLE, texts: ALL, odata: canonical("text", "text") },
  length: { result: WHOLE, texts: ALL, odata: canonical("text") },
  concat: { result: STRING, texts: ALL, odata: canonical("text", "text") },
  substring: {
    result: STRING,
    texts: 1,
    shortens: true,
    odata: { takes: ["text", "whole", "whole"], count: [2, 3] },
  },
  tolower: { result: STRING, texts: ALL, shortens: true, odata: canonical("text") },
  toupper: { result: STRING, texts: ALL, shortens: true, odata: canonical("text") },
  lower: { result: STRING, texts: ALL, shortens: true },
  upper: { result: STRING, texts: ALL, shortens: true },
  trim: { result: STRING, texts: ALL, shortens: true, odata: canonical("text") },
  ltrim: { result: STRING, texts: ALL, shortens: true },
  rtrim: { result: STRING, texts: ALL, shortens: true },
  replace: { result: STRING, texts: ALL },
  year: { result: WHOLE, odata: canonical("day") },
  month: { result: WHOLE, odata: canonical("day") },
  day: { result: WHOLE, odata: canonical("day") },
  hour: { result: WHOLE, odata: canonical("clock") },
  minute: { result: WHOLE, odata: canonical("clock") },
  second: { result: WHOLE, odata: canonical("clock") },
  fractionalseconds: { odata: canonical("clock"), declared: DECIMAL },
  date: { result: "cds.Date", odata: canonical("day") },
  time: { result: "cds.Time", odata: canonical("instant") },
  now: { result: "cds.Timestamp", odata: canonical() },
  years_between: { result: LONG, engines: ON_SERVERS },
  months_between: { result: LONG, engines: ON_SERVERS },
  days_between: { result: LONG, engines: ON_SERVERS },
  seconds_between: { result: LONG, engines: ON_SERVERS },
  nano100_between: { result: LONG, engines: ON_SERVERS },
  mindatetime: { odata: { count: [0, 0] } },
  maxdatetime: { odata: { count: [0, 0] } },
  totaloffsetminutes: { odata: { count: [1, 1] } },
  totalseconds: { odata: canonical("duration"), declared: DECIMAL, engines: [] },
  isof: { engines: [] },
  hassubset: { odata: { count: [2, 2] }, engines: [] },
  hassubsequence: { odata: { count: [2, 2] }, engines: [] },
  isdefined: { odata: { count: [1, 1] }, engines: [] },
  round: { result: LONG, declared: "first", odata: { ...canonical("number"), keepsType: true } },
  floor: { result: LONG, declared: "first", odata: { ...canonical("number"), keepsType: true } },
  ceiling: { result: LONG, declared: "first", odata: { ...canonical("number"), keepsType: true } },
  sign: { result: LONG, declared: "first" },
  abs: { like: "numbers", takesNumbers: true },
  mod: { like: "numbers" },
  coalesce: { like: "one", takesNumbers: true },
  greatest: { takesNumbers: true, engines: ["postgres"] },
  least: { takesNumbers: true, engines: ["postgres"] },
  ifnull: { like: "one" },
  nullif: { like: "first", takesNumbers: true },
  count: { result: WHOLE, declared: LONG, aggregates: true, takesAny: true },
  countdistinct: { result: WHOLE, declared: LONG, aggregates: true, takesAny: true },
  sum: { like: "numbers", aggregates: true },
  min: { like: "one", aggregates: true },
  max: { like: "one", aggregates: true },
  avg: { result: DECIMAL, like: "mean", aggregates: true, isRounded: true },
  average: { result: DECIMAL, like: "mean", aggregates: true, isRounded: true },
  string_agg: { declared: STRING, engines: ["sqlite", "postgres", "d1"] },
  first_value: { like: "first", takesNumbers: true },
  last_value: { like: "first", takesNumbers: true },
  lag: { like: "first" },
  lead: { like: "first" },
  row_number: { declared: LONG },
  rank: { declared: LONG },
  dense_rank: { declared: LONG },
  current_date: { declared: "cds.Date" },
  current_time: { declared: "cds.Time" },
  current_timestamp: { declared: "cds.Timestamp" },
  current_user: { declared: STRING, engines: ["postgres"] },
  session_user: { declared: STRING, engines: ["postgres"] },
  "geo.distance": { odata: { count: [2, 2] }, engines: ON_SERVERS },
  "geo.length": { odata: { count: [1, 1] }, engines: ON_SERVERS },
  "geo.intersects": { odata: { count: [2, 2] }, engines: ON_SERVERS },
  search: { result: BOOLEAN, engines: [] },
  session_context: { declared: STRING, engines: [] },
  error: { result: "cds.Map", engines: [] },
  $mod: { like: "numbers" },
  $double_add: { result: DOUBLE },
  $double_sub: { result: DOUBLE },
  $double_mul: { result: DOUBLE },
  $double_div: { result: DOUBLE },
  $decimal: { result: DECIMAL },
  $exact: { result: DECIMAL },
  $decimal_add: { result: DECIMAL },
  $decimal_sub: { result: DECIMAL },
  $decimal_mul: { result: DECIMAL },
  $decimal_sum: { result: DECIMAL, aggregates: true },
  $decimal_avg: { result: DECIMAL, aggregates: true, isRounded: true },
  $filtered: { result: "cds.Map" },
  $by_code_points: { like: "first", shortens: true },
};

/** What is known of a function, by its name in any case. */
export function functionRow(name: string): FunctionRow | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(FUNCTIONS, key) ? FUNCTIONS[key] : undefined;
}

/** All functions of the table. */
export function knownFunctions(): Iterable<readonly [string, FunctionRow]> {
  return Object.entries(FUNCTIONS);
}

/** The type of the result of a call, as far as the function alone tells it. */
export function resultOf(func: string, args: readonly (Expr | "*")[]): string | undefined {
  const row = functionRow(func);
  // digits behind the point make a decimal
  return row === FUNCTIONS.round && args.length > 1 ? DECIMAL : row?.result;
}

/** Whether a call gives one value for the rows of a group: no window, and no function of several values. */
export function isAggregate(
  expression: Expr | { readonly kind: string },
): expression is Extract<Expr, { kind: "call" }> {
  if (expression.kind !== "call") return false;
  const { func, over } = expression as Extract<Expr, { kind: "call" }>; // by its kind
  return over === undefined && functionRow(func)?.aggregates === true;
}
