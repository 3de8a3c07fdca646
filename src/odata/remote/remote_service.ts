/**
 * Services that run elsewhere and are called over HTTP by OData or REST (api 10).
 *
 * @module
 */

import { sendByFetch, type SendRequest } from "../../auth/token_client/client_key_pair.ts";
import type {
  EntityRef,
  InsertBody,
  Query,
  QueryParams,
  RefStep,
  Row,
  SelectBody,
  Source,
} from "../../cqn/cqn.ts";
import { entriesOf } from "../../cqn/entries_of.ts";
import type { EventName } from "../../cqn/typed_names.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { addressedKeys } from "../../service/requests/addressed_keys.ts";
import { materializeQuery } from "../../service/requests/materialize_query.ts";
import { METHOD_EVENTS, sendArguments, type SendProperties } from "../../service/requests/send_properties.ts";
import { Service, type ServiceOptions } from "../../service/service.ts";
import { ServiceRequest } from "../../service/requests/service_request.ts";
import type { ODataRelativeUri, PathSegment } from "../url/ast.ts";
import { printUrl } from "../url/print_url.ts";
import { type RemoteAnswer, type RemoteCall, RemoteClient, RemoteError } from "./remote_client.ts";
import { LocalProjection } from "./local_projection.ts";
import { projectedSelect, projectedWrite } from "./projected_query.ts";
import { elementAt, notPossible, type RemoteScope } from "./remote_expression.ts";
import { remoteAuthentication } from "./remote_authentication.ts";
import { functionCall, pathSegments, segment } from "./remote_paths.ts";
import { readRemoteRow, readRemoteValue, writeRemoteBody } from "./remote_payload.ts";
import { countName, isCount, remoteRead, type RemoteShape } from "./remote_read.ts";

/** What a remote service is made from. */
export interface RemoteServiceOptions extends ServiceOptions {
  /** Sends requests; default: `fetch`. */
  readonly fetch?: SendRequest;
}

/**
 * A service called over HTTP. Queries, operations and requests by path are sent when no `on` handler answers them;
 * failures are errors of status 502 whose details only the log and `error.cause` have.
 */
export class RemoteService extends Service {
  readonly #client: RemoteClient;

