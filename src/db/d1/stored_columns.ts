/**
 * The columns of a table, and the form in which their values travel as JSON.
 *
 * @module
 */

import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { isNeverNull } from "../../model/valid_slice.ts";
import { type ColumnDdl, tableColumns, tableConstraints } from "../ddl/table_ddl.ts";
import { quote } from "../render/render_query.ts";
import type { SqlValue } from "../write/sql_value.ts";
import { D1_DIALECT } from "./d1_dialect.ts";
import { INFINITE } from "./sql_driver.ts";

/** A column of a table. */
export interface StoredColumn extends Pick<ColumnDdl, "name" | "type" | "fallback" | "generated"> {
  readonly notNull: boolean;
}

/** A table as writes see it. */
export interface StoredTable {
  readonly entity: LinkedEntity;
  /** Columns that rows give. */
  readonly stored: readonly StoredColumn[];
  /** Columns that are calculated from others. */
  readonly generated: readonly StoredColumn[];
  /** Places of the key in `stored`; that of a table without key is the number that the database gives to rows. */
  readonly keys: readonly number[];
  /** Whether the key is that number. */
  readonly isNumbered: boolean;
  /** Whether other columns than those of the key have values of their own in each row. */
  readonly hasUnique: boolean;
}

/** A value in JSON: bytes are hexadecimal, integers that a number cannot hold are text. */
export type WireValue = string | number | null;

const tables: WeakMap<LinkedEntity, StoredTable> = new WeakMap();

/**
 * The columns of a table.
 *
 * @param model the linked model
 * @param entity has a table
 */
export function storedTable(model: LinkedModel, entity: LinkedEntity): StoredTable {
  let table = tables.get(entity);
  if (table === undefined) {
    const columns = tableColumns(model, entity, D1_DIALECT).map((column): StoredColumn => ({
      ...column,
      notNull: isNeverNull(entity, column.flat),
    }));
    const isNumbered = entity.$flatKeys.length === 0;
    const given = columns.filter(({ generated }) => generated === undefined);
    const stored = isNumbered ? [...given, rowNumber(columns)] : given;
    table = {
      entity,
      stored,
      generated: columns.filter(({ generated }) => generated !== undefined),
      keys: isNumbered
        ? [given.length]
        : stored.flatMap(({ name }, at) => entity.$rowKeys.some((key) => key.name === name) ? [at] : []),
      isNumbered,
      hasUnique: tableConstraints(entity, { foreignKeys: false }).length > 0,
    };
    tables.set(entity, table);
  }
  return table;
}

/** The number that SQLite gives to each row, by that of its names which no column has. */
function rowNumber(columns: readonly StoredColumn[]): StoredColumn {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const name = ["rowid", "oid"].find((one) => !taken.has(one)) ?? "_rowid_";
  return { name, type: "INTEGER", notNull: false };
}

/** The affinity of a column, by the rules of SQLite (datatype3, section 3.1). */
function affinity({ type }: StoredColumn): "blob" | "integer" | "numeric" | "real" | "text" {
  if (/INT/.test(type)) return "integer";
  if (/CHAR|CLOB|TEXT/.test(type)) return "text";
  if (/BLOB/.test(type)) return "blob";
  return /REAL|FLOA|DOUB/.test(type) ? "real" : "numeric";
}

/**
 * A value of a row in JSON.
 *
 * @param value as drivers bind it
 */
export function toWire(value: SqlValue): WireValue {
  if (typeof value === "bigint") return value.toString();
  if (value === Infinity || value === -Infinity) return value > 0 ? INFINITE : `-${INFINITE}`;
  if (!(value instanceof Uint8Array)) return value;
  return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
}

/**
 * SQL that reads a column in the form it has in JSON.
 *
 * @param column a column
 * @returns the expression
 */
export function wireText(column: StoredColumn): string {
  const name = quote(column.name);
  switch (affinity(column)) {
    case "blob":
      return `iif(${name} is null, null, hex(${name}))`;
    case "real":
      return `iif(${name} in (${INFINITE}, -${INFINITE}), iif(${name} > 0, '${INFINITE}', '-${INFINITE}'), ${name})`;
    case "integer":
    case "numeric":
      return D1_DIALECT.functions.$safe_integer(name)!;
  }
  return name;
}

/**
 * SQL that makes a value of JSON one of a column.
 *
 * @param column a column
 * @param json the expression of the value
 */
export function columnText(column: StoredColumn, json: string): string {
  const kind = affinity(column);
  if (kind === "real") return `iif(${json} = 'NaN', 'NaN', cast(${json} as real))`;
  return kind === "blob" ? `unhex(${json})` : `cast(${json} as ${kind})`;
}

/**
 * SQL of a text that changes when a row does, whatever the types of its values.
 *
 * @param table whose rows
 */
export function fingerprint({ stored }: StoredTable): string {
  return concatenated(stored.map(({ name }) => `quote(${quote(name)})`));
}

/** Halves of halves: the depth of expressions is limited. */
function concatenated(parts: readonly string[]): string {
  if (parts.length === 1) return parts[0];
  const middle = parts.length >> 1;
  return `(${concatenated(parts.slice(0, middle))} || ',' || ${concatenated(parts.slice(middle))})`;
}
