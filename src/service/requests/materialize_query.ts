import type { Query, QueryParams } from "../../cqn/cqn.ts";
import { DeleteBuilder } from "../../cqn/builders/delete.ts";
import { InsertBuilder, UpsertBuilder } from "../../cqn/builders/insert.ts";
import { QueryBuilder } from "../../cqn/builders/query_builder.ts";
import { SelectBuilder } from "../../cqn/builders/select.ts";
import { UpdateBuilder } from "../../cqn/builders/update.ts";

/**
 * A deep copy of a template in which every parameter is replaced by its value, so that handlers may change it. Row data
 * (`entries`, `data`) keeps its identity: it is `req.data`.
 *
 * @param template a frozen query
 * @param params values of its parameters
 */
export function materializeQuery(template: Query, params: QueryParams): Query {
  const [[kind, body]] = Object.entries(template);
  if (kind === "SELECT" || kind === "SET") return copy(template, params) as Query;
  const members = Object.entries(body as Record<string, unknown>).map(([name, member]) => [
    name,
    ROW_DATA.has(name) ? member : copy(member, params),
  ]);
  return { [kind]: Object.fromEntries(members) } as unknown as Query;
}

const ROW_DATA = new Set(["entries", "data", "values", "rows", "columns"]);

function copy(value: unknown, params: QueryParams): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item, params));
  if (!isPlain(value)) return value;
  if (value.param === true && Array.isArray(value.ref) && value.ref.length === 1) {
    const { ref, param: _param, ...others } = value;
    return { ...others, val: params[String((ref as unknown[])[0])] };
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member, params)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null &&
    (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);
}

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