  /**
   * Creates a service.
   *
   * @param options name, runtime, definition, and the configuration entry with `credentials.url`
   * @throws ConfigurationError when there is no URL
   */
  constructor(options: RemoteServiceOptions) {
    super(options);
    const { name, host } = this;
    const { fetch = sendByFetch } = options;
    this.#client = new RemoteClient({
      name,
      options: this.options,
      log: host.log("remote"),
      answerBytes: host.limits.remoteAnswerBytes,
      redirects: host.limits.remoteRedirects,
      fetch,
      authentication: remoteAuthentication({ name, options: this.options, host, fetch }),
    });
  }

  /**
   * Sends a request: by event or operation, by query, or by HTTP method and path, which go out as they are.
   *
   * @param given name of an event or operation, or all in one object
   * @param data its data, or a path
   * @param headers its headers; behind a path its data
   */
  override async send<D, R = unknown>(
    given: string | EventName<D, R> | SendProperties,
    data?: D,
    headers?: Readonly<Record<string, unknown>>,
  ): Promise<R> {
    const request = sendArguments(given, data, headers);
    if (!request.method || request.path === undefined) return await super.send(request) as R;
    const method = request.method.toUpperCase();
    const properties = {
      event: METHOD_EVENTS[method] ?? method,
      method,
      path: request.path,
      data: request.data ?? {},
    };
    const { context } = this;
    const req = new ServiceRequest({ ...properties, headers: request.headers ?? {}, context });
    return await this.dispatch(req) as R; // what the other service answers is not checked
  }

  /**
   * Runs queries; those on local projections of entities of this service are sent as queries on these entities.
   *
   * @param query a query, or several
   * @param params values of its parameters
   */
  override async run(query: Query | readonly Query[], params?: QueryParams): Promise<unknown> {
    if (isSeveral(query)) return await super.run(query, params);
    const statement = params ? materializeQuery(query, params) : query;
    const local = this.#localEntity(statement);
    if (!local || !this.definition || "SET" in statement) return await super.run(statement);
    if (!LocalProjection.of(local, this.definition)) {
      throw notPossible(`A path that begins at "${local.name}", which is not of "${this.name}",`);
    }
    if ("SELECT" in statement) {
      const { SELECT } = statement;
      const { select, passed = [] } = projectedSelect(SELECT, local, this.definition) ?? { select: SELECT };
      for (const one of passed) {
        if (await super.run({ SELECT: one }) === null) return noRows(SELECT);
      }
      return await super.run({ SELECT: select });
    }
    const write = projectedWrite(statement, local, this.definition);
    return write ? write.result(await super.run(write.query)) : await super.run(statement);
  }

  /** The entity at the begin of the path of a query. */
  #localEntity(query: Query): LinkedEntity | undefined {
    const source = sourceOf(query);
    const root = typeof source === "string" ? source : source && "ref" in source ? source.ref[0] : undefined;
    return root === undefined
      ? undefined
      : this.model.entity(this.qualify(typeof root === "string" ? root : root.id));
  }

  /** Sends a request that no handler answered. */
  override async handleGeneric(req: ServiceRequest): Promise<unknown> {
    if (req.operation) return await this.#operation(req);
    const { statement } = req;
    if (statement) {
      const { query, params } = statement;
      return await this.#query(params ? materializeQuery(query, params) : query, req);
    }
    return req.method in METHOD_EVENTS ? await this.#byPath(req) : await this.#undeclared(req);
  }

  async #query(query: Query, req: ServiceRequest): Promise<unknown> {
    if ("SELECT" in query) return await this.#read(query.SELECT, req);
    if ("INSERT" in query) return await this.#insert(query.INSERT, req, "POST");
    if ("UPSERT" in query) return await this.#insert(query.UPSERT, req, "PUT");
    if ("UPDATE" in query) {
      if (query.UPDATE.with) throw notPossible("A calculated value");
      const body = writeRemoteBody(query.UPDATE.data ?? {}, req.target);
      return await this.#change(query, { ref: query.UPDATE.entity, req, call: { method: "PATCH", body } });
    }
    if ("DELETE" in query) {
      return await this.#change(query, { ref: query.DELETE.from, req, call: { method: "DELETE" } });
    }
    throw notPossible("A set operation");
  }

  async #read(select: SelectBody, req: ServiceRequest): Promise<unknown> {
    if (!("ref" in select.from)) throw notPossible("A join or subquery");
    const entity = req.target;
    const keys = select.one && entity ? addressedKeys({ SELECT: select }, entity) : undefined;
    const path = this.#resource(select.from.ref, keys, entity);
    const scope: RemoteScope = { entity, prefix: [], context: req };
    const body = keys ? { ...select, where: undefined } : select;
    const isAddressed = keys !== undefined || hasKey(path) || leadsToOne(select.from.ref, this.model);
    const isOne = select.one && !isAddressed && !isCount(select.columns);
    const limited = isOne ? { ...body, limit: { rows: { val: 1 }, ...body.limit } } : body;
    const { url, shape, countAs } = remoteRead(limited, path, scope);
    const answer = await this.#call({ method: "GET", url: printUrl(url) }, req);
    if (countAs !== undefined) {
      const row = { [countAs]: Number(this.#found(answer)) };
      return select.one ? row : [row];
    }
    if (answer.status === 404 && isAddressed) return select.one ? null : [];
    if (isAddressed && !isCollection(answer.body)) {
      const row = answer.body === undefined ? null : readRemoteRow(answer.body, shape);
      return select.one ? row : row === null ? [] : [row];
    }
    const rows = await this.#pages(answer, { shape, req, top: url.options.top });
    return select.one ? rows[0] ?? null : rows;
  }

  /** The rows of an answer and of the pages that follow it. */
  async #pages(
    first: RemoteAnswer,
    { shape, req, top = Infinity }: { shape: RemoteShape; req: ServiceRequest; top?: number },
  ): Promise<Row[]> {
    const rows: Row[] & { $count?: number } = [];
    let answer = first;
    for (let page = 1;; page++) {
      const body = this.#found(answer);
      for (const one of collectionOf(body)) rows.push(readRemoteRow(one, shape));
      const count = this.options.kind === "rest" ? restCount(body) : control(body, "count");
      if (count !== undefined && page === 1) rows.$count = Number(count);
      const next = control(body, "nextLink");
      if (typeof next !== "string" || rows.length >= top) return rows;
      if (page >= this.host.limits.remotePages) {
        throw this.#client.failure(
          new RemoteError(`More than ${page} pages: ask for less by a limit`),
          first.url,
        );
      }
      answer = await this.#call({ method: "GET", url: new URL(next, answer.url).href }, req);
    }
  }

  async #insert(body: InsertBody, req: ServiceRequest, method: "POST" | "PUT"): Promise<unknown> {
    if (body.from) throw notPossible("An INSERT from a query");
    const entries = entriesOf(body);
    const ref = refOf(body.into);
    const entity = req.target;
    const results: unknown[] = [];
    for (const entry of entries) {
      const keys = method === "PUT" ? keysOf(entry, entity) : undefined;
      const url = printUrl(plain(this.#resource(ref, keys, entity)));
      const answer = await this.#call({ method, url, body: writeRemoteBody(entry, entity) }, req);
      const written = this.#found(answer);
      results.push(written === undefined ? entry : readRemoteRow(written, shapeOf(entity)));
    }
    return results.length === 1 ? results[0] : results;
  }

  /** Changes or deletes the one row that a query addresses. */
  async #change(
    query: Query,
    { ref, req, call }: { ref: EntityRef; req: ServiceRequest; call: Pick<RemoteCall, "method" | "body"> },
  ): Promise<number> {
    const keys = req.target && addressedKeys(query, req.target);
    const path = this.#resource(refOf(ref), keys, req.target);
    if (!hasKey(path)) throw notPossible("A change of rows that are not addressed by key");
    const answer = await this.#call({ ...call, url: printUrl(plain(path)) }, req);
    return answer.status === 404 ? 0 : 1;
  }

  async #operation(req: ServiceRequest): Promise<unknown> {
    const operation = req.operation!;
    const isBound = operation.$entity !== undefined;
    const path = isBound ? this.#resource(req.subject.ref, undefined, req.target) : [];
    const local = this.localEvent(operation.name);
    const name = isBound && this.options.kind !== "rest" ? `${this.#namespace}.${local}` : local;
    const data = (req.data ?? {}) as Row;
    if (operation.kind === "action") {
      const url = printUrl(plain([...path, segment(name)]));
      return this.#result(await this.#call({ method: "POST", url, body: writeRemoteBody(data) }, req), req);
    }
    const { segment: call, aliases } = functionCall(name, operation, data);
    const url = printUrl({ ...plain([...path, call]), options: { aliases, offsets: {} } });
    return this.#result(await this.#call({ method: "GET", url }, req), req);
  }

  /** An operation the model does not know is sent as action. */
  async #undeclared(req: ServiceRequest): Promise<unknown> {
    const url = printUrl(plain([segment(req.event)]));
    const answer = await this.#call({ method: "POST", url, body: writeRemoteBody(req.data ?? {}) }, req);
    return this.#result(answer, req);
  }

  async #byPath(req: ServiceRequest): Promise<unknown> {
    const { method, data } = req;
    const path = this.#localPath(req.path);
    const isRead = method === "GET" || method === "DELETE";
    const call = { method, url: path, body: isRead ? undefined : writeRemoteBody(data) };
    return this.#result(await this.#call(call, req), req);
  }

  /** Full names of entities, as definitions have them, become names of their sets. */
  #localPath(path: string): string {
    const [, first = "", rest = ""] = /^\/?([^/?(]*)(.*)$/s.exec(path) ?? [];
    return this.model.entity(first) ? printUrl(plain(pathSegments([first], this))) + rest : path;
  }

  async #call(call: RemoteCall, req: ServiceRequest): Promise<RemoteAnswer> {
    return await this.#client.send({ headers: req.messageHeaders, context: req, ...call });
  }

  /** The body of an answer; 404 is a failure here. */
  #found({ status, body, url }: RemoteAnswer): unknown {
    if (status !== 404) return body;
    throw this.#client.failure(new RemoteError(`${url} was answered 404`, { status, body }), url);
  }

  #result(answer: RemoteAnswer, req: ServiceRequest): unknown {
    const body = this.#found(answer);
    if (body === undefined) return undefined;
    const { returns } = req.operation ?? {};
    const shape = shapeOf(returns?.$type.items?.$target);
    if (isCollection(body)) {
      const type = returns?.$type.items?.$type;
      return collectionOf(body).map((one) =>
        isObject(one) ? readRemoteRow(one, shape) : readRemoteValue(one, type)
      );
    }
    if (!isObject(body)) return readRemoteValue(body, returns?.$type);
    const names = Object.keys(body).filter((name) => !name.includes("@"));
    const isWrapped = names.length === 1 && names[0] === "value" && !returns?.$type.elements;
    return isWrapped ? readRemoteValue(body.value, returns?.$type) : readRemoteRow(body, shape);
  }

  #resource(ref: readonly RefStep[], keys: Row | undefined, entity: LinkedEntity | undefined): PathSegment[] {
    const segments = pathSegments(ref, this);
    const last = segments.at(-1);
    if (!keys || last?.kind !== "nameSegment") return segments;
    return [...segments.slice(0, -1), segment(last.name, keys, entity)];
  }

  get #namespace(): string {
    return this.definition?.name ?? this.name;
  }
}

