/**
 * INSERT, UPSERT, UPDATE and DELETE on an engine.
 *
 * @module
 */

import type {
  DeleteQuery,
  InsertQuery,
  InsertResult,
  QueryParams,
  Row,
  UpdateQuery,
  UpsertQuery,
} from "../../cqn/cqn.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { deleteRows, isDeletedAtOnce } from "./delete.ts";
import { insertRows } from "./insert.ts";
import type { Mark, StatementRunner } from "./statement_runner.ts";
import { updateRows, upsertRows } from "./update.ts";

/** A query that writes. */
export type WriteQuery = InsertQuery | UpsertQuery | UpdateQuery | DeleteQuery;

/**
 * Runs a query that writes. One that fails changes nothing, however many statements it has; where it cannot be undone
 * alone, the transaction can only be rolled back.
 *
 * @param runner the transaction
 * @param query the query
 * @param params its parameters
 */
export function runWrite(
  runner: StatementRunner,
  query: WriteQuery,
  params: QueryParams,
): MaybePromise<InsertResult | number> {
  const mark = isOneStatement(runner, query) ? undefined : runner.mark();
  return mark ? asWhole(mark, () => write(runner, query, params)) : write(runner, query, params);
}

/** Rows without parts are written by one statement, which has no effect where it fails. */
function isOneStatement(runner: StatementRunner, query: WriteQuery): boolean {
  if ("DELETE" in query) return isDeletedAtOnce(runner, query);
  if ("INSERT" in query) return query.INSERT.entries?.length === 1 && isFlat(query.INSERT.entries[0]!);
  return "UPDATE" in query && isFlat(query.UPDATE.data ?? {});
}

function isFlat(row: Row): boolean {
  for (const name in row) if (typeof row[name] === "object" && row[name] !== null) return false;
  return true;
}

function asWhole<T>(mark: Mark, run: () => MaybePromise<T>): MaybePromise<T> {
  const undo = (error: unknown): never => {
    mark.undo();
    throw error;
  };
  const release = (result: T): T => {
    mark.release();
    return result;
  };
  let outcome: MaybePromise<T>;
  try {
    outcome = run();
    if (!(outcome instanceof Promise)) return release(outcome);
  } catch (error) {
    return undo(error);
  }
  return outcome.then(release).catch(undo);
}

function write(
  runner: StatementRunner,
  query: WriteQuery,
  params: QueryParams,
): MaybePromise<InsertResult | number> {
  if ("INSERT" in query) return andThen(insertRows(runner, query.INSERT), insertResult);
  if ("UPSERT" in query) return upsertRows(runner, query.UPSERT);
  if ("UPDATE" in query) return updateRows(runner, query, params);
  return deleteRows(runner, query, params);
}

/**
 * The result of an INSERT.
 *
 * @param keys of the rows, by flat name
 */
function insertResult(keys: readonly Row[]): InsertResult {
  return new KeysOfRows(keys);
}

class KeysOfRows implements InsertResult {
  readonly affectedRows: number;
  readonly affected: number;
  readonly #keys: readonly Row[];

  constructor(keys: readonly Row[]) {
    this.affectedRows = this.affected = keys.length;
    this.#keys = keys;
  }

  valueOf(): number {
    return this.affectedRows;
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#keys[Symbol.iterator]();
  }
}
