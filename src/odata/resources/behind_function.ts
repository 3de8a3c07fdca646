/**
 * Paths behind functions: what they return takes the place of stored rows (URL Conventions 4.5.1).
 *
 * @module
 */

import type { RefExpression, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { ServiceError, unsupported } from "../../errors/service_error.ts";
import { restrictedRead } from "../../service/authorization/restricted_read.ts";
import type { DatabaseService } from "../../service/database_service.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { type Answer, type Exchange, finishAnswer, inTransaction } from "../exchange.ts";
import { formatFor } from "../headers/accept.ts";
import { isObject } from "../payload/write_row.ts";
import type { BoundPlan, EntityPlan, OperationPlan, PartPlan, Plan } from "../plan/plan.ts";
import { GIVEN_ROWS } from "../plan/paths/resource.ts";
import { callOperation, runOperation } from "./operation.ts";
import { givenRows } from "./operation_result.ts";
import { propertyAnswer, rawAnswer, valueIn } from "./property.ts";
import { anyOfRows, toRows } from "./read_request.ts";
import { equalities } from "../../cqn/conjunction.ts";
import { keyNames } from "../../model/keys.ts";

/**
 * Calls the function, then answers what the rest of the path asks for of its result: reads by the database alone, with the
 * restrictions of the user on all other rows, calls of operations by the service.
 *
 * @param exchange the request
 * @param plan its plan
 * @param read answers a plan that reads
 * @throws ServiceError 501 without a database where entities are returned
 */
export async function answerBehindFunction(
  exchange: Exchange,
  plan: EntityPlan,
  read: (exchange: Exchange, plan: Plan) => MaybePromise<Answer>,
): Promise<Answer> {
  const { scope, context } = exchange;
  const { db } = scope.host;
  const { addressed: { params, subject, url }, applied, navigation } = plan;
  const [step] = subject.ref;
  const entity = typeof step === "object" ? scope.model.entity(step.id) : undefined;
  if (!db || !entity) throw unsupported("A path behind a function needs a database");
  return await inTransaction(exchange, async () => {
    const result = await returned(exchange, plan.source!); // asked for behind functions only
    const rows = (Array.isArray(result) ? result : [result]).filter(isObject);
    const text = givenRows(rows, entity);
    const restricted = (query: SelectQuery) => restrictedRead(query, context, scope) as SelectQuery;
    const given = {
      ...plan,
      addressed: { params, subject: withRows(subject, text), url },
      queryParams: { ...plan.queryParams, [GIVEN_ROWS]: text },
      query: restricted(plan.query),
      applied: applied && {
        ...applied,
        parts: applied.parts?.map((part) => ({ ...part, query: restricted(part.query) })),
      },
      navigation: navigation && { ...navigation, subject: withRows(navigation.subject, text) },
    };
    if (given.kind === "operation") return await callBehind({ ...exchange, grouped: true }, given, db);
    // restricted already, and no handler of the service knows these rows
    return await read({ ...exchange, grouped: true, scope: { ...scope, service: db } }, given);
  });
}

async function returned(exchange: Exchange, source: number): Promise<unknown> {
  // the first segments of the path call a function
  const call = exchange.scope.plan(urlOfCall(exchange, source), "GET") as OperationPlan;
  return await runOperation(exchange, call, { ...call.operation.args });
}

/** An operation is bound to the entities that were returned as to those of the same keys. */
async function callBehind(exchange: Exchange, plan: BoundPlan, db: DatabaseService): Promise<Answer> {
  const { source: _source, ...call } = plan;
  const { target } = plan;
  const names = keyNames(target);
  const columns = names.map((name) => ({ ref: [name] }));
  const found = toRows(await db.run({ SELECT: { ...plan.query.SELECT, columns } }, plan.queryParams));
  const isOne = plan.operation.binding === "entity";
  const rows = found.filter((row) => names.every((name) => row[name] !== null && row[name] !== undefined));
  const [first] = rows;
  if (isOne && !first) throw new ServiceError({ status: 404 });
  const where: Xo[] = first
    ? isOne ? equalities(first) : anyOfRows(target, rows)
    : [{ val: 1 }, "=", { val: 0 }];
  const subject: RefExpression = { ref: [{ id: target.name, where }] };
  const { params, url } = plan.addressed;
  return await callOperation(exchange, {
    ...call,
    addressed: { params: isOne ? [...params, first!] : params, subject, url },
    from: subject,
    query: { SELECT: { from: subject, ...(isOne && { one: true }) } },
  });
}

/** Answers GET of a part of a value. */
export async function readPart(exchange: Exchange, plan: PartPlan): Promise<Answer> {
  const { property, form } = plan;
  const value = await inTransaction(exchange, () => returned(exchange, plan.source));
  const row = { [property.name]: value ?? null };
  if (form === "count") {
    const values = valueIn(row, property);
    const body = String(Array.isArray(values) ? values.length : 0);
    return finishAnswer(exchange, { status: 200, contentType: "text/plain;charset=utf-8", body });
  }
  return form === "value"
    ? rawAnswer(exchange, plan, { row, format: formatFor(exchange, plan, ["text"]) })
    : propertyAnswer(exchange, plan, { row, format: formatFor(exchange, plan) });
}

function withRows({ ref: [first, ...others], ...rest }: RefExpression, text: string): RefExpression {
  const step = typeof first === "object" && first.rows ? { ...first, rows: { val: text } } : first!;
  return { ...rest, ref: [step, ...others] };
}

/** The URL of the call: its segments without a key behind, and the options that may be arguments. */
function urlOfCall({ rawUrl }: Exchange, segments: number): string {
  const mark = rawUrl.indexOf("?");
  const path = mark < 0 ? rawUrl : rawUrl.slice(0, mark);
  const steps = path.replace(/^\//, "").split("/").slice(0, segments);
  const call = [...steps.slice(0, -1), withoutKey(steps.at(-1)!)].join("/");
  const options = mark < 0
    ? []
    : rawUrl.slice(mark + 1).split("&").filter((one) => !/^(?:\$|%24|$)/.test(one));
  return options.length === 0 ? call : `${call}?${options.join("&")}`;
}

/** A call without the parentheses behind its own ones; those in quotes are text. */
function withoutKey(call: string): string {
  let [isText, groups] = [false, 0];
  for (const { 0: sign, index } of call.matchAll(/'|%27|\(|%28/gi)) {
    if (sign === "'" || sign === "%27") isText = !isText;
    else if (!isText && ++groups === 2) return call.slice(0, index);
  }
  return call;
}
