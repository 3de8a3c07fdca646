/**
 * The extension point of database engines.
 *
 * @module
 */

import type { Limits } from "../config/limits.ts";
import type {
  InsertResult,
  Query,
  QueryParams,
  Row,
  SchemaQuery,
  SelectQuery,
  SetQuery,
} from "../cqn/cqn.ts";
import type { EventContext } from "../context/event_context.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import type { CursorOptions, EngineCursor } from "./row_cursor.ts";

/** Rows of a SELECT; `$count` is there when the query asked for it. */
export type Rows = Row[] & { $count?: number };

/**
 * What a query gives: rows of a SELECT (one row or `null` with `SELECT.one`), `InsertResult` of INSERT, the
 * number of rows of UPSERT, UPDATE and DELETE.
 */
export type QueryResult = Rows | Row | null | InsertResult | number;

/** The result of a SELECT as JSON text written by the database. */
export class JsonRows {
  readonly #json: string;
  /** The number of rows in `json`. */
  readonly rows: number;
  /** The number of matching rows where `SELECT.count` asked for it. */
  readonly count: number | undefined;
  readonly #last: string | (() => string) | undefined;

  /**
   * Creates a result.
   *
   * @param json the text
   * @param rows the number of rows in it
   * @param beside the number of matching rows, and the text of the last row, or what makes it
   */
  constructor(
    json: string,
    rows: number,
    { count, last }: { readonly count?: number; readonly last?: string | (() => string) } = {},
  ) {
    this.#json = json;
    this.rows = rows;
    this.count = count;
    this.#last = last;
  }

  /** The text of the last row, where the engine knows it. */
  get last(): string | undefined {
    return typeof this.#last === "function" ? this.#last() : this.#last;
  }

  /** A JSON array (`[…]`), or one object or `null` with `SELECT.one`. */
  get json(): string {
    return this.#json;
  }
}

/**
 * One transaction. Begun lazily: nothing is locked before the first statement. Engines that need not wait give results
 * at once.
 */
export interface DatabaseTransaction {
  /** Whether there is nothing, no lock and no connection, that `commit` or `rollback` would end; optional. */
  readonly holdsNothing?: boolean;
  /**
   * Runs a query.
   *
   * @param query CQN over the entities of the model, service entities included; localized elements are read in the
   *   locale of the transaction's context if `SELECT.localized` is set
   * @param params values of the parameters of the query
   * @throws ServiceError 409 `ENTITY_ALREADY_EXISTS`, `UNIQUE_CONSTRAINT_VIOLATION`; 400 `FK_CONSTRAINT_VIOLATION`
   */
  run(query: Query, params?: QueryParams): MaybePromise<QueryResult>;
  /**
   * The same transaction for the statements of a request in it, whose user, locale and time may be others; optional.
   *
   * @param context the context of the request
   */
  within?(context: EventContext): DatabaseTransaction;
  /**
   * Runs a SELECT and gives its result as JSON text in the format of OData payloads; optional.
   *
   * @returns undefined where the engine writes no JSON, nothing has happened then
   */
  readJson?(query: SelectQuery, params?: QueryParams): MaybePromise<JsonRows> | undefined;
  /**
   * Runs a SELECT whose rows are taken one group after the other; optional.
   *
   * @param query the query
   * @param params values of its parameters
   * @param options how rows come
   * @returns undefined where the engine would rather read all rows at once: in a transaction that has written or locked, and
   *   where too many cursors are open
   */
  openCursor?(
    query: SelectQuery,
    params: QueryParams | undefined,
    options: CursorOptions,
  ): MaybePromise<EngineCursor | undefined>;
  /**
   * Inserts a row of queued work, with the next number in its element `seq`, before the commit: all of a transaction
   * together, but for queries on the entity itself, which see those before them. Optional, as is `Database.claim`.
   *
   * @param entity name of the entity
   * @param row its other values
   */
  enqueue?(entity: string, row: Row): void;
  /**
   * Waits until no other transaction of any process is open that has asked for the name, and keeps others that ask for it
   * waiting. Optional, as is `Database.claim`.
   *
   * @param name what is done in turn
   */
  turn?(name: string): MaybePromise<unknown>;
  /**
   * What the engine makes of a query, which does not run; optional.
   *
   * @param query the query
   * @param params values of its parameters
   * @returns undefined where the engine has nothing to tell
   */
  explain?(query: SelectQuery | SetQuery, params?: QueryParams): MaybePromise<StatementPlan> | undefined;
  /** Creates or drops a table or view; optional. */
  define?(query: SchemaQuery): MaybePromise<unknown>;
  /** Runs plain SQL; engines without SQL leave it out. */
  sql?(text: string, values?: readonly unknown[]): Promise<unknown>;
  /** Makes the changes permanent. */
  commit(): MaybePromise<void>;
  /** Undoes all changes. */
  rollback(): MaybePromise<void>;
}

