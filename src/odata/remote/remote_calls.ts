/**
 * Requests of a service that runs elsewhere, as they are sent.
 *
 * @module
 */

import type { EntityRef, InsertBody, Query, RefStep, Row, SelectBody } from "../../cqn/cqn.ts";
import { entriesOf, isRow } from "../../cqn/entries_of.ts";
import type { LinkedEntity, LinkedModel, ResolvedType } from "../../model/linked.ts";
import { materializeQuery } from "../../service/requests/materialize_query.ts";
import { METHOD_EVENTS } from "../../service/requests/send_properties.ts";
import type { ServiceRequest } from "../../service/requests/service_request.ts";
import type { Service } from "../../service/service.ts";
import type { ODataRelativeUri, PathSegment } from "../url/ast.ts";
import { type RemoteAnswer, type RemoteCall, RemoteError } from "./remote_client.ts";
import { RemoteConnection, type RemoteConnectionOptions } from "./remote_connection.ts";
import { elementAt, notPossible, type RemoteScope } from "./remote_expression.ts";
import { functionCall, pathSegments, remoteKeys, segment, withFilter } from "./remote_paths.ts";
import { readRemoteRow, readRemoteValue, type RemoteWire, wireOf } from "./remote_wire.ts";
import { isCount, remoteRead, type RemoteShape } from "./remote_read.ts";
import { functionOptions } from "./v2/v2_url.ts";
import { stepName, stepsTo } from "../../cqn/steps.ts";

/** Sends the requests of one service. */
export class RemoteCalls {
  readonly #service: Service;
  readonly #client: RemoteConnection;
  readonly #wire: RemoteWire;

  /**
   * Calls nothing yet.
   *
   * @param service the service
   * @param options where it is
   */
  constructor(service: Service, options: RemoteConnectionOptions) {
    this.#service = service;
    this.#client = new RemoteConnection(options);
    this.#wire = wireOf(options.options.kind);
  }

