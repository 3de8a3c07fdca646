/**
 * The SQL of SQLite.
 *
 * @module
 */

import type { ResolvedType } from "../../model/linked.ts";
import type { Dialect } from "./dialect.ts";
import { SQLITE_FUNCTIONS, SQLITE_VIEW_FUNCTIONS } from "./sqlite_functions.ts";

/** Column types without facets (csn-cqn 4); the names keep text or blob affinity and let a reader tell the type. */
const COLUMN_TYPES: Readonly<Record<string, string>> = Object.freeze({
  "cds.UUID": "NVARCHAR(36)",
  "cds.Boolean": "BOOLEAN",
  "cds.UInt8": "TINYINT",
  "cds.Int16": "SMALLINT",
  "cds.Int32": "INT",
  "cds.Integer": "INT",
  "cds.Int64": "BIGINT",
  "cds.Integer64": "BIGINT",
  "cds.Double": "DOUBLE",
  "cds.Date": "DATE_TEXT",
  "cds.Time": "TIME_TEXT",
  "cds.DateTime": "DATETIME_TEXT",
  "cds.Timestamp": "TIMESTAMP_TEXT",
  "cds.LargeString": "NCLOB",
  "cds.LargeBinary": "BLOB",
  "cds.Map": "JSON_TEXT",
});

const CAST_TYPES: Readonly<Record<string, string>> = Object.freeze({
  "cds.UInt8": "integer",
  "cds.Int16": "integer",
  "cds.Int32": "integer",
  "cds.Integer": "integer",
  "cds.Int64": "integer",
  "cds.Integer64": "integer",
  "cds.Decimal": "numeric",
  "cds.Double": "real",
  "cds.String": "text",
  "cds.LargeString": "text",
  "cds.UUID": "text",
});

const DEFAULT_LENGTH = 255;

/** The dialect of SQLite. */
export const SQLITE: Dialect = Object.freeze({
  name: "sqlite",
  functions: SQLITE_FUNCTIONS,
  viewFunctions: SQLITE_VIEW_FUNCTIONS,
  operators: Object.freeze({ "==": "IS", "!=": "IS NOT" }),
  placeholder: () => "?",
  inList: (placeholder: string, negated: boolean) =>
    `${negated ? "NOT " : ""}IN (select value from json_each(${placeholder}))`,
  prefersOne: true,
  isNull: (placeholder: string) => placeholder,
  like: (pattern: string, escape: string | undefined) =>
    escape === undefined ? pattern : `${pattern} ESCAPE ${escape}`,
  nulls: () => "",
  // one transaction writes at a time: no other one can take the same number
  nextNumber: (table: string, column: string, row: number) =>
    `(SELECT coalesce(max(${column}), 0) + ${row + 1} FROM ${table})`,
  // A limit that is an expression does not make SQLite prepare the statement again for each value; null is none.
  limit: (rows: string | undefined, offset: string | undefined) =>
    ` LIMIT ${rows === undefined ? "-1" : rows === "?" ? "ifnull(?, -1)" : rows}${
      offset === undefined ? "" : ` OFFSET ${offset === "?" ? "ifnull(?, 0)" : offset}`
    }`,
  columnType,
  castType: (type: string) => CAST_TYPES[type],
  // booleans are numbers
  plainValue: (func: string) => func === "$json" || func === "$json_boolean" ? undefined : func,
  memberName: (name: string) => name,
  boolean: (value: boolean) => value ? "1" : "0",
  now: "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
});

function columnType(type: ResolvedType): string {
  const { builtin = "", length = DEFAULT_LENGTH, precision, scale } = type;
  if (type.items) return "NCLOB";
  if (builtin === "cds.String") return `NVARCHAR(${length})`;
  if (builtin === "cds.Binary") return `BINARY_BLOB(${length})`;
  if (builtin === "cds.Decimal" || builtin === "cds.DecimalFloat") {
    if (precision === undefined) return "DECIMAL";
    return typeof scale === "number" ? `DECIMAL(${precision},${scale})` : `DECIMAL(${precision})`;
  }
  return COLUMN_TYPES[builtin] ?? "NVARCHAR(255)";
}
