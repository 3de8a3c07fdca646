/**
 * What has to be known before a query runs: results of own functions in its expressions (URL Conventions 5.1.1), then
 * nodes of recursive hierarchies.
 *
 * @module
 */

import type { QueryParams } from "../../cqn/cqn.ts";
import { dispatch, type Exchange } from "../exchange.ts";
import type { Plan } from "../plan/plan.ts";
import { givenMember } from "./operation_result.ts";
import { withNodes } from "./read_hierarchies.ts";
import { rowResults } from "./row_results.ts";

/**
 * Whether a plan needs values that are not in its URL.
 *
 * @param plan the plan
 */
export function needsValues({ calls, hierarchies }: Plan): boolean {
  return calls !== undefined || hierarchies !== undefined;
}

/**
 * The plan with all values of its parameters. Functions are called as by a request of their own: whoever may not call them
 * may not use them in an expression.
 *
 * @param exchange the exchange, inside of its transaction
 * @param plan the plan of the URL
 * @returns the same plan if it needs no more values
 */
export async function withValues(exchange: Exchange, plan: Plan): Promise<Plan> {
  if (!plan.calls) return await withNodes(exchange, plan);
  const { service } = exchange.scope;
  let queryParams: QueryParams = plan.queryParams;
  for (const call of plan.calls) {
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
  return await withNodes(exchange, { ...plan, queryParams });
}