  /**
   * Sends a request.
   *
   * @param req a request that no handler answered
   * @throws ServiceError 502 where the other service fails, 501 for what cannot be sent
   */
  async answer(req: ServiceRequest): Promise<unknown> {
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
      const body = this.#wire.write(query.UPDATE.data ?? {}, req.target);
      return await this.#change(query, {
        ref: query.UPDATE.entity,
        req,
        call: { method: this.#wire.change, body },
      });
    }
    if ("DELETE" in query) {
      return await this.#change(query, { ref: query.DELETE.from, req, call: { method: "DELETE" } });
    }
    throw notPossible("A set operation");
  }

  async #read(given: SelectBody, req: ServiceRequest): Promise<unknown> {
    const entity = req.target;
    const select = entity && !leadsToOne(given.from, this.#service.model) ? withFilter(given, entity) : given;
    if (!("ref" in select.from)) throw notPossible("A join or subquery");
    const keys = select.one && entity ? remoteKeys({ SELECT: select }, entity) : undefined;
    const path = this.#resource(select.from.ref, keys, entity);
    const scope: RemoteScope = { entity, prefix: [], context: req };
    const body = keys ? { ...select, where: undefined } : select;
    const isAddressed = keys !== undefined || hasKey(path) ||
      leadsToOne(select.from, this.#service.model);
    const isOne = select.one && !isAddressed && !isCount(select.columns);
    const limited = isOne ? { ...body, limit: { rows: { val: 1 }, ...body.limit } } : body;
    const { url, shape, countAs } = remoteRead(limited, path, scope);
    const answer = await this.#call({ method: "GET", url: this.#wire.print(url) }, req);
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
      const count = this.#service.options.kind === "rest" ? restCount(body) : control(body, "count");
      if (count !== undefined && page === 1) rows.$count = Number(count);
      const next = control(body, "nextLink");
      if (typeof next !== "string" || rows.length >= top) return rows;
      if (page >= this.#service.host.limits.remotePages) {
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
    const ref = stepsTo(body.into);
    const entity = req.target;
    const results: unknown[] = [];
    for (const entry of entries) {
      const keys = method === "PUT" ? keysOf(entry, entity) : undefined;
      const url = this.#wire.print(plain(this.#resource(ref, keys, entity)));
      const answer = await this.#call({ method, url, body: this.#wire.write(entry, entity) }, req);
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
    const keys = req.target && remoteKeys(query, req.target);
    const path = this.#resource(stepsTo(ref), keys, req.target);
    if (!hasKey(path)) throw notPossible("A change of rows that are not addressed by key");
    const answer = await this.#call({ ...call, url: this.#wire.print(plain(path)) }, req);
    return answer.status === 404 ? 0 : 1;
  }

  async #operation(req: ServiceRequest): Promise<unknown> {
    const operation = req.operation!;
    const isBound = operation.$entity !== undefined;
    const path = isBound ? this.#resource(req.subject.ref, undefined, req.target) : [];
    const local = this.#service.localEvent(operation.name);
    const name = isBound && this.#service.options.kind !== "rest" ? `${this.#namespace}.${local}` : local;
    const data = (req.data ?? {}) as Row;
    if (this.#wire.callsByUrl) return await this.#callByUrl(name, data, req);
    if (operation.kind === "action") {
      const url = this.#wire.print(plain([...path, segment(name)]));
      return this.#result(await this.#call({ method: "POST", url, body: this.#wire.write(data) }, req), req);
    }
    const { segment: call, aliases } = functionCall(name, operation, data);
    const url = this.#wire.print({ ...plain([...path, call]), options: { aliases, offsets: {} } });
    return this.#result(await this.#call({ method: "GET", url }, req), req);
  }

  /** Calls a function import, whose parameters are options of the URL. */
  async #callByUrl(name: string, data: Row, req: ServiceRequest): Promise<unknown> {
    const operation = req.operation!;
    if (operation.$entity) throw notPossible("A bound operation");
    const custom = functionOptions(operation, data);
    const url = this.#wire.print({ ...plain([segment(name)]), options: { custom, offsets: {} } });
    if (operation.kind !== "action") return this.#result(await this.#call({ method: "GET", url }, req), req);
    // there are services that read the parameters of requests with a type of content only
    const headers = { ...req.messageHeaders, "content-type": "application/json" };
    return this.#result(await this.#call({ method: "POST", url, headers }, req), req);
  }

  /** An operation the model does not know is sent as action. */
  async #undeclared(req: ServiceRequest): Promise<unknown> {
    const url = this.#wire.print(plain([segment(req.event)]));
    const answer = await this.#call({ method: "POST", url, body: this.#wire.write(req.data ?? {}) }, req);
    return this.#result(answer, req);
  }

  async #byPath(req: ServiceRequest): Promise<unknown> {
    const { method, data } = req;
    const path = this.#localPath(req.path);
    const isRead = method === "GET" || method === "DELETE";
    const call = { method, url: path, body: isRead ? undefined : this.#wire.write(data) };
    return this.#result(await this.#call(call, req), req);
  }

  /** Full names of entities, as definitions have them, become names of their sets. */
  #localPath(path: string): string {
    const [, first = "", rest = ""] = /^\/?([^/?(]*)(.*)$/s.exec(path) ?? [];
    return this.#service.model.entity(first)
      ? this.#wire.print(plain(pathSegments([first], this.#service))) + rest
      : path;
  }

  async #call(call: RemoteCall, req: ServiceRequest): Promise<RemoteAnswer> {
    const answer = await this.#client.send({ headers: req.messageHeaders, context: req, ...call });
    const called = req.operation && this.#service.localEvent(req.operation.name);
    return { ...answer, body: this.#wire.read(answer.body, called) };
  }

  /** The body of an answer; 404 is a failure here. */
  #found({ status, body, url }: RemoteAnswer): unknown {
    if (status !== 404) return body;
    throw this.#client.failure(new RemoteError(`${url} was answered 404`, { status, body }), url);
  }

  #result(answer: RemoteAnswer, req: ServiceRequest): unknown {
    const body = this.#found(answer);
    if (body === undefined) return undefined;
    const type = req.operation?.returns?.$type;
    if (isCollection(body)) return collectionOf(body).map((one) => this.#resultOf(one, type?.items?.$type));
    if (!isRow(body)) return readRemoteValue(body, type);
    const names = Object.keys(body).filter((name) => !name.includes("@"));
    const isWrapped = names.length === 1 && names[0] === "value" && !type?.elements;
    return this.#resultOf(isWrapped ? body.value : body, type);
  }

  /** A row has the members of its entity as they are stored, anything else those of its type. */
  #resultOf(value: unknown, type: ResolvedType | undefined): unknown {
    const entity = type?.typeName === undefined ? undefined : this.#service.model.entity(type.typeName);
    return entity && isRow(value) ? readRemoteRow(value, shapeOf(entity)) : readRemoteValue(value, type);
  }

  #resource(ref: readonly RefStep[], keys: Row | undefined, entity: LinkedEntity | undefined): PathSegment[] {
    const segments = pathSegments(ref, this.#service);
    const last = segments.at(-1);
    if (!keys || last?.kind !== "nameSegment") return segments;
    return [...segments.slice(0, -1), segment(last.name, keys, entity)];
  }

  get #namespace(): string {
    return this.#service.definition?.name ?? this.#service.name;
  }
}

function plain(path: readonly PathSegment[]): ODataRelativeUri {
  return { path, options: { offsets: {} } };
}

function hasKey(path: readonly PathSegment[]): boolean {
  const last = path.at(-1);
  return last?.kind === "nameSegment" && last.parens.length > 0;
}

/** Whether a path ends with an association to one row. */
function leadsToOne(from: SelectBody["from"], model: LinkedModel): boolean {
  if (!("ref" in from)) return false;
  const [root, ...steps] = from.ref;
  const names = steps.map(stepName);
  const first = model.entity(stepName(root));
  const last = names.length > 0 ? elementAt(first, names) : undefined;
  return last !== undefined && !last.is2many;
}

function keysOf(entry: Row, entity: LinkedEntity | undefined): Row {
  const names = entity?.$flatKeys.map((key) => key.name) ?? ["ID"];
  const missing = names.find((name) => entry[name] === undefined);
  if (missing !== undefined) throw notPossible(`An UPSERT without key "${missing}"`);
  return Object.fromEntries(names.map((name) => [name, entry[name]]));
}

function shapeOf(entity: LinkedEntity | undefined): RemoteShape {
  return { entity, aliases: [], paths: [], expands: new Map(), along: new Map() };
}

/** Whether an answer has several rows. */
function isCollection(body: unknown): boolean {
  return Array.isArray(body) || (isRow(body) && Array.isArray(body.value));
}

/** OData wraps collections in `value`; REST does not. */
function collectionOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  return isRow(body) && Array.isArray(body.value) ? body.value : [];
}

/** Control information by its short and its long name. */
function control(body: unknown, name: string): unknown {
  return isRow(body) ? body[`@odata.${name}`] ?? body[`@${name}`] : undefined;
}

/** REST answers `{count, value}` in place of an array. */
function restCount(body: unknown): unknown {
  return isRow(body) ? body.count : undefined;
}