/** The result of a query that finds nothing. */
function noRows({ one, columns }: SelectBody): unknown {
  const countAs = countName(columns);
  if (countAs === undefined) return one ? null : [];
  return one ? { [countAs]: 0 } : [{ [countAs]: 0 }];
}

function isSeveral(query: Query | readonly Query[]): query is readonly Query[] {
  return Array.isArray(query);
}

function sourceOf(query: Query): EntityRef | Source | undefined {
  if ("SELECT" in query) return query.SELECT.from;
  if ("INSERT" in query) return query.INSERT.into;
  if ("UPSERT" in query) return query.UPSERT.into;
  if ("UPDATE" in query) return query.UPDATE.entity;
  return "DELETE" in query ? query.DELETE.from : undefined;
}

function plain(path: readonly PathSegment[]): ODataRelativeUri {
  return { kind: "odataRelativeUri", path, options: { offsets: {} } };
}

function hasKey(path: readonly PathSegment[]): boolean {
  const last = path.at(-1);
  return last?.kind === "nameSegment" && last.parens.length > 0;
}

/** Whether a path ends with an association to one row. */
function leadsToOne([root, ...steps]: readonly RefStep[], model: LinkedModel): boolean {
  const names = steps.map((step) => typeof step === "string" ? step : step.id);
  const first = model.entity(typeof root === "string" ? root : root.id);
  const last = names.length > 0 ? elementAt(first, names) : undefined;
  return last !== undefined && !last.is2many;
}

