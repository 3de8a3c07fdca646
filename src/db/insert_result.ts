/**
 * What an INSERT gives.
 *
 * @module
 */

import type { InsertResult, Row } from "../cqn/cqn.ts";

/**
 * The result of an INSERT.
 *
 * @param keys of the rows, by flat name
 */
export function insertResult(keys: readonly Row[]): InsertResult {
  return new KeysOfRows(keys);
}

class KeysOfRows implements InsertResult {
  readonly affectedRows: number;
  readonly affected: number;
  readonly #keys: readonly Row[];

  constructor(keys: readonly Row[]) {
    this.affectedRows = this.affected = keys.length;
    this.#keys = keys;
  }

  valueOf(): number {
    return this.affectedRows;
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#keys[Symbol.iterator]();
  }
}
