/**
 * Checks at the beginning of a batch: what was read before still holds.
 *
 * @module
 */

import type { SqlValue } from "../write/sql_value.ts";
import type { SqlStatement } from "./sql_driver.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { constraintViolation, outOfRange, unknownFunction } from "../statement_errors.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { sqlName } from "../sql_name.ts";

/**
 * A statement that fails unless a condition is true: `json_extract` refuses a path that does not start with `$`.
 *
 * @param condition SQL
 * @param values those of its placeholders
 */
export function conflictCheck(condition: string, values: readonly SqlValue[] = []): SqlStatement {
  return { sql: `SELECT json_extract('{}', iif(${condition}, '$', '${CONFLICT}'))`, values };
}

/** What the check of a commit fails with when others have changed the same rows. */
const CONFLICT = "fw_conflict";

const VIOLATION = /(UNIQUE|NOT NULL|FOREIGN KEY) constraint failed(?:: ([^:]*))?/;
const UNKNOWN = /(?:no such function: |wrong number of arguments to function )(\w+)/;
/** Bounds of the platform that a query reaches: joins, depth, values, columns, bytes; what it refuses. */
const REFUSED =
  /ESCAPE expression must be a single character|at most \d+ tables in a join|Expression tree is too large|parser stack overflow|too many (?:SQL variables|terms|columns|arguments)|string or blob too big|too complex|Statement too long/;
/** The text of the error for calculated integers, and for values that columns would not hold. */
const OVERFLOW = /integer overflow/;

/**
 * The error to throw for what the platform threw, which is known by its text only.
 *
 * @param error what was thrown
 * @param model gives the names of entities and elements
 * @returns a `ServiceError` for violated constraints (409, 400), rows that others have changed (409), unknown functions
 *   (501) and queries beyond the bounds of the platform (400); the error itself otherwise
 */
export function d1Error(error: unknown, model: LinkedModel): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error;
  if (error.message.includes(CONFLICT)) return new ServiceError({ status: 409, cause });
  const [, unknown] = UNKNOWN.exec(error.message) ?? [];
  if (unknown !== undefined) return unknownFunction(unknown, cause);
  if (OVERFLOW.test(error.message)) return outOfRange(cause);
  if (REFUSED.test(error.message)) return new ServiceError({ status: 400, cause });
  const [, kind, list = ""] = VIOLATION.exec(error.message) ?? [];
  const columns = list.split(",").map((column) => column.trim());
  const names = columns.map((column) => column.slice(column.indexOf(".") + 1));
  switch (kind) {
    case "UNIQUE": {
      const entity = entityOf(columns[0], model);
      return entity && isKey(entity, names)
        ? constraintViolation("key", { cause, entity: entity.name })
        : constraintViolation("unique", { cause, columns: names });
    }
    case "NOT NULL":
      return constraintViolation("null", { cause, columns: names });
    case "FOREIGN KEY":
      return constraintViolation("foreignKey", { cause });
  }
  return error;
}

function entityOf(column: string, model: LinkedModel): LinkedEntity | undefined {
  const [table] = column.split(".");
  return persistentEntities(model).find((entity) => sqlName(entity) === table);
}

function isKey({ $rowKeys: keys }: LinkedEntity, columns: readonly string[]): boolean {
  return keys.length === columns.length && keys.every(({ name }) => columns.includes(name));
}
