/**
 * Bodies that are streams (OData Protocol 11.4.7, 11.4.8).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import type { LinkedElement, LinkedEntity, LinkedOperation } from "../../model/linked.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import type { Exchange } from "../exchange.ts";
import { actionOverload } from "../plan/paths/plan_operation.ts";
import { type JsonValue, parseJson } from "./parse_json.ts";
import {
  assertUtf8,
  mediaTypeOf,
  readBytes,
  readText,
  unsupportedMediaType,
  withText,
} from "../../service/wire/read_body.ts";
import { checked, EntityInput, resolveLink } from "./body_input.ts";
import { type BoundMember, isJsonObject, type RelatedRow, type ReplacedCollection } from "./reading.ts";
import { ErrorWithHeaders } from "../header_list.ts";
import { readEntity, readParameters, readSingle } from "./read_row.ts";
import { referenceOf } from "./control_information.ts";

/**
 * The JSON of a body; an empty body is `{}`.
 *
 * @throws ServiceError 415 for other media types, 413, 400
 */
export function readJsonBody(exchange: Exchange): MaybePromise<JsonValue> {
  return withJsonBody(exchange, (body) => body);
}

function withJsonBody<T>(exchange: Exchange, use: (body: JsonValue) => MaybePromise<T>): MaybePromise<T> {
  const { request, scope } = exchange;
  const contentType = request.headers.get("content-type");
  const type = mediaTypeOf(contentType);
  if (type !== "" && type !== "application/json") throw notJson(contentType);
  assertUtf8(contentType);
  const { parsed } = request;
  if (parsed !== undefined && type !== "" && request.headers.get("content-encoding") === null) {
    return use(parsed.value as JsonValue); // of a batch, which the same parser has read
  }
  return withText(request, scope.settings.body, (text) => {
    if (/^\s*$/.test(text)) return use({});
    if (type === "") throw notJson(contentType);
    return use(parseJson(text, scope.host.limits.jsonDepth));
  });
}

/** What is taken instead stands in a header, too (RFC 9110 15.5.16). */
function notJson(contentType: string | null): ServiceError {
  const { status, message } = unsupportedMediaType(JSON_TYPE, contentType ?? "");
  return new ErrorWithHeaders({ status, message }, { Accept: JSON_TYPE });
}

const JSON_TYPE = "application/json";

/** The JSON object of a body. */
export function readJsonObject(exchange: Exchange): MaybePromise<{ readonly [name: string]: JsonValue }> {
  return andThen(readJsonBody(exchange), assertObject);
}

function assertObject(body: JsonValue): { readonly [name: string]: JsonValue } {
  if (isJsonObject(body)) return body;
  throw new ServiceError({ status: 400, message: "The request body must be a JSON object" });
}

/** A row and what to link with it. */
export interface EntityBody {
  readonly row: Row;
  readonly members: readonly BoundMember[];
  /** Rows that are created with it, or changed. */
  readonly related?: readonly RelatedRow[];
  /** Collections whose other members are parted from it. */
  readonly replaced?: readonly ReplacedCollection[];
  /** Tags of the versions that the row and those nested in it are to have. */
  readonly etags?: ReadonlyMap<Row, string>;
}

/**
 * The body as row of an entity.
 *
 * @param exchange the exchange
 * @param entity the entity
 */
export function readEntityBody(exchange: Exchange, entity: LinkedEntity): MaybePromise<EntityBody> {
  return withEntityBody(exchange, entity, (body) => body);
}

/**
 * Reads the body of an entity for what may have to be done twice, as handlers change rows.
 *
 * @param exchange the exchange
 * @param entity the entity
 * @returns gives the row, a new one each time
 */
export function readEntityBodies(exchange: Exchange, entity: LinkedEntity): MaybePromise<() => EntityBody> {
  return andThen(readJsonObject(exchange), (body) => () => entityBody(exchange, body, entity));
}

/**
 * The same as `readEntityBody`, going on with the row as soon as it is there.
 *
 * @param exchange the exchange
 * @param entity the entity
 * @param use gets the row; it runs in the context of the caller only where that has entered it
 * @returns what it gives
 */
export function withEntityBody<T>(
  exchange: Exchange,
  entity: LinkedEntity,
  use: (body: EntityBody) => MaybePromise<T>,
): MaybePromise<T> {
  return withJsonBody(exchange, (body) => use(entityBody(exchange, assertObject(body), entity)));
}

/**
 * An object as row of an entity.
 *
 * @param exchange the exchange
 * @param body the object
 * @param entity the entity
 */
export function entityBody(exchange: Exchange, body: JsonValue, entity: LinkedEntity): EntityBody {
  const input = new EntityInput(exchange);
  const row = readEntity(body, entity, input);
  input.violations.throwIfAny();
  const { members, related, replaced, etags } = input;
  assertFewRows(exchange, Math.max(members.length + related.length, etags?.size ?? 0));
  if (!etags?.size) return { row, members, related, replaced };
  return {
    row,
    members: members.map((member) => ({ ...member, tag: member.data && etags.get(member.data) })),
    related: related.map((one) => ({ ...one, tag: etags.get(one.row) })),
    replaced,
    etags,
  };
}

/** An action and its arguments. */
export interface ActionBody {
  readonly operation: LinkedOperation;
  readonly data: Row;
}

/**
 * The body as parameters of an action, going on with them as soon as they are there.
 *
 * @param exchange the exchange
 * @param named the action, or one of its overloads, which the members of the body decide on
 * @param use gets the action and its arguments; it runs in the context of the caller only where that has entered it
 * @returns what it gives
 */
