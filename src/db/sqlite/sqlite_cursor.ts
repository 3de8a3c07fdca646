import type { Row } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { CursorRow, EngineCursor } from "../../service/row_cursor.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import { cursorClosed } from "../read/cursor_groups.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { constraintViolation, outOfRange, unavailable, unknownFunction } from "../statement_errors.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { sqlName } from "../sql_name.ts";

/** What a cursor is made from. */
export interface SqliteCursorOptions {
  /** The rows of the statement, as they are given away. */
  readonly groups: Iterator<readonly CursorRow[], void>;
  readonly isText: boolean;
  readonly count: number | undefined;
  /** Gives back the connection. */
  readonly release: () => void;
}

/** Holds a statement, and the connection it runs on, until it is closed or at its end. */
export class SqliteCursor implements EngineCursor {
  readonly isText: boolean;
  readonly count: number | undefined;
  #groups: Iterator<readonly CursorRow[], void> | undefined;
  #release: (() => void) | undefined;
  #isAtEnd = false;
  #isDetached = false;

  /** @param options rows, and how they are given away */
  constructor(options: SqliteCursorOptions) {
    this.isText = options.isText;
    this.count = options.count;
    this.#groups = options.groups;
    this.#release = options.release;
  }

  /** Whether it ends with its transaction. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  next(): readonly CursorRow[] {
    if (this.#isAtEnd) return [];
    if (!this.#groups) throw cursorClosed();
    const { done, value } = this.#groups.next();
    if (!done) return value;
    this.#isAtEnd = true;
    this.close();
    return [];
  }

  detach(): void {
    this.#isDetached = true;
  }

  /** Reads the rest into memory and gives back the connection: somebody is about to write on it. */
  drain(): void {
    if (!this.#groups || !this.#release) return;
    const rest: (readonly CursorRow[])[] = [];
    try {
      for (let one = this.#groups.next(); !one.done; one = this.#groups.next()) rest.push(one.value);
      this.#end(rest.values());
    } catch (error) {
      this.#end(failing(rest, error));
    }
  }

  close(): void {
    this.#end(undefined);
  }

  #end(rest: Iterator<readonly CursorRow[], void> | undefined): void {
    const release = this.#release;
    if (release) this.#groups?.return?.();
    this.#groups = rest;
    this.#release = undefined;
    release?.();
  }
}

/** Groups of rows, and what went wrong behind them. */
function* failing(
  groups: readonly (readonly CursorRow[])[],
  error: unknown,
): Generator<readonly CursorRow[], void> {
  yield* groups;
  throw error;
}

/**
 * Groups of rows as handlers expect them: rows of the driver have no prototype.
 *
 * @param groups as the driver gives them
 * @param given what becomes of a row, and the model whose names errors have
 */
export function* readGroups(
  groups: Generator<readonly CursorRow[], void>,
  { readers, model }: { readonly readers: CompiledSelect["readers"]; readonly model: LinkedModel },
): Generator<readonly CursorRow[], void> {
  const read = (found: Row): Row => {
    const row = { ...found };
    for (const one of readers) one(row);
    return row;
  };
  try {
    for (const group of groups) yield group.map((row) => typeof row === "string" ? row : read(row));
  } catch (error) {
    throw sqliteError(error, model);
  }
}

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

/** Whether what SQLite threw says that others have locked the database. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error &&
    UNAVAILABLE.get(Number(error.errcode) & 0xff) === "busy";
}

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
