/**
 * Rows that are counted while an engine in the process itself reads them: it gives all of them at once.
 *
 * @module
 */

import type { TreeSelect } from "../../algebra/tree.ts";
import type { OutputColumn } from "../passes/scope.ts";

/** Bytes of a row that need no look at it: a page of them is no larger than an answer may be. */
const SMALL_ROW = 8 * 1024;
/** Characters of a text without declared length, as the service takes it. */
const DEFAULT_LENGTH = 255;
/** Bytes of what is no text. */
const SMALL_VALUE = 40;

/**
 * Whether rows may hold more than what is usual: texts without bound, nested rows, what is computed.
 *
 * @param columns their columns
 */
export function mayBeLarge(columns: readonly OutputColumn[]): boolean {
  return columns.reduce((bytes, column) => bytes + mostBytes(column), 0) > SMALL_ROW;
}

function mostBytes({ nested, element, type, expression }: OutputColumn): number {
  if (nested || element?.$type.items) return Infinity;
  switch (type) {
    case "cds.String":
    case "cds.Binary":
      return expression.kind === "reference" ? Number(element?.$type.length ?? DEFAULT_LENGTH) : Infinity;
    case "cds.LargeString":
    case "cds.LargeBinary":
    case "cds.Map":
    case undefined:
      return Infinity;
    default:
      return SMALL_VALUE;
  }
}

/**
 * A statement that tells `fw_size` the bytes of each row.
 *
 * @param sql a rendered SELECT
 * @param query what it was rendered from
 */
export function measuredRows(sql: string, { SELECT: { columns = [], limit } }: TreeSelect): string {
  const lengths = columns.flatMap((column) => {
    const name = typeof column === "object" && "as" in column ? column.as : undefined;
    return typeof name === "string" ? [`ifnull(octet_length("${name.replaceAll('"', '""')}"), 0)`] : [];
  });
  if (lengths.length === 0) return sql;
  // a limit keeps the values from being computed twice, and the rows in their order
  const rows = limit ? sql : `${sql} LIMIT -1`;
  return `SELECT * FROM (${rows}) WHERE abs(fw_size(${lengths.join(" + ")}))`;
}
