/**
 * Requests as handlers see them (spec 2.3).
 *
 * @module
 */

import { QueryBuilder } from "../../cqn/builders/query_builder.ts";
import { assertQuery, queryTarget } from "../../cqn/is_query.ts";
import { noteUse } from "../../cqn/query_runner.ts";
import type { Query, QueryParams, RefExpression, Row } from "../../cqn/cqn.ts";
import type { LinkedEntity, LinkedOperation } from "../../model/linked.ts";
import { addressedKeys, conditionOf, keysInPath } from "./addressed_keys.ts";
import { ownerOf } from "../../context/event_context.ts";
import type { User } from "../../context/user.ts";
import { dataDiff, type RowDiff } from "./data_diff.ts";
import { fluentQuery, materializeQuery } from "./materialize_query.ts";
import { ServiceEvent, type ServiceEventProperties } from "./service_event.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";

/** What a request is made from. Protocol adapters give all that the URL and body tell. */
export interface ServiceRequestProperties extends Omit<ServiceEventProperties, "event"> {
  /** Name of the event or operation; default: what the query does. */
  readonly event?: string;
  /** The query; of a request made by hand, the service it is given to finds the target. */
  readonly query?: Query;
  /** Values of the parameters of `query`; their presence says that `query` is a frozen template. */
  readonly queryParams?: QueryParams;
  /** The entity addressed. */
  readonly target?: LinkedEntity;
  /** Canonical path with navigation: `CatalogService.Books/author`. */
  readonly path?: string;
  /** Keys of the path in URL order: `[{ID}, {title, edition}]`. */
  readonly params?: readonly Row[];
  /** Reference to what is addressed, whatever the query options. */
  readonly subject?: RefExpression;
  /** The operation, for actions and functions. */
  readonly operation?: LinkedOperation;
  /** HTTP method if it is not the one that belongs to the event. */
  readonly method?: string;
  /**
   * Set by an adapter that can pass JSON text on: the generic READ handler may then answer `JsonRows` of the
   * database instead of objects, if no other handler sees the result.
   */
  readonly acceptsJson?: boolean;
  /**
   * Set by an adapter that can stream a large result: the generic READ handler may then answer a `RowCursor`, which ends
   * with the transaction unless it is detached.
   */
  readonly acceptsCursor?: boolean;
  /** What must hold beside, checked behind authorization and input: throws if it does not. */
  readonly precondition?: () => MaybePromise<void>;
}

/** A query with the values of its parameters. */
export interface Statement {
  /** The query. */
  readonly query: Query;
  /** Values of the parameters, if `query` is a template. */
  readonly params?: QueryParams;
}

const METHODS: Readonly<Record<string, string>> = {
  CREATE: "POST",
  READ: "GET",
  UPDATE: "PATCH",
  UPSERT: "PUT",
  DELETE: "DELETE",
};

/** Requests of handlers inside of one another: what is deeper calls itself without end. */
const MOST_NESTED = 500;

function nestedTooDeeply(event: string, entity: string | undefined): Error {
  const what = entity === undefined ? event : `${event} of "${entity}"`;
  return new Error(
    `${what} is requested ${MOST_NESTED} times inside of other requests: a handler seems to request what it handles; ` +
      "call next() for the handlers behind it, or run the query at the service that has the rows",
  );
}

/**
 * A synchronous request to a service.
 *
 * @typeParam D its data: the row that is written, or the parameters of an operation
 * @typeParam K keys of the entity it addresses
 */
