/**
 * Single properties and their raw values (OData Protocol 11.2.4, 11.4.9).
 *
 * @module
 */

import type { Query, Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { heldBytes } from "../../util/bytes.ts";
import {
  type Answer,
  appliedReturn,
  type Exchange,
  finishAnswer,
  inTransaction,
  requestPathOf,
} from "../exchange.ts";
import { type Format, formatFor } from "../headers/accept.ts";
import { etagElement, isUnmodified, writeTag } from "../headers/etag.ts";
import { methodNotAllowed } from "../methods.ts";
import type { PartPlan, PropertyPlan, PropertyStep } from "../plan/plan.ts";
import { contextOf, contextUrl } from "../payload/context_url.ts";
import { memberCountName, writeCount } from "../payload/control_information.ts";
import { flatValues, nestedValue, withComputedMembers } from "../payload/presented_row.ts";
import { fromBase64 } from "../payload/read_value.ts";
import { readRawBody, readValueBody } from "../payload/request_body.ts";
import { isObject, writeMembers, writeStructure } from "../payload/write_row.ts";
import { jsonObject, toBase64Url, writeRawValue } from "../payload/write_value.ts";
import { firstRow, readRequest } from "./read_request.ts";
import { updateRow } from "./update.ts";

/** Answers GET of a property. */
export async function readProperty(exchange: Exchange, plan: PropertyPlan): Promise<Answer> {
  const format = formatFor(exchange, plan);
  const row = await inTransaction(exchange, () => readRow(exchange, plan));
  const etag = versionOf(plan, row);
  if (etag !== undefined && isUnmodified(exchange.preconditions, etag)) {
    return finishAnswer(exchange, { status: 304, headers: { etag: writeTag(etag) } });
  }
  return propertyAnswer(exchange, plan, { row, format });
}

/**
 * The row that holds a property.
 *
 * @param exchange the exchange
 * @param plan the plan of the property
 * @param query the query, if it is not that of the plan
 * @throws ServiceError 404 when there is none
 */
export async function readRow(exchange: Exchange, plan: PropertyPlan, query?: Query): Promise<Row> {
  const result = await exchange.scope.service.dispatch(readRequest(exchange, plan, { query }));
  const row = firstRow(result);
  if (row === undefined) throw new ServiceError({ status: 404 });
  return row;
}

/**
 * The version of the row that holds a property.
 *
 * @param plan the plan of the property
 * @param row the row
 * @returns undefined where it has none
 */
export function versionOf({ target }: PropertyPlan | PartPlan, row: Row): unknown {
  const element = target && etagElement(target);
  return element ? row[element.name] ?? undefined : undefined;
}

/**
 * The value of a property.
 *
 * @param row the row that holds it
 * @param property the property
 * @throws {ServiceError} 404 for a position outside of its collection
 */
export function valueIn(row: Row, { name, inside = [], leaves, depth }: PropertyStep): unknown {
  if (leaves) return nestedValue(row, leaves, depth);
  let value: unknown = row[name];
  for (const step of inside) {
    if (typeof step === "number") {
      const member = Array.isArray(value) ? value.at(step) : undefined;
      if (member === undefined) throw new ServiceError({ status: 404 });
      value = member;
    } else value = isObject(value) ? value[step] : undefined;
  }
  return value;
}

/**
 * The header with the version of the row that holds a property: those who change it next have to name it (OData
 * Protocol 8.3.1).
 *
 * @param plan the plan of the property
 * @param row the row, if it was read
 */
export function versionHeader(
  plan: PropertyPlan | PartPlan,
  row: Row | null,
): { readonly etag: string | undefined } {
  const version = row === null ? undefined : versionOf(plan, row);
  return { etag: version === undefined ? undefined : writeTag(version) };
}

function countIn(row: Row, { options, property }: PropertyPlan | PartPlan, format: Format): string {
  const count = options.count ? row[memberCountName(property.name)] : undefined;
  return count === undefined ? "" : `"@odata.count":${writeCount(Number(count), format)}`;
}

/**
 * The answer with the value of a property.
 *
 * @param exchange the exchange
 * @param plan the plan of the property
 * @param options the row that holds it, the format, and the preferences that were applied
 */
export function propertyAnswer(
  exchange: Exchange,
  plan: PropertyPlan | PartPlan,
  options: { readonly row: Row; readonly format: Format; readonly applied?: readonly string[] },
): Answer {
  const { row, format } = options;
  const { element } = plan.property;
  const value = valueIn(row, plan.property);
  const headers = versionHeader(plan, row);
  const isCollection = element.$type.items !== undefined;
  if (!isCollection && (value === null || value === undefined)) {
    return finishAnswer(exchange, { status: 204, headers });
  }
  const structure = !isCollection && element.$type.elements;
  const count = countIn(row, plan, format);
  const members = { format, shape: plan.shape?.members?.get(plan.property.name) };
  const { name } = plan.property;
  const content = structure
    ? writeStructure(
      withComputedMembers(value as Row, row, { name, shape: members.shape }),
      structure,
      members,
    )
      .slice(1, -1)
    : `"value":${writeMembers(value, element, members)}`;
  const context = contextOf(format, contextUrl(plan, requestPathOf(exchange)));
  return finishAnswer(exchange, {
    status: 200,
    contentType: format.contentType,
    body: jsonObject([context, count, content]),
    headers,
    applied: options.applied,
  });
}

/** Answers GET of the raw value of a property. */
export async function readRawValue(exchange: Exchange, plan: PropertyPlan): Promise<Answer> {
  const format = formatFor(exchange, plan, ["text"]);
  const row = await inTransaction(exchange, () => readRow(exchange, plan));
  return rawAnswer(exchange, plan, { row, format });
}

/**
 * The answer with the raw value of a property.
 *
 * @param exchange the exchange
 * @param plan the plan of the value
 * @param options the row that holds it, and the format
 */
export function rawAnswer(
  exchange: Exchange,
  plan: PropertyPlan | PartPlan,
  { row, format }: { readonly row: Row; readonly format: Format },
): Answer {
  const { element } = plan.property;
  const value = valueIn(row, plan.property);
  if (value === null || value === undefined) return finishAnswer(exchange, { status: 204 });
  const isBinary = element.$type.builtin === "cds.Binary" || element.$type.builtin === "cds.LargeBinary";
  const mediaType = element["@Core.MediaType"];
  if (isBinary && typeof mediaType === "string") {
    const bytes = heldBytes(value) ?? fromBase64(String(value));
    if (bytes) {
      return finishAnswer(exchange, { status: 200, contentType: mediaType, body: new Uint8Array(bytes) });
    }
  }
  const body = isBinary ? String(toBase64Url(value)) : writeRawValue(value, element.$type);
  return finishAnswer(exchange, { status: 200, contentType: format.contentType, body });
}

/** Answers PUT and DELETE of the raw value of a property. */
export async function writeRawValueOf(exchange: Exchange, plan: PropertyPlan): Promise<Answer> {
  const { element, name, flat } = plan.property;
  if (!flat) throw methodNotAllowed(plan);
  const value = exchange.method === "DELETE" ? null : await readRawBody(exchange, element);
  const change = { row: { [name]: value } };
  const updated = await inTransaction(exchange, () => updateRow(exchange, plan, change));
  return finishAnswer(exchange, { status: 204, headers: versionHeader(plan, updated.row) });
}

/** Answers PUT and DELETE of a property; DELETE sets it to null. */
export async function writeProperty(exchange: Exchange, plan: PropertyPlan): Promise<Answer> {
  const { element, name, flat, leaves, depth } = plan.property;
  if (!leaves && !flat) throw methodNotAllowed(plan);
  const format = formatFor(exchange, plan);
  const isDelete = exchange.method === "DELETE";
  const value = isDelete ? null : await readValueBody(exchange, element);
  const row = leaves
    ? flatValues(value, leaves, { depth, replace: exchange.method === "PUT" })
    : { [name]: value };
  const updated = await inTransaction(exchange, () => updateRow(exchange, plan, { row }));
  if (isDelete) return finishAnswer(exchange, { status: 204, headers: versionHeader(plan, updated.row) });
  return writtenAnswer(exchange, plan, { row: updated.row, format });
}

/** The answer with the property of a row that was written, as the client prefers. */
export function writtenAnswer(
  exchange: Exchange,
  plan: PropertyPlan,
  { row, format }: { readonly row: Row | null; readonly format: Format },
): Answer {
  if (row === null || exchange.preferences.return === "minimal") {
    const headers = versionHeader(plan, row);
    return finishAnswer(exchange, { status: 204, headers, applied: appliedReturn(exchange, "minimal") });
  }
  return propertyAnswer(exchange, plan, { row, format, applied: appliedReturn(exchange, "representation") });
}
