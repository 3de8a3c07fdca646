/**
 * Checks at the beginning of a batch: what was read before still holds.
 *
 * @module
 */

import type { SqlValue } from "../write/sql_value.ts";
import { CONFLICT } from "./d1_error.ts";
import type { SqlStatement } from "./sql_driver.ts";

/**
 * A statement that fails unless a condition is true: `json_extract` refuses a path that does not start with `$`.
 *
 * @param condition SQL
 * @param values those of its placeholders
 */
export function conflictCheck(condition: string, values: readonly SqlValue[] = []): SqlStatement {
  return { sql: `SELECT json_extract('{}', iif(${condition}, '$', '${CONFLICT}'))`, values };
}
