/**
 * The database as a service.
 *
 * @module
 */

import { EventContext } from "../context/event_context.ts";
import type { EntityRef, Query, QueryParams, SchemaQuery, SelectQuery, Xo } from "../cqn/cqn.ts";
import { numberedPlaceholders } from "../cqn/grammar/literals.ts";
import { assertQuery, isSchemaQuery } from "../cqn/is_query.ts";
import { ServiceError } from "../errors/service_error.ts";
import { isFilledOn } from "../model/filled_on.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { Database, DatabaseTransaction, JsonRows, QueryResult } from "./database.ts";
import { Service, type ServiceOptions } from "./service.ts";
import type { ServiceRequest, Statement } from "./requests/service_request.ts";
import { type RootTransaction, runInTransaction, transactionOf } from "./transactions/transaction.ts";
import { gatheredStreams } from "./gathered_streams.ts";
import { entityOf, fillKeys, fillManaged, type ManagedScope } from "./validation/fill_managed.ts";
import { type CursorOptions, readBeyond, RowCursor } from "./row_cursor.ts";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import { withCallerFrames } from "../util/caller_frames.ts";
import type { TransactionBody, TransactionService } from "./transactions/tx.ts";

/** What a database service is made from. */
export interface DatabaseServiceOptions extends ServiceOptions {
  /** The engine of a tenant; without multitenancy there is one for `undefined`. */
  readonly database: (tenant: string | undefined) => Database | Promise<Database>;
  /** The same if it is open already; without it nothing is known of engines beforehand. */
  readonly opened?: (tenant: string | undefined) => Database | undefined;
  /** Whether code that runs queries gets bytes as bytes, in place of base64. */
  readonly givesBytes?: boolean;
}

/** Work with the transaction of an engine, in a context. */
export type EngineWork<T> = (engine: DatabaseTransaction, context: EventContext) => MaybePromise<T>;

/** Runs queries in the root transaction of the current context; without one, each in a transaction of its own. */
export class DatabaseService extends Service {
  /** True: it is a database. */
  override readonly isDatabaseService: boolean = true;
  /** The engine of a tenant. */
  readonly database: (tenant: string | undefined) => Database | Promise<Database>;
  /** The same if it is open already. */
  readonly opened: (tenant: string | undefined) => Database | undefined;

  /** Whether code that runs queries gets bytes as bytes, in place of base64. */
  readonly givesBytes: boolean;

  /**
   * Creates a database service.
   *
   * @param options name, runtime, engines
   */
  constructor(options: DatabaseServiceOptions) {
    super(options);
    this.database = options.database;
    this.opened = options.opened ?? (() => undefined);
    this.givesBytes = options.givesBytes === true;
  }

  /**
   * Whether queries in a context, once they have begun, do not look up the current one: no handlers take part in them.
   *
   * @param context the context, whose tenant may still prove to be none
   */
  needsNoContext(context: EventContext): boolean {
    return this.quietEngine(context) !== undefined;
  }

  /**
   * The engine for queries that, once they have begun, do not look up the current context.
   *
   * @param context whose tenant may still prove to be none
   * @returns undefined where it is not open yet, or where handlers take part
   */
  quietEngine({ tenant }: EventContext): Database | undefined {
    const database = this.opened(tenant);
    return database?.needsNoContext === true && !hasHandlers(this) ? database : undefined;
  }

  /** Gives this: the engine begins its transaction with the first statement. */
  begin(): Promise<this> {
    return Promise.resolve(this);
  }

