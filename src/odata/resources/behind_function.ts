/**
 * Paths behind functions: what they return takes the place of stored rows (URL Conventions 4.5.1).
 *
 * @module
 */

import type { RefExpression, SelectQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { restrictedRead } from "../../service/authorization/restricted_read.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Answer } from "../answer.ts";
import { type Exchange, inTransaction } from "../exchange.ts";
import { isObject } from "../payload/write_row.ts";
import type { Plan } from "../plan/plan.ts";
import { GIVEN_ROWS } from "../plan/resource.ts";
import { runOperation } from "./operation.ts";
import { givenRows } from "./operation_result.ts";

/**
 * Calls the function, then reads what the rest of the path asks for of its result: by the database alone, with the
 * restrictions of the user on all other rows.
 *
 * @param exchange the request
 * @param plan its plan
 * @param read answers a plan that reads
 * @throws ServiceError 501 without a database
 */
export async function readBehindFunction(
  exchange: Exchange,
  plan: Plan,
  read: (exchange: Exchange, plan: Plan) => MaybePromise<Answer>,
): Promise<Answer> {
  const { scope, context } = exchange;
  const { db } = scope.host;
  const [step] = plan.subject?.ref ?? [];
  const entity = typeof step === "object" ? scope.model.entity(step.id) : undefined;
  if (!db || !entity) {
    throw new ServiceError({
      status: 501,
      message: "A path behind a function needs a database",
      $sanitize: false,
    });
  }
  return await inTransaction(exchange, async () => {
    const call = scope.plan(urlOfCall(exchange, plan.source!), "GET"); // asked for behind functions only
    const result = await runOperation(exchange, call, { ...call.operation!.args });
    const rows = (Array.isArray(result) ? result : [result]).filter(isObject);
    const text = givenRows(rows, entity);
    const restricted = (query: SelectQuery) => restrictedRead(query, context, scope) as SelectQuery;
    const given: Plan = {
      ...plan,
      subject: withRows(plan.subject!, text),
      queryParams: { ...plan.queryParams, [GIVEN_ROWS]: text },
      ...(plan.query && { query: restricted(plan.query) }),
      ...(plan.parts && { parts: plan.parts.map((part) => ({ ...part, query: restricted(part.query) })) }),
      ...(plan.navigation &&
        { navigation: { ...plan.navigation, subject: withRows(plan.navigation.subject, text) } }),
    };
    // restricted already, and no handler of the service knows these rows
    return await read({ ...exchange, grouped: true, scope: { ...scope, service: db } }, given);
  });
}

function withRows({ ref: [first, ...others], ...rest }: RefExpression, text: string): RefExpression {
  const step = typeof first === "object" && first.rows ? { ...first, rows: { val: text } } : first!;
  return { ...rest, ref: [step, ...others] };
}

/** The URL of the call: its segments, and the options that may be arguments. */
function urlOfCall({ rawUrl }: Exchange, segments: number): string {
  const mark = rawUrl.indexOf("?");
  const path = mark < 0 ? rawUrl : rawUrl.slice(0, mark);
  const call = path.replace(/^\//, "").split("/").slice(0, segments).join("/");
  const options = mark < 0
    ? []
    : rawUrl.slice(mark + 1).split("&").filter((one) => !/^(?:\$|%24|$)/.test(one));
  return options.length === 0 ? call : `${call}?${options.join("&")}`;
}
