/**
 * The query of a request with the methods of the builders (`req.query.where(…)`).
 *
 * @module
 */

import { DeleteBuilder } from "../../cqn/builders/delete.ts";
import { InsertBuilder, UpsertBuilder } from "../../cqn/builders/insert.ts";
import { QueryBuilder } from "../../cqn/builders/query_builder.ts";
import { SelectBuilder } from "../../cqn/builders/select.ts";
import { UpdateBuilder } from "../../cqn/builders/update.ts";
import type { Query } from "../../cqn/cqn.ts";

/**
 * A builder with the body of a query; clauses may be replaced without changing the query given.
 *
 * @param query plain CQN or a builder, which is returned itself
 */
export function fluentQuery(query: Query): Query {
  if (query instanceof QueryBuilder) return query;
  if ("SELECT" in query) return new SelectBuilder(query.SELECT);
  if ("INSERT" in query) return withBody(new InsertBuilder(), query.INSERT, "INSERT");
  if ("UPSERT" in query) return withBody(new UpsertBuilder(), query.UPSERT, "UPSERT");
  if ("UPDATE" in query) return withBody(new UpdateBuilder(), query.UPDATE, "UPDATE");
  if ("DELETE" in query) return withBody(new DeleteBuilder(), query.DELETE, "DELETE");
  return query;
}

function withBody<K extends string, B extends { readonly [kind in K]: object }>(
  builder: B,
  body: object,
  kind: K,
): B {
  Object.assign(builder[kind], body);
  return builder;
}
