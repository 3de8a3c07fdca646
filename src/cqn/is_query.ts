/**
 * Telling queries and expressions apart.
 *
 * @module
 */

import type {
  EntityRef,
  Expression,
  Query,
  RefExpression,
  SchemaQuery,
  SelectQuery,
  SetQuery,
  Source,
} from "./cqn.ts";
import { noteUse } from "./query_runner.ts";

/** The property that holds the body of a query and tells its kind. */
type QueryKind = "SELECT" | "SET" | "INSERT" | "UPSERT" | "UPDATE" | "DELETE";

const EXPRESSION_KEYS: readonly string[] = ["ref", "xpr", "func", "val", "list", "#"];

/** The kind of a query, undefined for anything that is none. */
function queryKind(value: unknown): QueryKind | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const bodies = value as Partial<Readonly<Record<QueryKind, unknown>>>;
  if (typeof bodies.SELECT === "object") return "SELECT";
  if (typeof bodies.UPDATE === "object") return "UPDATE";
  if (typeof bodies.INSERT === "object") return "INSERT";
  if (typeof bodies.DELETE === "object") return "DELETE";
  if (typeof bodies.UPSERT === "object") return "UPSERT";
  return typeof bodies.SET === "object" ? "SET" : undefined;
}

/** Whether a value is a query: plain CQN or a builder. */
export function isQuery(value: unknown): value is Query {
  return queryKind(value) !== undefined;
}

/** Whether a value creates or drops tables. */
export function isSchemaQuery(value: unknown): value is SchemaQuery {
  return typeof value === "object" && value !== null && ("CREATE" in value || "DROP" in value);
}

/** Whether a value is a SELECT. */
export function isSelect(value: unknown): value is SelectQuery {
  return queryKind(value) === "SELECT";
}

/** Whether a value is a UNION, INTERSECT or EXCEPT. */
export function isSet(value: unknown): value is SetQuery {
  return queryKind(value) === "SET";
}

/** Whether a value is a path or a parameter. */
export function isRef(value: unknown): value is RefExpression {
  return typeof value === "object" && value !== null && Array.isArray((value as { ref?: unknown }).ref);
}

/** Whether an object is an expression made of others: operators or a call. */
export function isOperation(value: object): boolean {
  return "xpr" in value || "func" in value;
}

/** Whether a value is an expression object (CXN), subqueries included. */
export function isExpression(value: unknown): value is Expression {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const node = value as Record<string, unknown>;
  const kind = queryKind(value);
  if (kind === "SELECT" || kind === "SET") return true;
  const key = EXPRESSION_KEYS.find((name) => Object.hasOwn(node, name));
  if (key === "ref" || key === "xpr" || key === "list") return Array.isArray(node[key]);
  if (key === "func" || key === "#") return typeof node[key] === "string";
  return key === "val";
}

/**
 * The path a query reads from or writes to; undefined for joins, subqueries and set operations.
 *
 * @param query any query
 */
export function queryTarget(query: Query): RefExpression | undefined {
  const source = querySource(query);
  if (typeof source === "string") return { ref: [source] };
  return isRef(source) ? source : undefined;
}

/**
 * What a query reads from or writes to; undefined for set operations.
 *
 * @param query any query
 */
export function querySource(query: Query): EntityRef | Source | undefined {
  if ("SELECT" in query) return query.SELECT.from;
  if ("INSERT" in query) return query.INSERT.into;
  if ("UPSERT" in query) return query.UPSERT.into;
  if ("UPDATE" in query) return query.UPDATE.entity;
  return "DELETE" in query ? query.DELETE.from : undefined;
}

/**
 * Refuses what is no query, and a builder that was not told an entity.
 *
 * @param value what is to run
 * @throws TypeError otherwise
 */
export function assertQuery(value: unknown): asserts value is Query {
  if (!isQuery(value)) {
    const found = value === null ? "null" : typeof value;
    throw new TypeError(
      `A query with SELECT, INSERT, UPSERT, UPDATE or DELETE is expected, but found ${found}`,
    );
  }
  noteUse(value);
  const source = "SELECT" in value ? value.SELECT.from : "SET" in value ? value : queryTarget(value);
  if (!source || (isRef(source) && !source.ref[0])) {
    throw new TypeError("The query names no entity: .from(…), .into(…) or .entity(…) is missing");
  }
}
