/**
 * Errors of PostgreSQL as errors clients may see.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedModel } from "../../model/linked.ts";
import {
  computedTooLong,
  constraintViolation,
  divisionByZero,
  outOfRange,
  TOO_LONG as JOINED_TOO_LONG,
  unavailable,
  unknownFunction,
} from "../statement_errors.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { sqlName } from "../sql_name.ts";
import { ConnectionError } from "./open_connection.ts";
import { StaleStatementError } from "./prepared_texts.ts";

/** What the driver throws; the members are those of the protocol. */
interface DriverError extends Error {
  readonly code: string;
  readonly detail?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

/**
 * SQLSTATE of what a request of the client caused: no such date, a pattern, a query beyond the bounds of the engine.
 */
const BAD_VALUES: ReadonlySet<string> = new Set([
  "22007",
  "22008",
  "22021",
  "22P02",
  "22P05",
  "22019",
  "22025",
  "2201B",
  "54000",
  "54001",
  "54011",
  "54023",
]);

const DIVISION_BY_ZERO = "22012";
const TOO_LONG = "22001";
const NO_NUMBER = "22P02";
const JOINED = new RegExp(`"${JOINED_TOO_LONG} (\\d+)"`);
const OUT_OF_RANGE = "22003";

/** SQLSTATE of unknown functions, and of operators that the types beside them do not have. */
const UNDEFINED_FUNCTION = "42883";
const UNKNOWN = /^function (\w+)\(/;

/** Numbers of clients that are none: the code is that of any missing feature. */
const NO_INTEGER = /^cannot convert (?:NaN|-?infinity) to/;

/** Operands whose types do not go together have the same state as functions that do not exist. */
const NO_OPERATOR = /^operator does not exist/;
/** SQLSTATE of a value beside others of several types. */
const NO_ONE_TYPE = "42P08";
/** SQLSTATE of what the server lacks: memory, room, or files that it can read. */
const LACKING = /^5[38]/;
/** SQLSTATE of writes to a replica, as a server is that is about to be replaced. */
const READ_ONLY = "25006";
/** SQLSTATE of a server behind the server that cannot be reached. */
const UNREACHABLE = /^08/;

/**
 * The error to throw for what the driver threw.
 *
 * @param error what was thrown
 * @param model gives the names of entities and elements
 * @returns a `ServiceError` for violated constraints (409, 400), values the database refuses (400), unknown functions (501),
 *   conflicts (409), a database that cannot be reached or lacks what it needs (503), statements that took too long (504); the error itself otherwise
 */
export function postgresError(error: unknown, model: LinkedModel): unknown {
  if (error instanceof StaleStatementError) {
    const message =
      "The tables have changed meanwhile, and the transaction was rolled back; repeat the request";
    return new ServiceError({ status: 503, retryAfter: 1, message, cause: error.cause });
  }
  if (!(error instanceof Error) || typeof (error as DriverError).code !== "string") return error;
  const cause = error as DriverError;
  switch (cause.code) {
    case "23505":
      return cause.constraint?.endsWith("_pkey")
        ? constraintViolation("key", { cause, entity: entityName(cause, model) })
        : constraintViolation("unique", { cause, columns: columnsOf(cause) });
    case "23503":
      return constraintViolation("foreignKey", { cause });
    case "57014":
      return new ServiceError({ status: 504, code: "HANDLER_TIMEOUT", $sanitize: false, cause });
    case "23502":
      return constraintViolation("null", { cause, columns: columnsOf(cause) });
    case "40001":
    case "40P01":
    case "55P03":
      return new ServiceError({ status: 409, cause });
  }
  const [, most] = cause.code === NO_NUMBER ? JOINED.exec(cause.message) ?? [] : [];
  if (most !== undefined) return computedTooLong(Number(most));
  if (cause.code === DIVISION_BY_ZERO) return divisionByZero(cause);
  if (cause.code === TOO_LONG || cause.code === OUT_OF_RANGE) return outOfRange(cause);
  const [, unknown] = cause.code === UNDEFINED_FUNCTION ? UNKNOWN.exec(cause.message) ?? [] : [];
  if (unknown !== undefined) return unknownFunction(unknown, cause);
  const isApart = cause.code === UNDEFINED_FUNCTION && NO_OPERATOR.test(cause.message);
  if (isApart || cause.code === NO_ONE_TYPE) {
    return new ServiceError({ status: 400, message: "Values of different types are compared", cause });
  }
  if (BAD_VALUES.has(cause.code) || NO_INTEGER.test(cause.message)) {
    return new ServiceError({ status: 400, cause });
  }
  if (cause.code === READ_ONLY) return unavailable("readOnly", cause);
  if (LACKING.test(cause.code) && !(error instanceof ConnectionError)) {
    return unavailable(cause.code.startsWith("53") ? "room" : "storage", cause);
  }
  return error instanceof ConnectionError || UNREACHABLE.test(cause.code)
    ? new ServiceError({ status: 503, message: "The database does not answer", cause })
    : error;
}

/** `Key (name, city)=(a, b) already exists.` */
function columnsOf({ column: column, detail }: DriverError): string[] {
  if (column !== undefined) return [column];
  const [, list = ""] = /^Key \((.*?)\)=/.exec(detail ?? "") ?? [];
  return list.split(",").map((name) => name.trim().replace(/^"|"$/g, "")).filter((name) => name !== "");
}

function entityName({ table: table = "" }: DriverError, model: LinkedModel): string {
  return persistentEntities(model).find((entity) => sqlName(entity) === table)?.name ?? table;
}
