import { DEFAULT_LIMITS } from "../../config/limits.ts";
import type { Row } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isServiceError } from "../../errors/service_error.ts";
import type { Database, DatabaseOptions, JsonRows, Rows, StatementWatch } from "../../service/database.ts";
import { deployDatabase, type DeployTarget, deployTarget } from "../deploy_database.ts";
import { EngineDatabase, type EngineDescription } from "../engine/engine_database.ts";
import type { EngineTransaction } from "../engine/engine_transaction.ts";
import { withoutLater } from "../evolution/plan_deployment.ts";
import { DEPLOYED, rowProbes, type TableCatalog } from "../evolution/table_catalog.ts";
import { POSTGRES_CHANGES } from "../evolution/postgres_changes.ts";
import { assertDistinctNames } from "../ddl/schema_shape.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { fillTables } from "../fill_tables.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import { sqlQueries } from "../read/compiled_queries.ts";
import { POSTGRES, QUEUE_SEQUENCE } from "../render/postgres_dialect.ts";
import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import { Pool, type Statement } from "./pool.ts";
import { CursorSlots, type PostgresCursor } from "./postgres_cursor.ts";
import { postgresError } from "./postgres_error.ts";
import {
  LOCKS_TABLE,
  PostgresDriver,
  type PostgresHost,
  type SendOptions,
  valuesOf,
} from "./postgres_driver.ts";
import { Replicas } from "./replicas.ts";
import { statementsOf } from "../evolution/diff_schemas.ts";
import { LOCK_SECONDS, runLater } from "./run_later.ts";
import type { StatementResult } from "./statement_query.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { CursorOptions } from "../../service/row_cursor.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Selection, StatementValues } from "../engine/driver.ts";
import { runWatched } from "../engine/watched_statement.ts";
import type { WriteStatement } from "../write/statement_runner.ts";

/** Bytes of a name; PostgreSQL cuts off what is longer. */
const NAME_BYTES = 63;
const DEFAULT_SCHEMA = "public";
const NOT_ONLINE = "Steps behind the transaction of a deployment need a session that stays, and " +
  '"fw.requires.db.pooler" says that there is none: deploy online with credentials of the server itself';

/** What stands below `fw.requires.db`. */
interface PostgresSettings {
  readonly credentials?: Readonly<Record<string, unknown>>;
  readonly pool?: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number;
  readonly pooler?: boolean;
  readonly replicas?: readonly unknown[];
  readonly maxLagMs?: number;
  readonly locks?: "advisory" | "rows";
}

/**
 * Opens a PostgreSQL database.
 *
 * @param options the model; `credentials` with `url`, or `host`, `port`, `user`, `password`, `database`, and with
 *   `schema` (default `public`), beside which each tenant has a schema of its own; `pool`; `timeoutMs` of statements, 0
 *   for that of the server (default: the time a request may take, as nobody waits any longer for the result);
 *   `replicas`: URLs or credentials of servers that repeat this one, which read what may be up to `maxLagMs` (1,000) old;
 *   `assert_integrity: "db"`: the database checks foreign keys
 * @throws ConfigurationError for missing credentials, replicas that are none, and for definitions whose tables would have the same name
 */
export function createPostgresDatabase(options: DatabaseOptions): Database {
  const { model, tenant, limits = DEFAULT_LIMITS, watch } = options;
  const entities = persistentEntities(model);
  assertDistinctNames(entities);
  for (const entity of entities) assertLength(sqlName(entity), entity.name);
  const {
    credentials = {},
    pool: bounds = {},
    timeoutMs = limits.handlerMs,
    pooler,
    replicas = [],
    maxLagMs,
    locks,
  } = options.options as PostgresSettings;
  const schema = schemaOf(credentials.schema, tenant);
  const primary = {
    credentials,
    pool: bounds,
    statementMs: timeoutMs,
    schema,
    pooler,
    shared: options.shared,
  };
  const pool = new Pool(primary);
  const copies = replicas.length === 0
    ? undefined
    : new Replicas({ primary, replicas, maxLagMs, tell: options.warn });
  const host: PostgresHost = {
    model,
    pool,
    replicas: copies,
    failed: (error) => {
      throw postgresError(error, model);
    },
    locksRows: locks === "rows",
    cursors: new CursorSlots(pool.max),
    answerBytes: limits.answerBytes,
  };
  const target = deployTarget(options, { dialect: POSTGRES, statements: POSTGRES_CHANGES });
  return new EngineDatabase({
    kind: "postgres",
    needsNoContext: true,
    model,
    target,
    exactNumbers: options.exactNumbers,
    queries: sqlQueries(options, POSTGRES),
    open: watch
      ? (context) => new WatchedPostgresDriver(host, context, watch)
      : (context) => new PostgresDriver(host, context),
    isTyped: true,
    writesLists: true,
    hasWritingFunctions: true,
    deploy: deploying({ schema, target, pool, locksRows: locks === "rows" }),
    turn: (driver, name) => driver.lock(`fw ${schema} ${name}`),
    // a schema that was named by hand may hold what is not ours
    drop: tenant === undefined ? undefined : (inTransaction) =>
      inTransaction(async (tx) => {
        await tx.driver.begin();
        await tx.driver.lock(`fw deploy ${schema}`);
        await tx.sql(`DROP SCHEMA IF EXISTS ${quote(schema)} CASCADE`);
      }),
    state: async () => ({ connections: pool.counts(), replicas: await copies?.states() }),
    close: async () => {
      await Promise.all([pool.end(), copies?.close()]);
    },
  });
}