/** What an engine makes of a query. */
export interface StatementPlan {
  /** The text of the statement. */
  readonly sql: string;
  /** Whether a query of its form was compiled before. */
  readonly isCompiled: boolean;
  /** How the database reads its rows, in its own words; nested steps are indented. */
  readonly plan: readonly string[];
}

/** What bytes become in the rows that code reads. */
export interface BinaryForms {
  /** A value of type Binary. */
  readonly bytes: (bytes: Uint8Array) => unknown;
  /** A value of type LargeBinary. */
  readonly stream: (bytes: Uint8Array) => unknown;
}

/** What an engine is made from. */
export interface DatabaseOptions {
  /** The linked model: tables and views are made from it, and writes follow it. */
  readonly model: LinkedModel;
  /** The model that reads in a context see, a part of `model` (feature toggles); default: `model`. */
  readonly modelOf?: (context: EventContext) => LinkedModel;
  /** Configuration entry: `kind`, `credentials` (`url` of a file, or `:memory:`), and what the engine adds. */
  readonly options: Readonly<Record<string, unknown>>;
  /** With multitenancy: whose rows it holds. Two tenants must never share any. */
  readonly tenant?: string;
  /** With multitenancy: what the databases of all tenants of a runtime share, by names that their engine gives. */
  readonly shared?: Map<string, unknown>;
  /** How much a statement may take; default: `DEFAULT_LIMITS`. */
  readonly limits?: Pick<Limits, "statementMs" | "handlerMs" | "answerBytes" | "computedLength">;
  /** Whether numbers of Decimal and Int64, which JavaScript may round, are read as texts. */
  readonly exactNumbers?: boolean;
  /** What code gets of bytes; default: base64. */
  readonly binaries?: BinaryForms;
  /** Whether it must be there already: no file is made. */
  readonly existing?: boolean;
  /** Takes what operators should know. */
  readonly warn?: (text: string) => void;
  /** Is told of each statement; engines without SQL have none. */
  readonly watch?: StatementWatch;
}

/**
 * Is told when a statement begins.
 *
 * @param sql its text
 * @param values those of its placeholders
 * @param context whose it is; default: the current one
 * @returns is told when it has ended
 */
export type StatementWatch = (
  sql: string,
  values: readonly unknown[],
  context?: EventContext,
) => (end: StatementEnd) => void;

/** How a statement ended. */
export interface StatementEnd {
  /** How many rows it gave or changed, as far as that is known. */
  readonly rows?: number;
  /** Why it failed; undefined where it did not. */
  readonly error?: unknown;
}

/** What a worker asks of a table of queued work (`messaging` 6). */
export interface ClaimRequest {
  /** The entity; its elements have the names of `fw.outbox.Messages`. */
  readonly entity: string;
  /** Whose work: `target` of the rows. */
  readonly target: string;
  /** Which application's: `appid` of the rows. */
  readonly application: string;
  /** The worker: becomes `lockedBy`. */
  readonly owner: string;
  /** The time, as timestamp: rows that are due now and that nobody has leased are free. */
  readonly now: string;
  /** Until when they are leased. */
  readonly lockedUntil: string;
  /** Rows at most. */
  readonly limit: number;
  /** Keys of rows that the worker has leased and that are done: they are removed first. */
  readonly done?: readonly string[];
}

/** How a database is brought to what a model says. */
export interface DeployOptions {
  /**
   * `keep` (default): tables and columns that only the database has stay. `lossless`: they go where they are empty, else
   * nothing is done. `lossy`: they go with their rows and values, and values are converted as well as can be.
   */
  readonly mode?: "keep" | "lossless" | "lossy";
  /** Only tells what would be done. */
  readonly dryRun?: boolean;
  /**
   * Keeps those who use the tables waiting as little as the database can: what takes long is done behind the transaction, and
   * again with the next deployment where that fails.
   */
  readonly online?: boolean;
  /** What somebody has reviewed: nothing is done where it is not exactly that. */
  readonly expected?: ReviewedPlan;
  /** Is told of each statement before it runs. */
  readonly onStep?: (sql: string, step: number, steps: number) => void;
}

