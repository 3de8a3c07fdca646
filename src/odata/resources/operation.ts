/**
 * Actions and functions (OData Protocol 11.5).
 *
 * @module
 */

import { runBriefly, runInRequest } from "../../context/store.ts";
import type { RefExpression, Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import {
  type Answer,
  chosenStatus,
  dispatch,
  type Exchange,
  finishAnswer,
  inTransaction,
  requestPathOf,
} from "../exchange.ts";
import { type Format, formatFor } from "../headers/accept.ts";
import { etagElement, writeTag } from "../headers/etag.ts";
import type { BoundPlan, OperationCall, OperationPlan, ResultPlan } from "../plan/plan.ts";
import { contextOf, operationResult, parentSteps, resultContextUrl } from "../payload/context_url.ts";
import { canonicalUrl } from "../payload/key_predicate.ts";
import { type ActionBody, withParameterBody } from "../payload/request_body.ts";
import {
  isObject,
  type RowFormat,
  writeEntity,
  writeEntityMembers,
  writeMembers,
  writeStructure,
} from "../payload/write_row.ts";
import { writeCount } from "../payload/control_information.ts";
import { readMembers } from "./reference.ts";
import { assertNoTags } from "./each.ts";
import { shapedResult } from "./operation_result.ts";
import { addressedInstance } from "./read_request.ts";
import { assertVersion } from "./row_version.ts";
import { stepName } from "../../cqn/steps.ts";
import { equalities } from "../../cqn/conjunction.ts";
import { jsonObject } from "../payload/write_value.ts";

/** Answers the call of an action or function. It enters the context of the exchange where that is needed. */
export function callOperation(exchange: Exchange, named: OperationPlan): MaybePromise<Answer> {
  const { context } = exchange;
  const call = named.operation;
  const format = formatFor(exchange, named);
  const wanted = shownResult(exchange, call);
  const answer = ({ operation: definition, data }: ActionBody) => {
    const isPlanned = definition === call.definition && wanted === call.result;
    const plan: OperationPlan = isPlanned
      ? named
      : { ...named, operation: { ...call, definition, result: wanted } };
    // nothing but the dispatch needs the context where no row is looked for and no option asks for rows
    const enter = call.binding === undefined && !wanted ? runBriefly : runInRequest;
    const returned = enter(context, () =>
      inTransaction(
        exchange,
        () =>
          wanted
            ? andThen(runOperation(exchange, plan, data), (result) => shapedResult(exchange, plan, result))
            : runOperation(exchange, plan, data),
      ));
    return andThen(
      returned,
      (result) => runBriefly(context, () => resultAnswer(exchange, plan, { result, format })),
    );
  };
  return call.definition.kind === "action"
    ? withParameterBody(exchange, call.definition, answer)
    : answer({ operation: call.definition, data: { ...call.args } });
}

/** Clients of OData 4.0 get more than they select: the properties that a handler returned (Protocol 11.2.5.1). */
function shownResult({ version }: Exchange, { result }: OperationCall): ResultPlan | undefined {
  if (version !== "4.0" || !result) return result;
  const { shape, values } = result;
  return { ...result, shape: shape && withoutSelect(shape), values: values && withoutSelect(values) };
}

function withoutSelect<T extends { readonly select?: unknown }>(shape: T): Omit<T, "select"> {
  const { select: _select, ...others } = shape;
  return others;
}

/**
 * Sends the request of an operation; runs inside a transaction.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param data the arguments
 */
export function runOperation(exchange: Exchange, plan: OperationPlan, data: Row): MaybePromise<unknown> {
  const { definition, binding } = plan.operation;
  if (!plan.target) {
    const event = exchange.scope.service.localEvent(definition.name);
    return dispatch(exchange, { event, data, operation: definition, params: [] });
  }
  if (binding === "each") return runForEach(exchange, plan, data);
  const addressed = binding === "entity" ? addressedInstance(exchange, plan) : plan.addressed;
  return andThen(addressed, ({ subject }) => dispatchBound(exchange, plan, { data, subject }));
}

function dispatchBound(
  exchange: Exchange,
  plan: BoundPlan,
  { data, subject }: { readonly data: Row; readonly subject: RefExpression },
): MaybePromise<unknown> {
  const { operation: { definition, binding }, query, queryParams, target, path, addressed } = plan;
  const isVersioned = binding === "entity" && definition.kind === "action";
  return dispatch(exchange, {
    event: definition.name,
    data,
    operation: definition,
    query,
    queryParams,
    target,
    path,
    params: addressed.params,
    subject,
    ...(isVersioned ? { precondition: () => assertVersion(exchange, target, subject) } : {}),
  });
}

/** Calls an operation for each member that the caller may read: all calls succeed, or none (URL Conventions 4.12). */
async function runForEach(exchange: Exchange, plan: BoundPlan, data: Row): Promise<readonly unknown[]> {
  const { definition } = plan.operation;
  assertNoTags(exchange);
  const { target } = plan;
  const members = plan.addressed.subject;
  const steps = members.ref;
  const last = steps.at(-1)!;
  const id = stepName(last);
  const results: unknown[] = [];
  for (const keys of await readMembers(exchange, { target, subject: members })) {
    const subject = { ref: [...steps.slice(0, -1), { id, where: equalities(keys) }] };
    const query = { SELECT: { from: subject, one: true } };
    results.push(
      await dispatch(exchange, {
        event: definition.name,
        data: structuredClone(data),
        operation: definition,
        query,
        target,
        path: plan.path,
        params: [...plan.addressed.params, keys],
        subject,
      }),
    );
  }
  return definition.returns ? results : [];
}

function resultAnswer(
  exchange: Exchange,
  plan: OperationPlan,
  options: { readonly result: unknown; readonly format: Format },
): Answer {
  const { definition } = plan.operation;
  const { returns } = definition;
  const { result, format } = options;
  const known = returns && operationResult(definition, exchange.scope);
  const isOne = known?.isOne === true && plan.operation.binding !== "each";
  const single = isOne && Array.isArray(result) ? result[0] : result;
  if (!known || single === null || single === undefined) {
    const status = chosenStatus(exchange) ?? 204;
    return finishAnswer(exchange, { status: status === 200 ? 204 : status });
  }
  const { entity } = known;
  const rawPath = requestPathOf(exchange);
  const contextUrl = resultContextUrl(definition, exchange.scope, {
    rawPath,
    shape: plan.operation.result?.shape,
    values: plan.operation.result?.values,
    isMany: !isOne,
    isNested: plan.operation.binding === "each" && !known.isOne,
  });
  const status = chosenStatus(exchange) ?? 200;
  const url = entity && isObject(single) ? canonicalUrl(entity, single) : undefined;
  const location = status === 201 && url !== undefined ? parentSteps(rawPath) + url : undefined;
  const preference = definition.kind === "action" ? exchange.preferences.return : undefined;
  const applied = preference ? ["return"] : [];
  if (preference === "minimal") {
    const headers = { location, "odata-entityid": location };
    return finishAnswer(exchange, { status: 204, headers, applied, entityUrl: url });
  }
  const content = writeResult(single, returns!, { plan, format, entity, isOne });
  const tag = entity && isOne ? etagElement(entity) : undefined;
  const version = tag && isObject(single) ? single[tag.name] : undefined;
  return finishAnswer(exchange, {
    status,
    contentType: format.contentType,
    body: jsonObject([contextOf(format, contextUrl), content]),
    headers: {
      location,
      etag: version === undefined || version === null ? undefined : writeTag(version),
    },
    applied,
    entityUrl: url,
  });
}

function isSingle(returns: LinkedElement): boolean {
  return returns.$type.items === undefined && !returns.is2many;
}

/** The members of the body behind the context URL. */
function writeResult(
  result: unknown,
  returns: LinkedElement,
  options: {
    readonly plan: OperationPlan;
    readonly format: Format;
    readonly entity: LinkedEntity | undefined;
    readonly isOne: boolean;
  },
): string {
  const { entity, plan, format, isOne } = options;
  const { binding, result: wanted } = plan.operation;
  const rows = { shape: wanted?.shape, format };
  if (entity) {
    if (isOne) {
      if (!isObject(result)) throw noEntity(entity);
      return writeEntityMembers(result, entity, rows);
    }
    const all: readonly unknown[] = Array.isArray(result) ? result : [result];
    const entities = (of: readonly unknown[]) =>
      `[${of.filter(isObject).map((row) => writeEntity(row, entity, rows)).join(",")}]`;
    if (binding === "each" && !isSingle(returns)) {
      const collections = all.map((one) => entities(Array.isArray(one) ? one : []));
      return `${countOf(all, result, { plan, format })}"value":[${collections.join(",")}]`;
    }
    const values = all.filter(isObject);
    return `${countOf(values, result, { plan, format })}"value":${entities(values)}`;
  }
  const members = { format, shape: wanted?.values };
  if (binding === "each") {
    const values = (result as readonly unknown[]).map((value) => writeMembers(value, returns, members));
    return `${countOf(values, result, { plan, format })}"value":[${values.join(",")}]`;
  }
  const { elements, items } = returns.$type;
  if (!items && elements && isObject(result)) return writeStructure(result, elements, members).slice(1, -1);
  const count = Array.isArray(result) ? countOf(result, result, { plan, format }) : "";
  return `${count}"value":${writeMembers(result, returns, members)}`;
}

function countOf(
  values: readonly unknown[],
  result: unknown,
  { plan, format }: { readonly plan: OperationPlan; readonly format: RowFormat },
): string {
  if (!plan.options.count) return "";
  const count = (result as { readonly $count?: number }).$count ?? values.length;
  return `"@odata.count":${writeCount(count, format)},`;
}

function noEntity(entity: LinkedEntity): ServiceError {
  return new ServiceError({ status: 500, message: `The handler did not return an entity of ${entity.name}` });
}