/** What deployments are made of. */
interface DeployingOptions {
  readonly schema: string;
  readonly target: DeployTarget;
  readonly pool: Pool;
  readonly locksRows: boolean;
}

/** Nothing else keeps others from making the same table at the same time: whoever is late finds it. */
async function makeLocks(
  tx: Pick<EngineTransaction<CompiledSelect, PostgresDriver>, "sql">,
  schema: string,
): Promise<void> {
  for (const text of [`CREATE SCHEMA IF NOT EXISTS ${quote(schema)}`, LOCKS_TABLE]) {
    await tx.sql("SAVEPOINT fw_locks");
    await tx.sql(text).catch(() => tx.sql("ROLLBACK TO SAVEPOINT fw_locks"));
  }
}

/** What a deployment does in its transaction, and behind it. */
function deploying(
  { schema, target, pool, locksRows }: DeployingOptions,
): EngineDescription<CompiledSelect, PostgresDriver>["deploy"] {
  return async (inTransaction, data, options) => {
    if (options?.online && pool.before !== undefined) throw new ConfigurationError(NOT_ONLINE);
    const locked = <T>(run: (tx: EngineTransaction<CompiledSelect, PostgresDriver>) => Promise<T>) =>
      inTransaction(async (tx) => {
        await tx.sql("SET LOCAL statement_timeout = 0");
        // several instances may start at once
        await tx.sql(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`);
        // what only looks makes no table of locks
        if (!locksRows || !options?.dryRun) await tx.driver.lock(`fw deploy ${schema}`);
        return await run(tx);
      }).catch((error) => {
        throw isConflict(error) ? waitedInVain(error) : error;
      });
    if (locksRows && !options?.dryRun) await inTransaction((tx) => makeLocks(tx, schema));
    const { later, ...report } = await locked(async (tx) => {
      if (!options?.dryRun) {
        await tx.sql(`CREATE SCHEMA IF NOT EXISTS ${quote(schema)}`);
        await tx.sql(`CREATE SEQUENCE IF NOT EXISTS ${QUEUE_SEQUENCE}`);
      }
      const fill = (data: ReadonlyMap<string, readonly Row[]>) =>
        fillTables(tx, data, (table) => tx.driver.lockTables([table]));
      return await deployDatabase({ catalog: postgresCatalog(tx), target, fill }, data, options);
    });
    if (options?.dryRun || later.length === 0) return report;
    const done = new Set<string>();
    const before = report.statements.length - later.flatMap(statementsOf).length;
    try {
      await runLater(pool, { steps: later, before, onStep: options?.onStep }, (name) => done.add(name));
    } finally {
      await locked(async (tx) => {
        const text = await postgresCatalog(tx).deployed();
        if (text === undefined) return;
        await tx.sql(`UPDATE "${DEPLOYED}" SET "model" = ? WHERE "ID" = 1`, [withoutLater(text, done)]);
      });
    }
    return report;
  };
}

/** Whether an error tells that others did not let go of tables. */
function isConflict(error: unknown): error is Error {
  return isServiceError(error) && error.status === 409 &&
    ["55P03", "40P01"].includes(String((error.cause as { code?: unknown } | undefined)?.code));
}

function waitedInVain(error: Error): ConfigurationError {
  const { message } = error.cause as Error;
  const text =
    "Others use the tables, or deploy them at the same time, and nothing was changed: deploy again " +
    `when they have ended (${message})`;
  return new ConfigurationError(text, {}, { cause: error });
}

/** What may not stand in a plain name, or differs by case only, is escaped. */
function schemaOf(given: unknown, tenant: string | undefined): string {
  const schema = typeof given === "string" && given !== "" ? given : DEFAULT_SCHEMA;
  if (tenant === undefined) return assertLength(schema, schema);
  const name = tenant.replace(/[^a-z0-9]/g, (char) => `_${char.charCodeAt(0).toString(16)}_`);
  return assertLength(`${schema}_${name}`, tenant);
}

function assertLength(name: string, of: string): string {
  if (new TextEncoder().encode(name).length <= NAME_BYTES) return name;
  throw new ConfigurationError(
    `The name of "${of}" in the database, "${name}", is longer than the ${NAME_BYTES} bytes that PostgreSQL allows`,
  );
}

/**
 * What deploying needs.
 *
 * @param tx a transaction
 */
function postgresCatalog(tx: EngineTransaction<CompiledSelect, PostgresDriver>): TableCatalog {
  const all = async (sql: string, values: readonly unknown[] = []) => await tx.sql(sql, values) as Row[];
  return {
    tables: async () =>
      (await all(
        "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = current_schema()",
      )).map((row) => ({ name: String(row.table_name), isView: row.table_type === "VIEW" })),
    columns: async (table) =>
      (await all(
        "SELECT column_name, data_type, is_nullable, column_default, is_generated FROM information_schema.columns " +
          "WHERE table_schema = current_schema() AND table_name = ?",
        [table],
      )).map((row) => ({
        name: String(row.column_name),
        sql: String(row.data_type),
        notNull: row.is_nullable === "NO",
        hasDefault: row.column_default !== null || row.is_generated === "ALWAYS",
      })),
    ...rowProbes(all),
    hold: (tables) => tx.driver.lockTables(tables),
    run: (sql, values) => tx.sql(sql, values),
  };
}

/** Tells of each statement, and of the end of transactions that hold a connection. */
class WatchedPostgresDriver extends PostgresDriver {
  readonly #watch: StatementWatch;
  /** Whose statements are sent at this moment: those of queries do not run in their contexts. */
  #context: EventContext | undefined;

  /**
   * @param host the database
   * @param context whose transaction it is
   * @param watch is told
   */
  constructor(host: PostgresHost, context: EventContext, watch: StatementWatch) {
    super(host, context);
    this.#watch = watch;
  }

  override send<T>(
    statement: Statement,
    read: (result: StatementResult) => MaybePromise<T>,
    options?: SendOptions,
  ): Promise<T> {
    const ended = this.#watch(statement.sql, statement.values, this.#context);
    let rows: number | undefined;
    const counted = (result: StatementResult) => {
      rows = result.rowCount;
      ended({ rows });
      return read(result);
    };
    return super.send(statement, counted, options).catch((error) => {
      // what goes wrong behind the statement is no failure of it
      if (rows === undefined) ended({ error });
      throw error;
    });
  }

  override read(selection: Selection<CompiledSelect>): Promise<Rows | Row | null> {
    return this.#within(selection.context, () => super.read(selection));
  }

  override readJson(selection: Selection<CompiledSelect>): Promise<JsonRows> {
    return this.#within(selection.context, () => super.readJson(selection));
  }

  override change(statement: WriteStatement, values: StatementValues): Promise<number> {
    return this.#within(values.context, () => super.change(statement, values));
  }

  override openCursor(
    selection: Selection<CompiledSelect>,
    options: CursorOptions,
  ): Promise<PostgresCursor | undefined> {
    const { sql, bindings } = selection.compiled;
    const statement = { watch: this.#watch, sql, values: valuesOf(bindings, selection) };
    return runWatched(statement, () => super.openCursor(selection, options));
  }

  override commit(): MaybePromise<void> {
    if (this.holdsNothing) return super.commit();
    return runWatched({ watch: this.#watch, sql: "COMMIT", values: [] }, () => super.commit());
  }

  override rollback(): MaybePromise<void> {
    if (this.holdsNothing) return super.rollback();
    return runWatched({ watch: this.#watch, sql: "ROLLBACK", values: [] }, () => super.rollback());
  }

  #within<T>(context: EventContext, send: () => T): T {
    this.#context = context;
    try {
      return send();
    } finally {
      this.#context = undefined;
    }
  }
}
