/**
 * INSERT, UPSERT, UPDATE and DELETE on an engine.
 *
 * @module
 */

import type { DeleteQuery, InsertQuery, QueryParams, UpdateQuery, UpsertQuery } from "../../cqn/cqn.ts";
import type { InsertResult } from "../../service/database.ts";
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
export async function runWrite(
  runner: StatementRunner,
  query: InsertQuery | UpsertQuery | UpdateQuery | DeleteQuery,
  params: QueryParams,
): Promise<InsertResult | number> {
  if ("INSERT" in query) return insertResult(await insertRows(runner, query.INSERT));
  if ("UPSERT" in query) return insertResult(await upsertRows(runner, query.UPSERT));
  if ("UPDATE" in query) return await updateRows(runner, query, params);
  return await deleteRows(runner, query, params);
}
