import type { InsertBody, Query, QueryParams, RefStep, Row, Source } from "../../cqn/cqn.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import type { ServiceRequestProperties, Statement } from "./service_request.ts";
import { stepName, stepsTo } from "../../cqn/steps.ts";
import { entriesOf, selectedEntries } from "../../cqn/entries_of.ts";
import { assertQuery } from "../../cqn/is_query.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";

/** Where the names in a query are resolved. */
export interface QueryScope {
  /** The linked model. */
  readonly model: LinkedModel;
  /** The full name of an entity that is named in the terms of the service. */
  qualify(name: string): string;
}

/** What a query asks for: the event, its target, the query with full names, and its data. */
export type QueryRequest = Pick<
  ServiceRequestProperties,
  "event" | "query" | "queryParams" | "target" | "path" | "data"
>;

/**
 * The request that a query stands for.
 *
 * @param scope where names are resolved
 * @param query a query; local names of entities are replaced by full ones
 * @param params values of its parameters
 */
export function requestFromQuery(scope: QueryScope, query: Query, params?: QueryParams): QueryRequest {
  const qualified = qualifyQuery(scope, query);
  const { event, ref, data } = partsOf(qualified);
  const queryParams = params && Object.keys(params).length > 0 ? params : undefined;
  const { target, path } = ref === undefined ? {} : resolve(scope.model, ref);
  return { event, query: qualified, queryParams, target, path, data };
}

/** The entity (path) a query is about: of a SELECT its first source. */
function queryRef(query: Query): readonly RefStep[] | undefined {
  return partsOf(query).ref;
}

interface QueryParts {
  readonly event: string;
  readonly ref: readonly RefStep[] | undefined;
  readonly data?: unknown;
}

function partsOf(query: Query): QueryParts {
  if ("SELECT" in query) return { event: "READ", ref: sourceRef(query.SELECT.from) };
  if ("SET" in query) return { event: "READ", ref: queryRef(query.SET.args[0]) };
  if ("INSERT" in query) {
    return { event: "CREATE", ref: stepsTo(query.INSERT.into), data: entriesData(query.INSERT.entries) };
  }
  if ("UPSERT" in query) {
    return { event: "UPSERT", ref: stepsTo(query.UPSERT.into), data: entriesData(query.UPSERT.entries) };
  }
  if ("UPDATE" in query) {
    return { event: "UPDATE", ref: stepsTo(query.UPDATE.entity), data: query.UPDATE.data };
  }
  return { event: "DELETE", ref: stepsTo(query.DELETE.from) };
}

function entriesData(entries: readonly Row[] | undefined): unknown {
  return entries?.length === 1 ? entries[0] : entries;
}

function sourceRef(source: Source): readonly RefStep[] | undefined {
  if ("ref" in source) return source.ref;
  if ("SELECT" in source || "SET" in source) return queryRef(source);
  return "join" in source ? sourceRef(source.args[0]) : undefined;
}

function resolve(model: LinkedModel, ref: readonly RefStep[]): { target?: LinkedEntity; path?: string } {
  const [root, ...steps] = ref.map(stepName);
  let target = model.entity(root);
  for (const step of steps) {
    const elements: LinkedEntity["elements"] | undefined = target?.elements;
    target = elements && Object.hasOwn(elements, step) ? elements[step].$target : undefined;
  }
  // handlers of services without a model are found by the name alone
  return { ...(target && { target }), path: [root, ...steps].join("/") };
}

/** The query with the full name of its entity; the same object if it has it already. */
function qualifyQuery(scope: QueryScope, query: Query): Query {
  const ref = queryRef(query);
  if (ref === undefined || "SET" in query) return query;
  const [root, ...steps] = ref;
  const name = stepName(root);
  const full = scope.qualify(name);
  if (full === name) return query;
  const path = { ref: [typeof root === "string" ? full : { ...root, id: full }, ...steps] };
  if ("SELECT" in query) {
    const { from } = query.SELECT;
    if (!("ref" in from)) return query;
    return { SELECT: { ...query.SELECT, from: { ...from, ...path } } };
  }
  if ("INSERT" in query) return { INSERT: { ...query.INSERT, into: path } };
  if ("UPSERT" in query) return { UPSERT: { ...query.UPSERT, into: path } };
  if ("UPDATE" in query) return { UPDATE: { ...query.UPDATE, entity: path } };
  return { DELETE: { ...query.DELETE, from: path } };
}

/** What reads the rows of a query. */
export interface RowSource {
  /** Runs a query with its parameters. */
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
