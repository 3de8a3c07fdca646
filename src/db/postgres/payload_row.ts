/**
 * The JSON of a row from its values: for one row the database takes longer to write JSON than to give values, and this
 * process no longer to write it.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { mayBeNoNumber } from "./database_values.ts";

/** A column of a result as the driver describes it. */
export interface ResultColumn {
  readonly name: string;
  /** Its type, as number. */
  readonly dataTypeID: number;
}

/**
 * A row in payload form.
 *
 * @param row the values as the driver gives them: numbers that JavaScript cannot hold are text
 * @param columns the columns of the result
 */
export function payloadRow(row: Row, columns: readonly ResultColumn[]): string {
  // each row comes here: by index nothing is allocated
  for (let i = 0; i < columns.length; i++) {
    const { name, dataTypeID } = columns[i]!;
    if (mayBeNoNumber(dataTypeID) && !isJsonNumber(row[name])) return written(row, columns);
  }
  return JSON.stringify(row);
}

function isJsonNumber(value: unknown): boolean {
  return value === null || Number.isFinite(value);
}

function written(row: Row, columns: readonly ResultColumn[]): string {
  const members = columns.map(({ name, dataTypeID }) => {
    const value = row[name];
    const text = mayBeNoNumber(dataTypeID) ? numberText(value) : JSON.stringify(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(",")}}`;
}

/** Digits stay as they are; what is no number of JSON has a name (JSON Format 7.1). */
function numberText(value: unknown): string {
  if (value === Infinity) return '"INF"';
  if (value === -Infinity) return '"-INF"';
  return Number.isNaN(value) ? '"NaN"' : String(value);
}
