/**
 * The SQL of PostgreSQL.
 *
 * @module
 */

import { AS_IT_IS } from "../passes/scope.ts";
import type { ResolvedType } from "../../model/linked.ts";
import type { Dialect, ValueType } from "./dialect.ts";
import { POSTGRES_FUNCTIONS } from "./postgres_functions.ts";

/** Column types without facets (csn-cqn 4). */
const COLUMN_TYPES: Readonly<Record<string, string>> = Object.freeze({
  "cds.Boolean": "BOOLEAN",
  "cds.UInt8": "INT",
  "cds.Int16": "SMALLINT",
  "cds.Int32": "INT",
  "cds.Integer": "INT",
  "cds.Int64": "BIGINT",
  "cds.Integer64": "BIGINT",
  "cds.Double": "FLOAT8",
  "cds.Date": "DATE",
  "cds.Time": "TIME",
  "cds.DateTime": "TIMESTAMP",
  "cds.Timestamp": "TIMESTAMP",
  "cds.Binary": "BYTEA",
  "cds.LargeBinary": "BYTEA",
  "cds.Map": "JSONB",
});

const CAST_TYPES: Readonly<Record<string, string>> = Object.freeze({
  ...COLUMN_TYPES,
  "cds.Decimal": "NUMERIC",
  "cds.DecimalFloat": "NUMERIC",
  "cds.String": "TEXT",
  "cds.LargeString": "TEXT",
  "cds.UUID": "TEXT",
});

const VALUE_TYPES: Readonly<Record<ValueType, string>> = Object.freeze({
  boolean: "::boolean",
  infinite: "::float8",
  integer: "::int",
  number: "::numeric",
  other: "",
});

/** Functions that give a value, by those that write it into JSON. */
const PLAIN_VALUES: Readonly<Record<string, string | undefined>> = Object.freeze({
  $json_value: AS_IT_IS,
  $json_literal: "$plain_literal",
  $json_boolean: AS_IT_IS,
  $json_double: AS_IT_IS,
  $json_base64url: "$plain_base64url",
  $json_datetime: "$plain_datetime",
  $json_timestamp: "$plain_timestamp",
});

/** Texts are compared by code points, as on the other engines. */
const BY_CODE_POINTS = ' COLLATE "C"';
const DEFAULT_LENGTH = 255;

/** Numbers the rows of queued work. */
export const QUEUE_SEQUENCE = "fw_queue_seq";

/** The dialect of PostgreSQL. */
export const POSTGRES: Dialect = Object.freeze({
  name: "postgres",
  functions: POSTGRES_FUNCTIONS,
  windowFunctions: Object.freeze({ $decimal_avg: (value: string) => `avg(${value})` }),
  operators: Object.freeze({ "==": "IS NOT DISTINCT FROM", "!=": "IS DISTINCT FROM", "like": "ILIKE" }),
  placeholder: (index: number, type: ValueType = "other") => `$${index + 1}${VALUE_TYPES[type]}`,
  comparesTexts: true,
  wide: (value: string) => `(${value})::bigint`,
  // the type of a placeholder follows from what it is compared with
  inList: (placeholder: string, negated: boolean) =>
    negated ? `<> ALL(${placeholder})` : `= ANY(${placeholder})`,
  isNull: (placeholder: string) => `${placeholder}::text`,
  like: (pattern: string, escape: string | undefined) =>
    `${pattern}${BY_CODE_POINTS} ESCAPE ${escape ?? "''"}`,
  nulls: (sort: "asc" | "desc") => sort === "desc" ? " NULLS LAST" : " NULLS FIRST",
  // numbers of a sequence: no transaction waits for another one
  nextNumber: () => `nextval('${QUEUE_SEQUENCE}')`,
  limit: (rows: string | undefined, offset: string | undefined) =>
    `${rows === undefined ? "" : ` LIMIT ${rows}`}${offset === undefined ? "" : ` OFFSET ${offset}`}`,
  columnType,
  castType: (type: string) => CAST_TYPES[type],
  // what the type of the database is must be known: it decides what the driver makes of the value
  plainValue: (func: string, type: string | undefined) => type === undefined ? undefined : PLAIN_VALUES[func],
  memberName: (name: string) => `${JSON.stringify(name)}:`,
  boolean: (value: boolean) => value ? "true" : "false",
  now: "(now() at time zone 'utc')",
});

function columnType(type: ResolvedType): string {
  const { builtin = "", length = DEFAULT_LENGTH, precision, scale } = type;
  if (type.items || builtin === "cds.LargeString") return `TEXT${BY_CODE_POINTS}`;
  if (builtin === "cds.String") return `VARCHAR(${length})${BY_CODE_POINTS}`;
  if (builtin === "cds.UUID") return `VARCHAR(36)${BY_CODE_POINTS}`;
  if (builtin === "cds.Decimal" || builtin === "cds.DecimalFloat") {
    if (precision === undefined) return "DECIMAL";
    return typeof scale === "number" ? `DECIMAL(${precision},${scale})` : "DECIMAL";
  }
  return COLUMN_TYPES[builtin] ?? `VARCHAR(255)${BY_CODE_POINTS}`;
}