export class ServiceRequest<D = unknown, K extends object = Row> extends ServiceEvent<D> {
  /** The entity addressed, the last one of a navigation; undefined for unbound operations. */
  target: LinkedEntity | undefined;
  /** The operation, for actions and functions. */
  readonly operation: LinkedOperation | undefined;
  /** Whether the caller takes JSON text of the database as result. */
  readonly acceptsJson: boolean;
  /** Whether the caller takes a cursor as result. */
  readonly acceptsCursor: boolean;
  /** Whether the request came with a reference to what it addresses, as those of protocols do. */
  readonly isAddressed: boolean;
  /** What must hold before the first handler runs. */
  readonly precondition: (() => MaybePromise<void>) | undefined;
  /**
   * Refuses the request if it addresses a row that the user may not change; set where the statement itself finds no such
   * row, so that the question is asked only if the request fails.
   */
  refusal: (() => MaybePromise<void>) | undefined;
  /** The user that managed elements of new rows were filled in for. */
  filledFor: User | undefined;
  /** The row that the generic handler wrote, as it answered it; undefined where it did not run. */
  written: Row | undefined;
  #statement: Statement | undefined;
  #empty: Query | undefined;
  #path: string | undefined;
  #method: string | undefined;
  #params: readonly Row[] | undefined;
  #keyObjects: readonly Row[] | undefined;
  #subject: RefExpression | undefined;

  /**
   * Creates a request.
   *
   * @param properties what the request is about
   * @throws TypeError without event and query
   * @throws Error where requests are nested so deeply that a handler must be calling itself
   */
  constructor(properties: ServiceRequestProperties) {
    super(properties as ServiceEventProperties); // the query tells an event that is missing
    if (properties.event === undefined) this.event = eventOfQuery(properties.query);
    if (this.depth > MOST_NESTED) throw nestedTooDeeply(this.event, properties.target?.name);
    this.target = properties.target;
    this.operation = properties.operation;
    this.acceptsJson = properties.acceptsJson === true;
    this.acceptsCursor = properties.acceptsCursor === true;
    this.isAddressed = properties.subject !== undefined;
    this.precondition = properties.precondition;
    if (properties.query !== undefined) {
      this.#statement = { query: properties.query, params: properties.queryParams };
    }
    this.#path = properties.path;
    this.#method = properties.method;
    this.#params = properties.params;
    this.#subject = properties.subject;
  }

