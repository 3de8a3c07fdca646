/**
 * Actions and functions by REST: plain parameters, plain results.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { LinkedElement } from "../model/linked.ts";
import type { Answer } from "../odata/answer.ts";
import { type Exchange, inTransaction } from "../odata/exchange.ts";
import type { Plan } from "../odata/plan/plan.ts";
import { resultEntity } from "../odata/payload/context_url.ts";
import type { JsonValue } from "../odata/payload/parse_json.ts";
import { checked, qualifiedName, readParameterBody } from "../odata/payload/request_body.ts";
import { readParameters } from "../odata/payload/read_row.ts";
import { isObject, writeElementValue, writeEntity } from "../odata/payload/write_row.ts";
import { runOperation } from "../odata/resources/operation.ts";
import { jsonAnswer, restAnswer } from "./rest_answer.ts";
import { REST_ROWS } from "./rest_read.ts";

/** Answers the call of an action or function. */
export async function callRestOperation(exchange: Exchange, plan: Plan): Promise<Answer> {
  const { definition } = plan.operation!;
  const isAction = definition.kind === "action";
  if (isAction !== (exchange.method === "POST")) {
    const message = isAction ? "Actions must be called by POST" : "Functions must be called by GET";
    throw new ServiceError({ status: 400, message });
  }
  const { operation, data } = isAction
    ? await readParameterBody(exchange, definition)
    : { operation: definition, data: queryParameters(exchange, plan) };
  const meant: Plan = { ...plan, operation: { ...plan.operation!, definition: operation } };
  const result = await inTransaction(exchange, () => runOperation(exchange, meant, data));
  const { returns } = operation;
  if (!returns || result === undefined || result === null) {
    return restAnswer(exchange, { status: exchange.http?.res.statusCode ?? 204 });
  }
  return resultAnswer(exchange, result, returns);
}

/** Parameters in parentheses, and those given as query options. */
function queryParameters(exchange: Exchange, plan: Plan): Row {
  const { definition, args } = plan.operation!;
  const given: Record<string, JsonValue> = {};
  for (const [name, text] of Object.entries(plan.custom)) {
    if (Object.hasOwn(definition.params, name) && !Object.hasOwn(args, name)) {
      given[name] = parameterValue(text, definition.params[name]!);
    }
  }
  const owner = qualifiedName(definition, exchange.scope.definition.name);
  const read = checked(
    exchange,
    (options) => readParameters(given, definition.params, { ...options, owner }),
  );
  return { ...args, ...read };
}

const NUMBERS = /^cds\.(?:U?Int\d*|Integer\d*|Double)$/;

/** The text of an option as JSON value of the type of a parameter. */
function parameterValue(text: string, element: LinkedElement): JsonValue {
  const { builtin, items, elements } = element.$type;
  if (items || elements) return parsed(text);
  if (text === "null") return null;
  if (builtin === "cds.Boolean" && (text === "true" || text === "false")) return text === "true";
  if (NUMBERS.test(builtin ?? "") && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return /^'.*'$/s.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function resultAnswer(exchange: Exchange, result: unknown, returns: LinkedElement): Answer {
  const entity = resultEntity(returns, exchange.scope.model);
  const isMany = returns.$type.items !== undefined || returns.is2many;
  const single = !isMany && Array.isArray(result) ? result[0] : result;
  if (entity) {
    const rows = (isMany && Array.isArray(single) ? single : [single]).filter(isObject);
    const texts = rows.map((row) => writeEntity(row, entity, { format: REST_ROWS }));
    return jsonAnswer(exchange, isMany ? `[${texts.join(",")}]` : texts[0] ?? "null");
  }
  if (!isMany && typeof single === "string" && isText(returns)) {
    const status = exchange.http?.res.statusCode ?? 200;
    return restAnswer(exchange, { status, contentType: "text/plain;charset=utf-8", body: single });
  }
  return jsonAnswer(exchange, writeElementValue(single, returns, REST_ROWS));
}

/** Whether a result is text: numbers that do not fit a JavaScript number are text in rows only. */
function isText(returns: LinkedElement): boolean {
  const { builtin, elements } = returns.$type;
  return !elements && builtin !== "cds.Decimal" && builtin !== "cds.Int64" && builtin !== "cds.Integer64";
}
