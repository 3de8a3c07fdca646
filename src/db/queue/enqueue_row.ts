/**
 * Queued work in order, for engines where one transaction writes at a time (`messaging` 6).
 *
 * @module
 */

import type { Row, SelectQuery } from "../../cqn/cqn.ts";
import type { DatabaseTransaction } from "../../service/database.ts";

/**
 * Inserts a row with the next number in `seq`: rows are in the order of their transactions.
 *
 * @param tx a transaction that writes nothing else meanwhile
 * @param entity name of the entity
 * @param row its other values
 */
export async function enqueueRow(
  tx: Pick<DatabaseTransaction, "run">,
  entity: string,
  row: Row,
): Promise<void> {
  // the lock is taken first: no other transaction can take the same number
  const last = await tx.run(lastNumber(entity)) as Row | null;
  await tx.run({ INSERT: { into: entity, entries: [{ ...row, seq: Number(last?.seq ?? 0) + 1 }] } });
}

/** Templates, so that engines compile them once. */
const TEMPLATES: Map<string, SelectQuery> = new Map();

function lastNumber(entity: string): SelectQuery {
  let template = TEMPLATES.get(entity);
  if (template === undefined) {
    const columns = [{ func: "max", args: [{ ref: ["seq"] }], as: "seq" }];
    const SELECT = { from: { ref: [entity] }, columns, one: true as const, forUpdate: {} };
    TEMPLATES.set(entity, template = Object.freeze({ SELECT }));
  }
  return template;
}
