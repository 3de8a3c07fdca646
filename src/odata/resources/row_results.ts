/**
 * Results of functions that expressions call for each row (URL Conventions 5.1.1).
 *
 * @module
 */

import type { QueryParams, Row, SelectQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { restrictedRead } from "../../service/authorization/restricted_read.ts";
import { dispatch, type Exchange } from "../exchange.ts";
import type { FunctionStep, RowCall } from "../plan/plan.ts";
import { givenMember } from "./operation_result.ts";
import { keyCondition } from "./read_request.ts";

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
export async function rowResults(
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
  const subject = { ref: [{ id: entity.name, where: keyCondition(key) }] };
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
  const { host: { db, limits: { functionRows: most } } } = exchange.scope;
  if (!db) {
    throw new ServiceError({ status: 501, message: "Functions of rows need a database", $sanitize: false });
  }
  const query = bounded(rows!, most);
  const found = await db.run(restrictedRead(query, exchange.context, exchange.scope), params) as Row[];
  if (found.length <= most) return found;
  const message = `"${definition.name}" is called for more than ${most} rows`;
  throw new ServiceError({ status: 400, code: "400", message });
}

function bounded({ query: { SELECT } }: RowCall, most: number): SelectQuery {
  return { SELECT: { ...SELECT, limit: SELECT.limit ?? { rows: { val: most + 1 } } } };
}