  /**
   * Runs queries: one, several in one transaction, or plain SQL with values.
   *
   * @param query query, queries or SQL
   * @param params values of the parameters by name, or by position for SQL and `?`
   * @throws TypeError for what is no query, or names no entity
   */
  override run(query: Query, params?: QueryParams | readonly unknown[]): Promise<QueryResult>;
  /** Creates or drops the table or view of an entity. */
  override run(query: SchemaQuery): Promise<unknown>;
  /** Runs several queries in one transaction, or plain SQL with values. */
  override run(query: readonly Query[] | string, params?: QueryParams | readonly unknown[]): Promise<unknown>;
  /** Runs a function in a transaction. */
  override run<T>(run: (tx: TransactionService<this>) => T | Promise<T>): Promise<T>;
  override run(
    given: Query | SchemaQuery | readonly Query[] | string | TransactionBody<this, unknown>,
    params?: QueryParams | readonly unknown[],
  ): Promise<unknown> {
    if (typeof given === "function") return this.tx(given);
    if (Array.isArray(given)) {
      return transactionOf(this.context)
        ? super.run(given, params as QueryParams)
        : this.tx((tx) => tx.run(given, params));
    }
    try {
      const result = resultOf(this, given as Query | SchemaQuery | string, params); // lists are treated above
      return result instanceof Promise ? resultLater(result) : Promise.resolve(result);
    } catch (error) {
      return Promise.reject(withCallerFrames(error));
    }
  }

  /**
   * Runs one statement like `run`, without a promise where nothing is to be waited for.
   *
   * @param statement query and values
   */
  perform(statement: Statement): MaybePromise<unknown> {
    return hasHandlers(this) ? super.run(statement.query, statement.params) : this.execute(statement);
  }

  /**
   * Runs a SELECT and gives its result as JSON text.
   *
   * @returns `undefined` if the engine cannot, or if handlers of the database want to see the rows
   */
  readJson(query: SelectQuery, params?: QueryParams): MaybePromise<JsonRows | undefined> {
    if (hasHandlers(this)) return undefined;
    return this.withEngine((engine) => engine.readJson?.(query, params));
  }

  /**
   * Runs a SELECT whose rows are taken one group after the other.
   *
   * @returns `undefined` if the engine cannot, or if handlers of the database want to see the rows
   */
  openCursor(
    { query, params }: Statement & { readonly query: SelectQuery },
    options: CursorOptions,
  ): MaybePromise<RowCursor | undefined> {
    const beyond = hasHandlers(this) ? undefined : readBeyond(query, params);
    if (beyond === undefined) return undefined;
    const opened = this.withEngine((engine) => engine.openCursor?.(beyond.query, beyond.params, options));
    return andThen(opened, (engine) => engine && new RowCursor(engine, beyond.limit));
  }

  /**
   * Locks rows as an UPDATE of them does, unless the engine locks none (D1): handlers of the database do not take part.
   *
   * @param entity the rows
   * @param where a condition that they have to meet
   * @param params values of parameters
   * @returns how many there are
   * @throws ServiceError 501 for views that do not stand for the rows of one table
   */
  async lock(entity: EntityRef, where?: readonly Xo[], params?: QueryParams): Promise<number> {
    return Number(await this.execute({ query: { UPDATE: { entity, where } }, params }));
  }

  /** Runs the query of a request that came past the handlers. */
  override handleGeneric(req: ServiceRequest): unknown {
    const { statement } = req;
    if (statement === undefined) {
      throw new ServiceError({ status: 501, message: `The database has no handler for "${req.event}"` });
    }
    return this.execute(statement);
  }

  /**
   * Runs a statement on the engine, in the transaction of the current context.
   *
   * @param statement query and values
   */
  execute(statement: Statement): MaybePromise<QueryResult> {
    const { query, params } = statement;
    const { context, model } = this;
    const later = gatheredStreams(query, model);
    if (later) return later.then((gathered) => this.execute({ query: gathered, params }));
    const engine = openEngine(this, context);
    if (engine === undefined) {
      return this.withEngine((opened, own) => {
        fillIn(query, { model, context: own });
        return opened.run(query, params);
      });
    }
    fillIn(query, { model, context: context! }); // there is a transaction
    return engine.run(query, params);
  }

  /**
   * Runs something with the transaction of the engine that belongs to the current context.
   *
   * @param run the work
   */
  withEngine<T>(run: EngineWork<T>): MaybePromise<T> {
    const context = this.context;
    const engine = openEngine(this, context);
    if (engine !== undefined) return run(engine, context!); // there is a transaction
    const transaction = this.rootTransaction ?? transactionOf(context);
    if (transaction === undefined || context === undefined) {
      const own = new EventContext({}, context);
      return runInTransaction(own, () => this.withEngine(run), this.rootOptions);
    }
    const later = (opened: Database) => run(engineWithin(transaction, opened, context), context);
    return andThen(this.database(context.tenant), later);
  }
}

