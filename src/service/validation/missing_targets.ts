/**
 * The rows that associations lead to must exist (`@assert.target`), and the user must be allowed to read them.
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
  /** The rows that the user may read; undefined for all. */
  readonly permitted?: readonly Xo[];
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
  for (const { entity, keys, path, value, permitted } of checks) {
    const key = Object.entries(keys).flatMap(([name, val], index): Xo[] => [
      ...(index === 0 ? [] : ["and"]),
      { ref: [name] },
      "=",
      { val: val as string },
    ]);
    const where = permitted ? [{ xpr: key }, "and", { xpr: permitted }] : key;
    const query: Query = {
      SELECT: {
        one: true,
        from: { ref: [entity.name] },
        history: true,
        columns: [{ val: 1, as: "found" }],
        where,
      },
    };
    const row = await db.run(query);
    if (row === null || row === undefined) {
      errors.push({ status: 400, code: "ASSERT_TARGET", target: path, args: [value] });
    }
  }
  return errors;
}