  /** The payload; without one the keys of the instance addressed, or an empty object. */
  override get data(): D {
    const given = super.data;
    if (given !== undefined) return given;
    super.data = { ...(this.#params?.at(-1) ?? this.#keys() ?? this.#keysInPath()) } as D;
    return super.data;
  }
  override set data(value: D) {
    super.data = value;
    if (this.#statement) {
      this.#statement = { ...this.#statement, query: withData(this.#statement.query, value) };
    }
  }

  /**
   * Sets what the query addresses, where the request was made without its target.
   *
   * @param given target, path, data, and the query with full names
   */
  address(
    { query, target, path, data }: Pick<ServiceRequestProperties, "query" | "target" | "path" | "data">,
  ): void {
    this.target = target;
    this.#path ??= path;
    if (query) this.#statement = { query };
    if (super.data === undefined && data !== undefined) super.data = data as D;
  }

  /** HTTP method that belongs to the event; the name of an operation for itself. */
  get method(): string {
    return this.#method ?? METHODS[this.event] ?? this.event;
  }

  /** Full name of the target. */
  get entity(): string | undefined {
    return this.target?.name ?? (this.#statement && this.#path);
  }

  /** Canonical path with navigation; without navigation the name of the target, of operations their name. */
  get path(): string {
    return this.#path ?? this.target?.name ?? this.event;
  }

  /**
   * Key objects in the order of the URL; one of a single key converts to its value. They have the type of the keys of the
   * entity that a handler is registered for; behind a path through several entities those of the outer ones come first.
   */
  get params(): readonly K[] {
    return (this.#keyObjects ??= keyObjects(this.#params)) as readonly unknown[] as readonly K[]; // see above
  }

  /**
   * The request as CQN, for handlers to look at and to change. A template becomes an ordinary query here; of unbound
   * operations it is an empty object.
   */
  get query(): Query {
    const statement = this.#statement;
    if (statement === undefined) return this.#empty ??= {} as Query;
    const { params } = statement;
    const query = params === undefined ? statement.query : materializeQuery(statement.query, params);
    return (this.#statement = { query: fluentQuery(this.#withPath(query)) }).query;
  }
  set query(query: Query) {
    noteUse(query);
    this.#statement = { query };
  }

  /**
   * The query as it will run, template and values apart: for steps of the framework, which replace it without
   * making it an ordinary query.
   */
  get statement(): Statement | undefined {
    return this.#statement;
  }
  set statement(statement: Statement | undefined) {
    this.#statement = statement;
  }

  /** Points to the instance or instances addressed, whatever the query options. */
  get subject(): RefExpression {
    return this.#subject ??= this.#querySubject() ??
      { ref: this.target === undefined ? [] : [this.target.name] };
  }

  /**
   * The differences between data and what is stored: the changed row with `_op` and `_old`, parts along compositions
   * included.
   *
   * @param data the new values; default: those of the request
   * @throws TypeError for a request that is about no entity, or without a database
   */
  async diff(data: Row = this.data as Row): Promise<RowDiff> {
    const { db } = (ownerOf(this) ?? {}) as { readonly db?: { run(query: Query): Promise<unknown> } }; // a runtime
    if (!this.target || !db) throw new TypeError("Expected a request about an entity in a database");
    const { event, target, subject } = this;
    return await dataDiff(data, { event, target, subject, read: (query) => db.run(query) });
  }

  /** Rows are inserted into what the request addresses, which may be a collection of another row. */
  #withPath(query: Query): Query {
    if (query instanceof QueryBuilder || !("INSERT" in query) || typeof query.INSERT.into !== "string") {
      return query;
    }
    const last = this.subject.ref.at(-1);
    const into = typeof last === "string" ? { ref: this.subject.ref } : { ref: [query.INSERT.into] };
    return { INSERT: { ...query.INSERT, into } };
  }

  /** The path of the query; a condition on nothing but the key belongs to it. */
  #querySubject(): RefExpression | undefined {
    const query = this.#ownQuery();
    const path = query && queryTarget(query);
    if (path === undefined || path.ref.length === 0) return undefined;
    if (this.#keys() === undefined) return { ref: path.ref };
    const last = path.ref.at(-1)!;
    const step = { ...(typeof last === "string" ? { id: last } : last), where: conditionOf(query!) };
    return { ref: [...path.ref.slice(0, -1), step] };
  }

  #keys(): Row | undefined {
    const query = this.#ownQuery();
    return query && this.target && addressedKeys(query, this.target);
  }

  #keysInPath(): Row | undefined {
    const query = this.#ownQuery();
    return query && this.target && keysInPath(query, this.target);
  }

  /** The query unless it is a template, whose protocol tells subject and keys. */
  #ownQuery(): Query | undefined {
    return this.#statement?.params === undefined ? this.#statement?.query : undefined;
  }
}

function eventOfQuery(query: Query | undefined): string {
  if (query === undefined) throw new TypeError("A request needs an event or a query");
  assertQuery(query);
  if ("INSERT" in query) return "CREATE";
  if ("UPSERT" in query) return "UPSERT";
  if ("UPDATE" in query) return "UPDATE";
  return "DELETE" in query ? "DELETE" : "READ";
}

/** A writing query with other data: a handler that replaces `req.data` changes what is written. */
function withData(query: Query, data: unknown): Query {
  const entries = (Array.isArray(data) ? data : [data]) as Row[];
  if ("INSERT" in query) return { INSERT: { ...query.INSERT, entries } };
  if ("UPSERT" in query) return { UPSERT: { ...query.UPSERT, entries } };
  if ("UPDATE" in query) return { UPDATE: { ...query.UPDATE, data: data as Row } };
  return query;
}

/**
 * Copies of key objects; one with a single key converts to the value of this key (`String(id)`, `id == 1`).
 *
 * @param params key objects in the order of the URL
 */
function keyObjects(params: readonly Row[] | undefined): readonly Row[] {
  return params === undefined ? [] : params.map(keyObject);
}

function keyObject(keys: Row): Row {
  const values = Object.values(keys);
  const copy = { ...keys };
  if (values.length !== 1) return copy;
  const [value] = values;
  return Object.defineProperties(copy, {
    valueOf: { value: () => value },
    toString: { value: () => String(value) },
  });
}