export function withParameterBody<T>(
  exchange: Exchange,
  named: LinkedOperation,
  use: (body: ActionBody) => MaybePromise<T>,
): MaybePromise<T> {
  return withJsonBody(exchange, (given) => {
    const body = assertObject(given);
    const operation = actionOverload(named, body);
    const owner = qualifiedName(operation, exchange.scope.definition.name);
    const data = checked(
      exchange,
      (options) => readParameters(body, operation.params, { options, owner }),
    );
    return use({ operation, data });
  });
}

/** Full name of an operation: `S.add`, `S.Orders.close`. */
export function qualifiedName(operation: LinkedOperation, serviceName: string): string {
  if (operation.$entity) return `${operation.$entity.name}.${operation.name}`;
  return operation.name.startsWith(`${serviceName}.`) ? operation.name : `${serviceName}.${operation.name}`;
}

/** The member `value` of the body as value of a property. */
export async function readValueBody(exchange: Exchange, element: LinkedElement): Promise<unknown> {
  const body = await readJsonObject(exchange);
  // a structure is the body itself (JSON Format 4.01, 8)
  const value = element.$type.elements && !element.$type.items ? body : body.value;
  if (value === undefined) {
    throw new ServiceError({ status: 400, message: 'The request body must have a member "value"' });
  }
  return checked(exchange, (options) => readSingle(value, element, options));
}

/** The body as one value of a collection: the member `value`, for structures the body itself (Protocol 11.4.9.4). */
export async function readMemberBody(exchange: Exchange, collection: LinkedElement): Promise<unknown> {
  const body = await readJsonObject(exchange);
  const value = collection.$type.items?.$type.elements ? body : body.value;
  if (value === undefined) {
    throw new ServiceError({ status: 400, message: 'The request body must have a member "value"' });
  }
  const [member] = await checked(
    exchange,
    (options) => readSingle([value], collection, options),
  ) as unknown[];
  return member;
}

/** The text of the body as value of a property (Protocol 11.4.9.1). */
export async function readRawBody(exchange: Exchange, element: LinkedElement): Promise<unknown> {
  const { request, scope } = exchange;
  const type = mediaTypeOf(request.headers.get("content-type"));
  if (type !== "" && type !== "text/plain") throw unsupportedMediaType("text/plain", type);
  const text = await readText(request, scope.settings.body);
  const { builtin } = element.$type;
  // numbers and truth values are written as in JSON, also as plain text
  const isLiteral = (builtin === "cds.Boolean" || NUMBER_TYPES.has(builtin)) &&
    /^(?:true|false|-?(?:0|[1-9]\d{0,200})(?:\.\d{1,200})?(?:[eE][+-]?\d{1,3})?)$/.test(text);
  return checked(exchange, (options) => readSingle(isLiteral ? parseJson(text, 1) : text, element, options));
}

/** The link in the body of a `$ref` request: `{"@odata.id": "Authors(101)"}`. */
export async function readLinkBody(exchange: Exchange, target: LinkedEntity): Promise<Row> {
  const body = await readJsonObject(exchange);
  const link = body["@odata.id"] ?? body["@id"];
  if (typeof link !== "string") {
    throw new ServiceError({ status: 400, message: 'The request body must have a member "@odata.id"' });
  }
  return resolveLink(exchange, link, { target, property: "@odata.id" });
}

/** The links in the body of a `PUT` to the references of a collection: `{"value": [{"@odata.id": "Books(201)"}]}`. */
export async function readLinksBody(exchange: Exchange, target: LinkedEntity): Promise<Row[]> {
  const { value } = await readJsonObject(exchange);
  assertList(exchange, value);
  return value.map((member, index) => {
    const link = isJsonObject(member) ? member["@odata.id"] ?? member["@id"] : undefined;
    if (typeof link === "string") return resolveLink(exchange, link, { target, property: `value[${index}]` });
    const message = `"value[${index}]" must have a member "@odata.id"`;
    throw new ServiceError({ status: 400, message, target: `value[${index}]` });
  });
}

/**
 * Makes sure that a body has a list of rows, and not too many.
 *
 * @param exchange the exchange
 * @param value the member `value` of the body
 * @throws ServiceError 400
 */
export function assertList(
  exchange: Exchange,
  value: JsonValue | undefined,
): asserts value is readonly JsonValue[] {
  if (!Array.isArray(value)) {
    throw new ServiceError({ status: 400, message: 'The request body must have an array "value"' });
  }
  assertFewRows(exchange, value.length);
}

/**
 * Refuses to change more rows one by one than the limit allows.
 *
 * @throws ServiceError 400
 */
export function assertFewRows(exchange: Exchange, rows: number): void {
  const { changedRows } = exchange.scope.host.limits;
  if (rows <= changedRows) return;
  throw new ServiceError({ status: 400, message: `A request may change at most ${changedRows} rows` });
}

/**
 * The body as stream: its bytes, its type and its length, as far as elements hold them.
 *
 * @param exchange the exchange
 * @param element the element that holds the stream
 * @throws ServiceError 415 without type, 413
 */
export async function readStreamBody(exchange: Exchange, element: LinkedElement): Promise<Row> {
  const type = exchange.request.headers.get("content-type");
  if (!type) throw unsupportedMediaType();
  const { host, settings } = exchange.scope;
  const bytes = await readBytes(exchange.request, { ...settings.body, bytes: host.limits.streamBytes });
  const data: Row = { [element.name]: bytes };
  const typeElement = referenceOf(element["@Core.MediaType"]);
  if (typeElement !== undefined) data[typeElement] = type;
  const lengthElement = referenceOf(element["@odata.media.length"]);
  if (lengthElement !== undefined) data[lengthElement] = bytes.byteLength;
  return data;
}
