/**
 * Errors of SQLite as errors clients may see.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { constraintViolation, outOfRange, unavailable, unknownFunction } from "../statement_errors.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { sqlName } from "../sql_name.ts";

const PRIMARY_KEY = 1555;
const UNIQUE = 2067;
const ROW_ID = 2579;
const FOREIGN_KEY = 787;
const NOT_NULL = 1299;
/** Primary codes, the lowest byte of all codes, of what has nothing to do with the statement. */
const UNAVAILABLE: ReadonlyMap<number, "busy" | "storage" | "room"> = new Map([
  [5, "busy"],
  [10, "storage"],
  [13, "room"],
]);
const UNKNOWN = /^(?:no such function: |wrong number of arguments to function )(\w+)/;
/** Bounds of the engine that a query reaches: joins, depth, values, columns; and what it refuses. */
const REFUSED =
  /^(?:ESCAPE expression must be a single character|at most \d+ tables in a join|Expression tree is too large|parser stack overflow|too many (?:SQL variables|terms|columns))/;
/** The text of the error for calculated integers, and for values that columns would not hold. */
const OVERFLOW = "integer overflow";

/**
 * The error to throw for what SQLite threw.
 *
 * @param error what was thrown
 * @param model gives the names of entities and elements
 * @returns a `ServiceError` for violated constraints, unknown functions (501) and queries beyond the bounds of the
 *   engine, 503 where the database is locked or its disk is full or broken, the error itself otherwise
 */
export function sqliteError(error: unknown, model: LinkedModel): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  const cause = error;
  switch (error.errcode) {
    case PRIMARY_KEY:
    case ROW_ID:
      return constraintViolation("key", { cause, entity: entityName(error, model) });
    case UNIQUE:
      return constraintViolation("unique", { cause, columns: columnsOf(error).map(withoutTable) });
    case FOREIGN_KEY:
      return constraintViolation("foreignKey", { cause });
    case NOT_NULL:
      return constraintViolation("null", { cause, columns: columnsOf(error).map(withoutTable) });
  }
  const reason = UNAVAILABLE.get(Number(error.errcode) & 0xff);
  if (reason) return unavailable(reason, cause);
  const [, unknown] = UNKNOWN.exec(error.message) ?? [];
  if (unknown !== undefined) return unknownFunction(unknown, cause);
  if (error.message === OVERFLOW) return outOfRange(cause);
  return REFUSED.test(error.message) ? new ServiceError({ status: 400, cause }) : error;
}

/** `UNIQUE constraint failed: my_Books.isbn` */
function columnsOf({ message }: Error): string[] {
  return message.slice(message.lastIndexOf("failed:") + 7).split(",").map((column) => column.trim());
}

function withoutTable(column: string): string {
  return column.slice(column.indexOf(".") + 1);
}

function entityName(error: Error, model: LinkedModel): string {
  const [table] = columnsOf(error)[0].split(".");
  return persistentEntities(model).find((entity) => sqlName(entity) === table)?.name ?? table;
}
