/**
 * INSERT and UPSERT with their rows as objects, which handlers find in `req.data`.
 *
 * @module
 */

import type { InsertBody, Query, QueryParams, Row } from "../../cqn/cqn.ts";
import { entriesOf, selectedEntries } from "../../cqn/entries_of.ts";
import { assertQuery } from "../../cqn/is_query.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Statement } from "./service_request.ts";

/** What reads the rows of a query. */
interface RowSource {
  run(query: Query, params?: QueryParams): Promise<unknown>;
}

/**
 * The query with `entries` in place of rows by column, or of a query, which is run. It comes in a statement, as builders
 * run when they are awaited.
 *
 * @param source where a query runs
 * @param statement any query; others are given back as they are
 * @throws TypeError for what is no query, or names no entity
 */
export function withEntries(source: RowSource, statement: Statement): MaybePromise<Statement> {
  const { query, params } = statement;
  assertQuery(query);
  const body = insertBodyOf(query);
  if (body === undefined || body.entries) return statement;
  if (body.from === undefined) return { query: replaced(query, body, entriesOf(body)), params };
  return source.run(body.from, params).then((found) => {
    const rows = [found].flat().filter(Boolean) as Row[]; // what a SELECT gives: rows, or one or none
    return { query: replaced(query, body, selectedEntries(rows, body.columns)) };
  });
}

function insertBodyOf(query: Query): InsertBody | undefined {
  if ("INSERT" in query) return query.INSERT;
  return "UPSERT" in query ? query.UPSERT : undefined;
}

function replaced(query: Query, { into }: InsertBody, entries: readonly Row[]): Query {
  return "INSERT" in query ? { INSERT: { into, entries } } : { UPSERT: { into, entries } };
}
