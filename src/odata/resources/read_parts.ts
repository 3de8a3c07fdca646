import { ServiceError, unsupported } from "../../errors/service_error.ts";
import { dispatch, entityPlan, type Exchange, inTransaction } from "../exchange.ts";
import type { FunctionStep, RowCall } from "../plan/query_inputs.ts";
import type { EntityPlan, PlanPart } from "../plan/plan.ts";
import { LIMIT_PARAMS } from "../plan/shapes/template.ts";
import { type RowFormat, writeEntity } from "../payload/write_row.ts";
import { assertDatabase, readRequest, toRows, visibleRows } from "./read_request.ts";
import { addAll } from "../../util/add_all.ts";
import type { QueryParams, Row, SelectQuery } from "../../cqn/cqn.ts";
import { givenMember } from "./operation_result.ts";
import { withNodes } from "./hierarchy_nodes.ts";
import { equalities } from "../../cqn/conjunction.ts";

/**
 * Reads the rows of all parts; they have to fit into one page of the service, whatever page the client prefers.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param options the parts, and how rows are written
 * @returns the rows as JSON text
 * @throws {ServiceError} 501 when there are more rows
 */
export async function readParts(
  exchange: Exchange,
  plan: EntityPlan,
  { parts, format }: { readonly parts: readonly PlanPart[]; readonly format: RowFormat },
): Promise<string[]> {
  const { rows } = entityPlan(exchange, exchange.rawUrl, exchange.method).paging!; // collections have pages
  return await inTransaction(exchange, async () => {
    const values = (await withValues(exchange, plan)).queryParams;
    const queryParams = { ...values, [LIMIT_PARAMS.rows]: rows };
    const texts: string[] = [];
    const members: string[] = [];
    for (const { query, shape, alias } of parts) {
      const request = readRequest(exchange, plan, { query, queryParams });
      const found = toRows(await exchange.scope.service.dispatch(request)).map((row) =>
        writeEntity(row, plan.target, { shape, format })
      );
      if (texts.length + found.length >= rows) throw tooMany();
      if (alias === undefined) addAll(texts, found);
      else members.push(`${JSON.stringify(alias)}:[${found.join(",")}]`);
    }
    return members.length > 0 ? [`{${members.join(",")}}`] : texts;
  });
}

function tooMany(): ServiceError {
  return unsupported("Pages of the rows of concat or nest in $apply are not implemented");
}

/**
 * Whether a plan needs values that are not in its URL.
 *
 * @param plan the plan
 */
export function needsValues({ before }: EntityPlan): boolean {
  return before !== undefined;
}

/**
 * The plan with all values of its parameters. Functions are called as by a request of their own: whoever may not call them
 * may not use them in an expression.
 *
 * @param exchange the exchange, inside of its transaction
 * @param plan the plan of the URL
 * @returns the same plan if it needs no more values
 */
export async function withValues<P extends EntityPlan>(exchange: Exchange, plan: P): Promise<P> {
  if (!plan.before) return plan;
  const { service } = exchange.scope;
  const { calls, hierarchies } = plan.before;
  let queryParams: QueryParams = plan.queryParams;
  for (const call of calls) {
    const { param, definition, args } = call;
    if (call.rows) {
      queryParams = { ...queryParams, [param]: await rowResults(exchange, call, queryParams) };
      continue;
    }
    const event = service.localEvent(definition.name);
    const result = await dispatch(exchange, { event, data: { ...args }, operation: definition, params: [] });
    const value = givenMember(result, definition.returns!); // only functions that return something are called
    const isJson = typeof value === "object" && value !== null;
    queryParams = { ...queryParams, [param]: isJson ? JSON.stringify(value) : value };
  }
  return { ...plan, queryParams: await withNodes(exchange, hierarchies, queryParams) };
}

/** Results by the names that lead to them. */
interface Entries {
  [name: string]: Entries | { readonly v: unknown };
}

/**
 * Calls a function for all rows that the user may read, once for those with the same values.
 *
 * @param exchange the exchange, inside of its transaction
 * @param step the call
 * @param params values of parameters that are known
 * @returns JSON with the results
 * @throws {ServiceError} 400 for more rows than the limit, 501 without a database, what the function refuses
 */
async function rowResults(
  exchange: Exchange,
  step: FunctionStep,
  params: QueryParams,
): Promise<string> {
  const { keys, args } = step.rows!; // asked for calls that have rows
  const entries: Entries = {};
  for (const row of await readRows(exchange, step, params)) {
    if (keys.some((name) => row[`key_${name}`] === null)) continue; // there is nothing to be bound to
    const names = [...keys, ...args].map((_name, at) => String(row[`name_${at}`]));
    const last = names.pop()!; // there is one value at least
    let inner = entries;
    for (const name of names) inner = (inner[name] ??= {}) as Entries; // results are behind the last name
    if (Object.hasOwn(inner, last)) continue;
    const result = await callFor(exchange, step, row);
    inner[last] = { v: givenMember(result, step.definition.returns!) };
  }
  return JSON.stringify(entries);
}

function callFor(exchange: Exchange, { definition, args, rows }: FunctionStep, row: Row): unknown {
  const { entity, args: names, keys } = rows!;
  const data = { ...structuredClone(args), ...valuesOf(row, "arg", names) };
  if (!entity) {
    const event = exchange.scope.service.localEvent(definition.name);
    return dispatch(exchange, { event, data, operation: definition, params: [] });
  }
  const key = valuesOf(row, "key", keys);
  const subject = { ref: [{ id: entity.name, where: equalities(key) }] };
  return dispatch(exchange, {
    event: definition.name,
    data,
    operation: definition,
    query: { SELECT: { from: subject, one: true } },
    target: entity,
    path: entity.name,
    params: [key],
    subject,
  });
}

function valuesOf(row: Row, kind: "key" | "arg", names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[`${kind}_${name}`]]));
}

async function readRows(
  exchange: Exchange,
  { definition, rows }: FunctionStep,
  params: QueryParams,
): Promise<readonly Row[]> {
  assertDatabase(exchange, "Functions of rows need");
  const most = exchange.scope.host.limits.functionRows;
  const found = await visibleRows(exchange, bounded(rows!, most), params);
  if (found.length <= most) return found;
  const message = `"${definition.name}" is called for more than ${most} rows`;
  throw new ServiceError({ status: 400, code: "400", message });
}

function bounded({ query: { SELECT } }: RowCall, most: number): SelectQuery {
  return { SELECT: { ...SELECT, limit: SELECT.limit ?? { rows: { val: most + 1 } } } };
}
