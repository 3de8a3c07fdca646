/**
 * `@assert.target`: the rows that associations lead to must exist.
 *
 * @module
 */

import type { Query, Row, Xo } from "../../cqn/cqn.ts";
import type { ErrorProperties } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";

/** A row that must exist. */
export interface TargetCheck {
  readonly entity: LinkedEntity;
  /** Its keys by flat name. */
  readonly keys: Row;
  /** What the error is reported against. */
  readonly path: string;
  /** The value that was sent. */
  readonly value: unknown;
}

/**
 * The errors of targets that do not exist.
 *
 * @param checks what must exist
 * @param db the database; without one nothing is checked
 */
export async function missingTargets(
  checks: readonly TargetCheck[],
  db: { run(query: Query): Promise<unknown> } | undefined,
): Promise<readonly ErrorProperties[]> {
  const errors: ErrorProperties[] = [];
  if (!db) return errors;
  for (const { entity, keys, path, value } of checks) {
    const where = Object.entries(keys).flatMap(([name, val], index): Xo[] => [
      ...(index === 0 ? [] : ["and"]),
      { ref: [name] },
      "=",
      { val: val as string },
    ]);
    const query: Query = {
      SELECT: { one: true, from: { ref: [entity.name] }, columns: [{ val: 1, as: "found" }], where },
    };
    const row = await db.run(query);
    if (row === null || row === undefined) {
      errors.push({ status: 400, code: "ASSERT_TARGET", target: path, args: [value] });
    }
  }
  return errors;
}
