import type { Query, Row, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity, LinkedOperation, LinkedService } from "../../model/linked.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { type QueryScope, requestFromQuery } from "./request_from_query.ts";
import type { ServiceRequestProperties } from "./service_request.ts";
import { stepName } from "../../cqn/steps.ts";
import { equalities } from "../../cqn/conjunction.ts";

/** A request as `send` takes it: by event or operation, by HTTP method and path, or by query. */
export interface SendProperties {
  /** Name of the event or operation. */
  readonly event?: string;
  /** HTTP method, with `path`. */
  readonly method?: string;
  /** Path below the service: `Books/201`, `submitOrder`. */
  readonly path?: string;
  /** The query. */
  readonly query?: Query;
  /** Name of the entity. */
  readonly entity?: string;
  /** Keys of the instance. */
  readonly params?: readonly Row[];
  /** The payload. */
  readonly data?: unknown;
  /** Headers of the message. */
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** A service as `send` sees it. */
export interface SendScope extends QueryScope {
  /** Name of the service. */
  readonly name: string;
  /** The definition in the model. */
  readonly definition: LinkedService | undefined;
  /** The local name of an event or operation. */
  localEvent(name: string): string;
}

/** The events that stand for the methods of HTTP. */
export const METHOD_EVENTS: Readonly<Record<string, string>> = {
  GET: "READ",
  POST: "CREATE",
  PUT: "UPSERT",
  PATCH: "UPDATE",
  DELETE: "DELETE",
};

/**
 * The arguments of `send` as one object: `send("READ", "Books/201")`, `send("READ", Books)`, with a payload behind the path where the event has
 * one, and `send("order", { quantity: 1 }, headers)`. A path belongs to a method, which an event of entities stands for.
 *
 * @param request all in one object, or the name of an event or operation
 * @param data its data; for events of entities and HTTP methods maybe a path
 * @param more its headers; behind a path its data
 * @throws TypeError for what names nothing
 */
export function sendArguments(
  given: string | { readonly name: string } | SendProperties,
  data?: unknown,
  more?: unknown,
): SendProperties {
  const isWhole = typeof given === "object" && given !== null && !("name" in given);
  const request = isWhole ? given : eventName(given);
  if (typeof request !== "string") {
    const method = request.path === undefined ? undefined : methodOf(request.method ?? request.event);
    return method === undefined ? request : { ...request, method };
  }
  const path = typeof data === "string" ? data : entityNameOf(data);
  const method = path === undefined ? undefined : methodOf(request);
  if (method === undefined) return { event: request, data, headers: more as SendProperties["headers"] };
  return { method, path, ...(more === undefined ? {} : { data: more }) };
}

/** The name of a linked entity, or of a class that stands for one; rows have no elements. */
function entityNameOf(value: unknown): string | undefined {
  const isDefinition = typeof value === "function" ||
    (typeof value === "object" && value !== null && "elements" in value && "kind" in value);
  const { name } = isDefinition ? value as { readonly name?: unknown } : {};
  return typeof name === "string" ? name : undefined;
}

/** The method of HTTP that a method or an event of entities names. */
function methodOf(name = ""): string | undefined {
  if (Object.hasOwn(METHOD_EVENTS, name.toUpperCase())) return name.toUpperCase();
  return Object.keys(METHOD_EVENTS).find((method) => METHOD_EVENTS[method] === name);
}

/**
 * What the request is made from.
 *
 * @param scope the service
 * @param given the argument of `send`
 * @throws ServiceError 404 for a path that names nothing in the service
 */
export function sendProperties(scope: SendScope, given: SendProperties): ServiceRequestProperties {
  const { data, headers } = given;
  if (given.query) {
    const request = requestFromQuery(scope, given.query);
    return { ...request, headers, ...(data === undefined ? {} : { data }) };
  }
  if (given.method && given.path !== undefined) return byPath(scope, given, given.method.toUpperCase());
  const event = scope.localEvent(given.event ?? given.method ?? "");
  if (!event) throw new TypeError("A request needs event, method and path, or query");
  const target = given.entity === undefined ? undefined : scope.model.entity(scope.qualify(given.entity));
  return requestTo(scope, { ...given, event }, target);
}

function requestTo(scope: SendScope, given: SendProperties, target?: LinkedEntity): ServiceRequestProperties {
  const { event = "", data, headers, params } = given;
  if (target === undefined) {
    const operation = own(scope.definition?.operations, event);
    return { event, data, headers, params, operation };
  }
  const operation = own(target.actions, event);
  const where = params?.length ? equalities(params.at(-1)!) : undefined;
  const subject = { ref: [where ? { id: target.name, where } : target.name] };
  const query = operation
    ? { SELECT: { from: subject, one: true } }
    : queryOf(event, { subject, where, data });
  return { event, data, headers, params, target, operation, query, ...(operation ? { subject } : {}) };
}

interface QueryArguments {
  readonly subject: { readonly ref: readonly (string | { id: string; where: Xo[] })[] };
  readonly where: Xo[] | undefined;
  readonly data: unknown;
}

function queryOf(event: string, { subject, where, data }: QueryArguments): Query | undefined {
  const [first] = subject.ref;
  const name = stepName(first);
  const entity = { ref: [name] };
  const row = data as Row;
  if (event === "READ") return { SELECT: { from: entity, ...(where ? { where, one: true } : {}) } };
  if (event === "CREATE") return { INSERT: { into: entity, entries: Array.isArray(data) ? data : [row] } };
  if (event === "UPSERT") return { UPSERT: { into: entity, entries: Array.isArray(data) ? data : [row] } };
  if (event === "UPDATE") return { UPDATE: { entity, data: row, ...(where ? { where } : {}) } };
  if (event === "DELETE") return { DELETE: { from: entity, ...(where ? { where } : {}) } };
  return undefined;
}

/** `name`, `Entity`, `Entity/key`, `Entity(key)`, `Entity/key/action`; queries of URLs belong to the protocols. */
function byPath(scope: SendScope, given: SendProperties, method: string): ServiceRequestProperties {
  const path = given.path!.replace(/^\//, "");
  const found = /^([\w.]+)(?:\((.*)\)|\/([^/?]+))?(?:\/([\w.]+))?$/.exec(path);
  if (!found) throw unsupported(scope, path);
  const [, name, inParentheses, segment, last] = found;
  const local = scope.localEvent(name);
  const unbound = own(scope.definition?.operations, local);
  if (unbound) {
    if (segment !== undefined || last !== undefined) throw unsupported(scope, path);
    const type = (param: string) => unbound.params[param]?.$type.builtin;
    const data = inParentheses
      ? { ...given.data as Row, ...valuesOf(decodeURIComponent(inParentheses), type) }
      : given.data;
    return requestTo(scope, { ...given, event: local, data });
  }
  const target = scope.model.entity(scope.qualify(name));
  if (target === undefined) throw unsupported(scope, path, name);
  const key = inParentheses ?? segment;
  const params = key === undefined || key === "" ? undefined : [keysOf(target, decodeURIComponent(key))];
  if (Object.values(params?.[0] ?? {}).some(Number.isNaN)) throw unsupported(scope, path);
  const event = last === undefined ? METHOD_EVENTS[method] : scope.localEvent(last);
  if (event === undefined || (last !== undefined && !own(target.actions, event))) {
    throw unsupported(scope, path);
  }
  const data = event === "UPSERT" && params ? { ...given.data as Row, ...params[0] } : given.data ?? {};
  return requestTo(scope, { ...given, event, params, data }, target);
}

/** The error for a path that names nothing; where its first name is unknown, with the nearest one. */
function unsupported(scope: SendScope, path: string, unknown?: string): ServiceError {
  const { entities = [], operations = {} } = scope.definition ?? {};
  const known = [...entities].map((entity) => scope.localEvent(entity.name));
  const near = unknown === undefined
    ? undefined
    : nearestName(unknown, [...known, ...Object.keys(operations)]);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return new ServiceError({
    status: 404,
    message: `Service "${scope.name}" has no resource "${path}"${hint}`,
  });
}

function keysOf(entity: LinkedEntity, text: string): Row {
  const type = (name: string) => entity.$flat.get(name)?.element.$type.builtin;
  const [first] = entity.$flatKeys;
  return isLiteral(text) || !text.includes("=")
    ? { [first.name]: valueOf(text, type(first.name)) }
    : valuesOf(text, type);
}

/** `name=value,…`, where values may be quoted. */
function valuesOf(text: string, type: (name: string) => string | undefined): Row {
  const pairs = text.matchAll(/([\w.]+)\s*=\s*('(?:[^']|'')*'|[^,]*)/g);
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, valueOf(value.trim(), type(name))]));
}

