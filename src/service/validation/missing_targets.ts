/**
 * The rows that associations lead to must exist (`@assert.target`), and the user must be allowed to read them.
 *
 * @module
 */

import { toSteps } from "../../algebra/to_cqn.ts";
import type { Query, RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import { equalities } from "../../cqn/conjunction.ts";
import { type ErrorProperties, ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { type PermittedRows, withAccess } from "../authorization/access.ts";
import type { WayToParts } from "../authorization/ways_to_parts.ts";

/** A row that must exist. */
export interface TargetCheck {
  readonly entity: LinkedEntity;
  /** Its keys by flat name. */
  readonly keys: Row;
  /** What the error is reported against. */
  readonly path: string;
  /** The value that was sent. */
  readonly value: unknown;
  /** The text that the model declares. */
  readonly message?: Pick<ErrorProperties, "$message">;
  /** The rows that the user may read; undefined for all. */
  readonly permitted?: PermittedRows;
  /** The ways to the parts that the row may take over; undefined for no part, and where it may be any. */
  readonly ways?: readonly WayToParts[];
  /** The answer to a user who may not read any row. */
  readonly refusal?: ServiceError;
  /** The row that refers to it, if there is one already, and its foreign keys: they may stay as they are. */
  readonly owner?: {
    readonly row: RefExpression;
    readonly references: Row;
  };
}

/**
 * The errors of targets that do not exist.
 *
 * @param checks what must exist
 * @param db the database; without one nothing is checked
 * @param addressed the row that is changed, if it should be there already
 * @throws ServiceError 401 or 403 for a new reference to an entity that the user may not read, 404 where the row
 *   addressed does not exist
 */
export async function missingTargets(
  checks: readonly TargetCheck[],
  db: Reader | undefined,
  addressed: RefExpression | undefined,
): Promise<readonly ErrorProperties[]> {
  const errors: ErrorProperties[] = [];
  if (!db) return errors;
  for (const check of checks) {
    const { path, value, refusal, owner, message } = check;
    if (!refusal && await isThere(db, check)) continue;
    if (owner && await isFound(db, owner.row, equalities(owner.references))) continue;
    if (refusal) throw refusal;
    errors.push({ status: 400, code: "ASSERT_TARGET", target: path, args: [value], ...message });
  }
  // what a row refers to, or its parts do, says nothing about a row that is not there
  if (errors.length > 0 && addressed && !await isFound(db, addressed, [])) {
    throw new ServiceError({ status: 404 });
  }
  return errors;
}

async function isThere(db: Reader, { entity, keys, permitted, ways }: TargetCheck): Promise<boolean> {
  const own = [withAccess(entity.name, permitted ?? "all")];
  for (const way of ways ?? [own]) {
    if (await isFound(db, { ref: toSteps(way) }, equalities(keys))) return true;
  }
  return false;
}

type Reader = { run(query: Query): Promise<unknown> };

async function isFound(db: Reader, from: RefExpression, where: readonly Xo[]): Promise<boolean> {
  const columns = [{ val: 1, as: "found" }];
  const own = where.length > 0 ? { where } : {};
  const row = await db.run({ SELECT: { one: true, from, history: true, columns, ...own } });
  return row !== null && row !== undefined;
}
