/**
 * What an INSERT gives.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import type { InsertResult } from "../service/database.ts";

/**
 * The result of an INSERT or UPSERT.
 *
 * @param keys of the rows, by flat name
 */
export function insertResult(keys: readonly Row[]): InsertResult {
  return {
    affectedRows: keys.length,
    valueOf: () => keys.length,
    [Symbol.iterator]: () => keys[Symbol.iterator](),
  };
}
