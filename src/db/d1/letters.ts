/**
 * The table of letters beyond ASCII in both cases.
 *
 * @module
 */

import type { SqlStatement } from "./sql_driver.ts";

/** Name of the table. */
export const LETTERS = "fw_letters";

const LAST_LETTER = 0x1ffff;

/**
 * The statements that create and fill the table.
 */
export function letterStatements(): readonly SqlStatement[] {
  return [
    {
      sql: `CREATE TABLE IF NOT EXISTS "${LETTERS}" ` +
        `("letter" TEXT PRIMARY KEY, "lower" TEXT NOT NULL, "upper" TEXT NOT NULL) WITHOUT ROWID`,
      values: [],
    },
    {
      sql: `INSERT OR REPLACE INTO "${LETTERS}" ` +
        "SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
      values: [JSON.stringify(letters())],
    },
  ];
}

function letters(): readonly (readonly string[])[] {
  const rows: string[][] = [];
  for (let point = 0x80; point <= LAST_LETTER; point++) {
    const letter = String.fromCodePoint(point);
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    if (lower !== letter || upper !== letter) rows.push([letter, lower, upper]);
  }
  return rows;
}
