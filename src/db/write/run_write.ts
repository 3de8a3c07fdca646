/**
 * INSERT, UPSERT, UPDATE and DELETE on an engine.
 *
 * @module
 */

import type { DeleteQuery, InsertQuery, QueryParams, UpdateQuery, UpsertQuery } from "../../cqn/cqn.ts";
import type { InsertResult } from "../../service/database.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { insertResult } from "../insert_result.ts";
import { deleteRows } from "./delete.ts";
import { insertRows } from "./insert.ts";
import type { StatementRunner } from "./statement_runner.ts";
import { updateRows, upsertRows } from "./update.ts";

/**
 * Runs a query that writes.
 *
 * @param runner the transaction
 * @param query the query
 * @param params its parameters
 */
export function runWrite(
  runner: StatementRunner,
  query: InsertQuery | UpsertQuery | UpdateQuery | DeleteQuery,
  params: QueryParams,
): MaybePromise<InsertResult | number> {
  if ("INSERT" in query) return andThen(insertRows(runner, query.INSERT), insertResult);
  if ("UPSERT" in query) return upsertRows(runner, query.UPSERT).then(insertResult);
  if ("UPDATE" in query) return updateRows(runner, query, params);
  return deleteRows(runner, query, params);
}
