/**
 * Queued work in order, for engines where one transaction writes at a time (`messaging` 6).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { DatabaseTransaction } from "../../service/database.ts";

/**
 * Inserts a row with the next number in `seq`: rows are in the order of their transactions.
 *
 * @param tx a transaction
 * @param entity name of the entity
 * @param row its other values
 */
export async function enqueueRow(tx: DatabaseTransaction, entity: string, row: Row): Promise<void> {
  const from = { ref: [entity] };
  const columns = [{ func: "max", args: [{ ref: ["seq"] }], as: "seq" }];
  // the lock is taken first: no other transaction can take the same number
  const last = await tx.run({ SELECT: { from, columns, one: true, forUpdate: {} } }) as Row | null;
  await tx.run({ INSERT: { into: entity, entries: [{ ...row, seq: Number(last?.seq ?? 0) + 1 }] } });
}
