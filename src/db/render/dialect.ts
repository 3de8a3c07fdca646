/**
 * Where the SQL of databases differs.
 *
 * @module
 */

import type { Call, Expr } from "../../algebra/tree.ts";
import type { ResolvedType } from "../../model/linked.ts";
import type { PlainValue } from "../passes/scope.ts";

/** Renders the call of a function from its rendered arguments. */
export type FunctionRenderer = (...args: readonly string[]) => string;

/** What is known of a bound value when the text is written. */
export type ValueType = "boolean" | "infinite" | "integer" | "number" | "other";

/** What a dialect of SQL has of its own. */
export interface Dialect {
  readonly name: string;
  /** Functions by lower-case name; those of the renderer itself start with `$`. */
  readonly functions: Readonly<Record<string, FunctionRenderer>>;
  /** Those that the text of views has otherwise. */
  readonly viewFunctions?: Readonly<Record<string, FunctionRenderer>>;
  /** Those that differ over the rows of a window. */
  readonly windowFunctions?: Readonly<Record<string, FunctionRenderer>>;
  /** The arguments of a call, where functions take more than those they are called with. */
  readonly argumentsOf?: (call: Call) => readonly (Expr | "*")[];
  /** Operators that differ: `==` and `!=` compare null as a value. */
  readonly operators: Readonly<Record<string, string>>;
  /** The text of a placeholder for the value at an index that counts from 0. */
  placeholder(index: number, type?: ValueType): string;
  /** Whether columns of groups must be written as what rows are grouped by, with the same placeholders: `$1`, `$2`, … */
  readonly comparesTexts?: boolean;
  /** Membership in a bound list. */
  inList(placeholder: string, negated: boolean): string;
  /** Whether a comparison with one value is faster than membership in a bound list of it. */
  readonly prefersOne?: boolean;
  /** A whole number with 64 bits, where the database calculates with fewer. */
  wide?(value: string): string;
  /** A bound value whose type nothing else tells. */
  isNull(placeholder: string): string;
  /** A pattern of `like` in which only `%` and `_` have a meaning, and the escape, if there is one. */
  like(pattern: string, escape: string | undefined): string;
  /** Where nulls stand in an order that does not say it: before everything else. */
  nulls(sort: "asc" | "desc"): string;
  /** The next number of queued work, whose table and column are names in quotes, for a row of an insert (0, 1, …). */
  nextNumber(table: string, column: string, row: number): string;
  /** The number of rows of a limit, given as rendered value. */
  limit(rows: string | undefined, offset: string | undefined): string;
  /** The column type of an element (csn-cqn 4). */
  columnType(type: ResolvedType): string;
  /** The type to cast to; undefined where values stay as they are. */
  castType(type: string): string | undefined;
  /** What gives values of payloads in columns of their own. */
  readonly plainValue: PlainValue;
  /** The name of a member as `$json_object` takes it. */
  memberName(name: string): string;
  /** The literal of a boolean. */
  boolean(value: boolean): string;
  /** The current time as default of a column. */
  readonly now: string;
}
