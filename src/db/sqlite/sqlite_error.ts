/**
 * Errors of SQLite as errors clients may see.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { sqlName } from "../sql_name.ts";

const PRIMARY_KEY = 1555;
const UNIQUE = 2067;
const ROW_ID = 2579;
const FOREIGN_KEY = 787;
const NOT_NULL = 1299;

/**
 * The error to throw for what SQLite threw.
 *
 * @param error what was thrown
 * @param model gives the names of entities and elements
 * @returns a `ServiceError` for violated constraints, the error itself otherwise
 */
export function sqliteError(error: unknown, model: LinkedModel): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  switch (error.errcode) {
    case PRIMARY_KEY:
    case ROW_ID:
      return violation(409, "ENTITY_ALREADY_EXISTS", { cause: error, args: [entityName(error, model)] });
    case UNIQUE:
      return violation(409, "UNIQUE_CONSTRAINT_VIOLATION", { cause: error, target: singleColumn(error) });
    case FOREIGN_KEY:
      return violation(400, "FK_CONSTRAINT_VIOLATION", { cause: error });
    case NOT_NULL:
      return violation(400, "ASSERT_NOT_NULL", { cause: error, target: singleColumn(error) });
  }
  return error;
}

function violation(
  status: number,
  code: string,
  others: { readonly cause: unknown; readonly target?: string; readonly args?: readonly unknown[] },
): ServiceError {
  const { target, args, cause } = others;
  return new ServiceError({
    status,
    code,
    message: code,
    cause,
    ...(target && { target }),
    ...(args && { args }),
  });
}

/** `UNIQUE constraint failed: my_Books.isbn` */
function columnsOf({ message }: Error): string[] {
  return message.slice(message.lastIndexOf("failed:") + 7).split(",").map((column) => column.trim());
}

function singleColumn(error: Error): string | undefined {
  const columns = columnsOf(error);
  return columns.length === 1 ? columns[0].slice(columns[0].indexOf(".") + 1) : undefined;
}

function entityName(error: Error, model: LinkedModel): string {
  const [table] = columnsOf(error)[0].split(".");
  return persistentEntities(model).find((entity) => sqlName(entity) === table)?.name ?? table;
}
