/**
 * Rows of several queries in one answer: `concat` and `nest` in `$apply`.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { type Exchange, inTransaction } from "../exchange.ts";
import type { Plan, PlanPart } from "../plan/plan.ts";
import { LIMIT_PARAMS } from "../plan/shapes/template.ts";
import { type RowFormat, writeEntity } from "../payload/write_row.ts";
import { withValues } from "./read_calls.ts";
import { readRequest, toRows } from "./read_request.ts";
import { addAll } from "../../util/add_all.ts";

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
  plan: Plan,
  { parts, format }: { readonly parts: readonly PlanPart[]; readonly format: RowFormat },
): Promise<string[]> {
  const rows = exchange.scope.plan(exchange.rawUrl, exchange.method).paging!.rows; // collections have pages
  return await inTransaction(exchange, async () => {
    const values = (await withValues(exchange, plan)).queryParams;
    const queryParams = { ...values, [LIMIT_PARAMS.rows]: rows };
    const texts: string[] = [];
    const members: string[] = [];
    for (const { query, shape, alias } of parts) {
      const request = readRequest(exchange, plan, { query, queryParams });
      const found = toRows(await exchange.scope.service.dispatch(request)).map((row) =>
        writeEntity(row, plan.target!, { shape, format })
      );
      if (texts.length + found.length >= rows) throw tooMany();
      if (alias === undefined) addAll(texts, found);
      else members.push(`${JSON.stringify(alias)}:[${found.join(",")}]`);
    }
    return members.length > 0 ? [`{${members.join(",")}}`] : texts;
  });
}

function tooMany(): ServiceError {
  return new ServiceError({
    status: 501,
    message: "Pages of the rows of concat or nest in $apply are not implemented",
    $sanitize: false,
  });
}