function refOf(entity: EntityRef): readonly RefStep[] {
  return typeof entity === "string" ? [entity] : entity.ref;
}

function keysOf(entry: Row, entity: LinkedEntity | undefined): Row {
  const names = entity?.$flatKeys.map((key) => key.name) ?? ["ID"];
  const missing = names.find((name) => entry[name] === undefined);
  if (missing !== undefined) throw notPossible(`An UPSERT without key "${missing}"`);
  return Object.fromEntries(names.map((name) => [name, entry[name]]));
}

function shapeOf(entity: LinkedEntity | undefined): RemoteShape {
  return { entity, aliases: [], paths: [], expands: new Map(), hidden: new Set() };
}

function isCollection(body: unknown): boolean {
  return Array.isArray(body) || (isObject(body) && Array.isArray(body.value));
}

/** OData wraps collections in `value`; REST does not. */
function collectionOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  return isObject(body) && Array.isArray(body.value) ? body.value : [];
}

/** Control information by its short and its long name. */
function control(body: unknown, name: string): unknown {
  return isObject(body) ? body[`@odata.${name}`] ?? body[`@${name}`] : undefined;
}

/** REST answers `{count, value}` in place of an array. */
function restCount(body: unknown): unknown {
  return isObject(body) ? body.count : undefined;
}

function isObject(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
