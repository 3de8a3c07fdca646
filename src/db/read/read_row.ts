/**
 * Values of result rows as JavaScript has them.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { BinaryForms } from "../../service/database.ts";
import { decodeBase64, encodeBase64 } from "../../util/bytes.ts";
import { countName } from "../passes/expand.ts";
import type { NestedOutput, OutputColumn } from "../passes/scope.ts";
import { plainDecimal } from "../../util/plain_decimal.ts";

/** Changes the value of a column in a row from the database. */
type Reader = (row: Row) => void;

/**
 * What rows of a result go through; nothing where all values come as they should.
 *
 * @param columns the columns of the query
 * @param options `nested` values come from JSON text
 */
export function rowReaders(columns: readonly OutputColumn[], options: ReadOptions): readonly Reader[] {
  return columns.flatMap((column) => readerOf(column, options) ?? []);
}

/** How rows are read. */
export interface ReadOptions {
  /** Their values come from JSON text. */
  readonly nested: boolean;
  /** What bytes become; default: base64. */
  readonly binaries?: BinaryForms;
}

function readerOf(column: OutputColumn, options: ReadOptions): Reader | undefined {
  const { name, type, element, nested } = column;
  const { nested: inJson, binaries } = options;
  if (nested) return nestedReader(name, nested, options);
  if (binaries && !element?.$type.items && (type === "cds.Binary" || type === "cds.LargeBinary")) {
    const formed = type === "cds.Binary" ? binaries.bytes : binaries.stream;
    return replace(
      name,
      (value) => formed(value instanceof Uint8Array ? value : decodeBase64(String(value))),
    );
  }
  if (element?.$type.items || type === "cds.Map") {
    return inJson
      ? undefined
      : replace(name, (value) => typeof value === "string" ? JSON.parse(value) : value);
  }
  if (type === "cds.Double") return replace(name, doubleOf);
  if (inJson) return undefined;
  switch (type) {
    case "cds.Boolean":
      return replace(name, (value) => value !== 0 && value !== false);
    case "cds.DateTime":
      return replace(name, (value) => typeof value === "string" ? value.replace(/\.\d+/, "") : value);
    case "cds.Binary":
    case "cds.LargeBinary":
      return replace(name, (value) => value instanceof Uint8Array ? encodeBase64(value) : value);
  }
  return undefined;
}

/**
 * Makes texts of the numbers that JavaScript may round: those of Decimal and Int64.
 *
 * @param columns the columns of the query
 */
export function exactReaders(columns: readonly OutputColumn[]): readonly Reader[] {
  return columns.flatMap(({ name, type, element, nested }) => {
    if (nested) return nestedExactReader(name, nested) ?? [];
    if (type === "cds.Int64" || type === "cds.Integer64") return replace(name, exactText);
    if (type !== "cds.Decimal") return [];
    const scale = element?.$type.scale;
    return replace(
      name,
      (value) => typeof scale === "number" ? withScale(value, scale) : exactText(value),
    );
  });
}

function nestedExactReader(name: string, { columns }: NestedOutput): Reader | undefined {
  const readers = exactReaders(columns);
  if (readers.length === 0) return undefined;
  return (row) => {
    for (const item of [row[name] ?? []].flat() as Row[]) for (const read of readers) read(item);
  };
}

function exactText(value: unknown): string {
  return plainDecimal(String(value));
}

/** A decimal with as many digits behind the point as its type has. */
function withScale(value: unknown, scale: number): string {
  const [whole, fraction = ""] = exactText(value).split(".");
  return scale === 0 ? whole : `${whole}.${fraction.slice(0, scale).padEnd(scale, "0")}`;
}

/** Numbers that JSON does not have, by the texts that stand for them. */
const NO_JSON_NUMBERS: ReadonlyMap<unknown, number> = new Map([
  ["INF", Infinity],
  ["-INF", -Infinity],
  ["NaN", NaN],
]);

function doubleOf(value: unknown): unknown {
  return typeof value === "string" ? NO_JSON_NUMBERS.get(value) ?? value : value;
}

function replace(name: string, read: (value: unknown) => unknown): Reader {
  return (row) => {
    const value = row[name];
    if (value !== null) row[name] = read(value);
  };
}

function nestedReader(name: string, nested: NestedOutput, { nested: inJson, binaries }: ReadOptions): Reader {
  const readers = rowReaders(nested.columns, { nested: true, binaries });
  const count = countName(name);
  return (row) => {
    const text = row[name];
    const value = inJson || typeof text !== "string" ? text : JSON.parse(text);
    const rows = (Array.isArray(value) ? value : value ? [value] : []) as Row[];
    for (const item of rows) for (const read of readers) read(item);
    row[name] = value;
    if (!nested.counted) return;
    (value as { $count?: number }).$count = Number(row[count]);
    delete row[count];
  };
}