function valueOf(text: string, type = ""): unknown {
  if (isLiteral(text)) return text.slice(1, -1).replaceAll("''", "'");
  if (text === "null") return null;
  if (type === "cds.Boolean") return text === "true" ? true : text === "false" ? false : NaN;
  return /^cds\.(Integer|Int|UInt|Decimal|Double)/.test(type) ? Number(text) : text;
}

function isLiteral(text: string): boolean {
  return /^'(?:[^']|'')*'$/.test(text);
}

function own(
  operations: Readonly<Record<string, LinkedOperation>> | undefined,
  name: string,
): LinkedOperation | undefined {
  return operations && Object.hasOwn(operations, name) ? operations[name] : undefined;
}

/** An event or message as `emit` takes it. */
export interface EmitProperties {
  /** Name of the event or operation. */
  readonly event: string;
  /** The payload. */
  readonly data?: unknown;
  /** Headers of the message. */
  readonly headers?: Readonly<Record<string, unknown>>;
}

/**
 * The name of an event or operation.
 *
 * @param event its name, definition, or what carries its typed name
 * @throws TypeError for anything else
 */
export function eventName(event: unknown): string {
  const name = typeof event === "object" && event !== null
    ? (event as { readonly name?: unknown }).name
    : event;
  if (typeof name === "string" && name !== "") return name;
  const found = event === null ? "null" : event === "" ? "an empty text" : typeof event;
  throw new TypeError(`The name of an event is expected, but found ${found}`);
}
