/**
 * Savepoints.
 *
 * @module
 */

import type { Mark } from "../write/statement_runner.ts";
import type { SqliteConnection } from "./connection.ts";

const SAVEPOINT = { sql: "SAVEPOINT query" };
const RELEASE = { sql: "RELEASE query" };
const UNDO = { sql: "ROLLBACK TO query" };

/**
 * Marks the state of the data of a transaction.
 *
 * @param transaction its connection, as long as it has not ended: then others write on it
 */
export function savepoint(transaction: { readonly writer?: SqliteConnection }): Mark {
  transaction.writer!.execute(SAVEPOINT, []);
  const release = () => transaction.writer?.execute(RELEASE, []);
  return {
    release,
    undo: () => {
      if (!transaction.writer) return;
      transaction.writer.execute(UNDO, []);
      release();
    },
  };
}