/** What deploying would do, and to what: what of a report matters when it is done later. */
export type ReviewedPlan = Required<Pick<DeployReport, "state" | "statements" | "losses">>;

/** What deploying did, or would do. */
export interface DeployReport {
  /** SQL in order. */
  readonly statements: readonly string[];
  /** What gets lost, in words. */
  readonly losses: readonly string[];
  /** What cannot be done, in words. */
  readonly obstacles: readonly string[];
  /** Names of the entities whose tables were empty and got their initial rows. */
  readonly filled: readonly string[];
  /** Changes with the tables, columns and views that were found; only where nothing was to be done, or what was reviewed. */
  readonly state?: string;
}

/** A deployment of the past. */
export interface PastDeployment {
  /** When it was, as timestamp. */
  readonly at: string;
  /** SQL in order. */
  readonly statements: readonly string[];
  /** What got lost, in words. */
  readonly losses: readonly string[];
}

/** What an engine tells those who watch it. */
export interface EngineState {
  /** How many forms of queries it keeps compiled. */
  readonly templates: number;
  /** Its connections, where it needs some. */
  readonly connections?: ConnectionCounts;
  /** Servers that read in place of the primary. */
  readonly replicas?: readonly ReplicaState[];
}

/** Connections of a pool. */
export interface ConnectionCounts {
  /** How many there may be. */
  readonly most: number;
  /** How many are open and in use. */
  readonly used: number;
  /** How many are open and wait for work. */
  readonly idle: number;
  /** How many transactions and statements wait for one. */
  readonly waiting: number;
}

/** A server that reads in place of the primary. */
export interface ReplicaState {
  /** Host and port. */
  readonly server: string;
  /** Whether it is used: it answers and is not too far behind. */
  readonly isUsed: boolean;
  /** How far it is behind at most, in milliseconds; undefined where that is not known. */
  readonly lagMs?: number;
}

/** A database engine: runs CQN in transactions. */
export interface Database {
  /** Name of the kind of engine. */
  readonly kind: string;
  /** Whether queries, once they have begun, do not look up the current context: they know that of their transaction. */
  readonly needsNoContext?: true;
  /** Whether its rows are gone when the process ends. */
  readonly isVolatile?: boolean;
  /** How many digits of a decimal columns hold; without it, as many as are declared. */
  readonly decimalDigits?: number;
  /** Starts a transaction for a context (tenant, user, locale and timestamp are taken from it). */
  begin(context: EventContext): DatabaseTransaction;
  /**
   * Brings tables and views to what the model says, and fills tables that are empty with initial data.
   *
   * @param data rows by entity name
   * @param options what may get lost; whether only to tell
   * @returns what was done, or would be
   * @throws ConfigurationError where rows would lose something, or cannot be brought to what the model says
   */
  deploy(data?: ReadonlyMap<string, readonly Row[]>, options?: DeployOptions): Promise<DeployReport>;
  /** Deployments that changed something, the latest first; optional. */
  deployments?(): Promise<readonly PastDeployment[]>;
  /** Removes all rows and fills in the initial data again (tests, fixtures). */
  reset(data?: ReadonlyMap<string, readonly Row[]>): Promise<void>;
  /**
   * Leases rows of queued work to a worker, in the order of `seq`, in a transaction of its own; no row is ever leased to two
   * workers at a time. Rows of one `partition` other than 0 are leased to one worker only, and while one of them is leased
   * or waits for its next attempt, those behind it wait as well. What is done goes in the same transaction. PostgreSQL: `FOR UPDATE SKIP LOCKED`. Optional: without it
   * there is no outbox.
   *
   * @param request whose work, and for how long
   * @returns the leased rows
   */
  claim?(request: ClaimRequest): Promise<readonly Row[]>;
  /** What those learn who watch it; optional. */
  state?(): Promise<EngineState>;
  /** Closes all connections and removes all there is, for good; optional. */
  drop?(): Promise<void>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Creates an engine; what a kind's loader resolves to for databases. */
export type DatabaseFactory = (options: DatabaseOptions) => Database | Promise<Database>;