/**
 * The transaction of the engine that belongs to a context, in whose root transaction the database takes part from now on.
 *
 * @returns undefined without a root transaction, and where the engine is still to be opened
 */
function openEngine(
  db: DatabaseService,
  context: EventContext | undefined,
): DatabaseTransaction | undefined {
  const transaction = db.rootTransaction ?? transactionOf(context);
  if (transaction === undefined || context === undefined) return undefined;
  transaction.join(db);
  const database = db.database(context.tenant);
  return database instanceof Promise ? undefined : engineWithin(transaction, database, context);
}

/** Fills in what rows have beside the given values. */
function fillIn(query: Query, scope: ManagedScope): void {
  if ("INSERT" in query) fillKeys(query.INSERT, scope.model);
  else if ("UPSERT" in query) fillKeys(query.UPSERT, scope.model);
  else if ("UPDATE" in query) fillManaged(query, scope);
}

/** The result of a query, a definition or plain SQL. */
function resultOf(
  db: DatabaseService,
  given: Query | SchemaQuery | string,
  params: QueryParams | readonly unknown[] | undefined,
): MaybePromise<unknown> {
  const query = db.givesBytes ? readingBytes(given) : given;
  if (typeof query === "string") {
    return db.withEngine((engine) => runSql(engine, query, params as readonly unknown[]));
  }
  if (isSchemaQuery(query)) return db.withEngine((engine) => defineBy(engine, query));
  assertQuery(query);
  const complete = settingSomething(query, db.model);
  if (complete === undefined) return 0;
  return db.perform(
    Array.isArray(params)
      ? { query: numberedPlaceholders(complete), params: { ...params } }
      : { query: complete, params: params as QueryParams },
  );
}

/** A result that the database gives later; who awaits it finds itself in the stack of an error. */
async function resultLater(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch (error) {
    throw withCallerFrames(error);
  }
}

/** Statements see user, locale and time of their own request, be it one of several in the transaction. */
export function engineWithin(
  transaction: RootTransaction,
  database: Database,
  context: EventContext,
): DatabaseTransaction {
  const engine = transaction.engine(database);
  return engine.within?.(context) ?? engine;
}

/** An UPDATE that sets nothing sets what its entity fills in by itself; undefined where that is nothing. */
function settingSomething(query: Query, model: LinkedModel): Query | undefined {
  if (!("UPDATE" in query) || query.UPDATE.data || query.UPDATE.with) return query;
  const flats = entityOf(query.UPDATE.entity, model)?.$flat.values() ?? [];
  const fillsIn = [...flats].some(({ annotated }) => isFilledOn(annotated, "update"));
  return fillsIn ? { UPDATE: { ...query.UPDATE, data: {} } } : undefined;
}

function readingBytes<Q>(query: Q): Q {
  const { SELECT } = query as { readonly SELECT?: SelectQuery["SELECT"] };
  return SELECT ? { SELECT: { ...SELECT, asBytes: true } } as unknown as Q : query; // a query of the same kind
}

function hasHandlers({ handlers }: Service): boolean {
  return handlers.has("before") || handlers.has("on") || handlers.has("after");
}

function defineBy(engine: DatabaseTransaction, query: SchemaQuery): MaybePromise<unknown> {
  if (engine.define) return engine.define(query);
  throw new ServiceError({ status: 501, message: "The database has no tables to change" });
}

/** One row of values after the other gives one result after the other. */
async function runSql(
  engine: DatabaseTransaction,
  text: string,
  values?: readonly unknown[],
): Promise<unknown> {
  if (engine.sql) {
    if (!values?.length || !values.every(Array.isArray)) return await engine.sql(text, values);
    const results: unknown[] = [];
    for (const row of values) results.push(await engine.sql(text, row));
    return results;
  }
  throw new ServiceError({ status: 501, message: "The database does not run SQL text" });
}
