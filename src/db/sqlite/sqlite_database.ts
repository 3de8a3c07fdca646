/**
 * SQLite as database: in memory or a file in WAL mode.
 *
 * In memory there is one connection: a transaction that has written keeps the others waiting, so that none sees what is
 * not committed. A file has one connection for writing; transactions that only read have one each, never wait, and see
 * one state of the data.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Row } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type {
  ClaimRequest,
  Database,
  DatabaseOptions,
  DeployOptions,
  DeployReport,
} from "../../service/database.ts";
import { DIGITS } from "../decimals.ts";
import { deployDatabase, type DeployTarget, deployTarget } from "../deploy_database.ts";
import { fillTables, refillTables, runInternally } from "../fill_tables.ts";
import { SQLITE_CHANGES } from "../evolution/sqlite_changes.ts";
import { assertDistinctNames } from "../ddl/distinct_names.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { claimRows } from "../queue/claim_rows.ts";
import { sqlQueries } from "../read/sql_queries.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { WriteLock } from "../write_lock.ts";
import { SqliteConnection } from "./connection.ts";
import { Snapshots } from "./snapshots.ts";
import { sqliteCatalog } from "./sqlite_catalog.ts";
import { type SqliteHost, SqliteTransaction } from "./sqlite_transaction.ts";

const LOCK_TIMEOUT_MS = 15_000;

/**
 * Opens a SQLite database.
 *
 * @param options the model; `credentials.url`: the path of a file, or `:memory:` (default), beside which each
 *   tenant has a file of its own; `assert_integrity: "db"`:
 *   the database checks foreign keys
 * @throws ConfigurationError for definitions whose tables would have the same name, and for a file that must be there
 *   and is not
 */
export function createSqliteDatabase(options: DatabaseOptions): Database {
  return new SqliteDatabase(options);
}

class SqliteDatabase implements Database {
  readonly kind = "sqlite";
  readonly asksNobody = true;
  readonly isVolatile: boolean;
  readonly decimalDigits = DIGITS;
  readonly #target: DeployTarget;
  readonly #writer: SqliteConnection;
  readonly #snapshots: Snapshots | undefined;
  readonly #host: SqliteHost;

  constructor(given: DatabaseOptions) {
    const { model, options, tenant } = given;
    assertDistinctNames(persistentEntities(model));
    const file = databaseFile(options, tenant);
    this.#target = deployTarget(given, { dialect: SQLITE, statements: SQLITE_CHANGES });
    // who only reads makes no file
    const connection = { file, timeoutMs: LOCK_TIMEOUT_MS, limits: given.limits };
    if (given.existing) new SqliteConnection({ ...connection, readOnly: true }).close();
    this.#writer = new SqliteConnection(connection);
    this.isVolatile = file === ":memory:";
    this.#snapshots = this.isVolatile ? undefined : new Snapshots(connection);
    this.#host = {
      model,
      ...sqlQueries(given, SQLITE, { isWatched: true }),
      writer: this.#writer,
      lock: new WriteLock(LOCK_TIMEOUT_MS),
      snapshots: this.#snapshots,
      cursors: new Set(),
    };
  }

  begin(context: EventContext): SqliteTransaction {
    return new SqliteTransaction(this.#host, context);
  }

  async deploy(
    data?: ReadonlyMap<string, readonly Row[]>,
    options?: DeployOptions,
  ): Promise<DeployReport> {
    // a table that is made anew is dropped first, which must not delete the rows that refer to it
    this.#writer.change({ sql: "PRAGMA foreign_keys = OFF" }, []);
    try {
      return await runInternally((context) => this.begin(context), (tx) => {
        const fill = (data: ReadonlyMap<string, readonly Row[]>) => fillTables(tx, data);
        const changed = () => tx.write(assertReferences);
        return deployDatabase(
          { catalog: sqliteCatalog(tx), target: this.#target, changed, fill },
          data,
          options,
        );
      });
    } finally {
      this.#writer.change({ sql: "PRAGMA foreign_keys = ON" }, []);
    }
  }

  async reset(data: ReadonlyMap<string, readonly Row[]> = new Map()): Promise<void> {
    await runInternally((context) => this.begin(context), (tx) => refillTables(tx, data));
  }

  claim(request: ClaimRequest): Promise<readonly Row[]> {
    return runInternally((context) => this.begin(context), (tx) => claimRows(tx, request));
  }

  close(): Promise<void> {
    this.#snapshots?.close();
    this.#writer.close();
    return Promise.resolve();
  }
}

/** Rows may refer to what is not there, as foreign keys are off while tables change. */
function assertReferences(connection: SqliteConnection): void {
  const [broken] = connection.all("PRAGMA foreign_key_check", []);
  if (broken) {
    throw new ConfigurationError(
      `Rows of table "${broken.table}" refer to rows of "${broken.parent}" that are not there`,
    );
  }
}

/**
 * The file of a database.
 *
 * @param options the configuration: `credentials.url`
 * @param tenant whose, with multitenancy
 * @returns its path, or `:memory:`
 */
export function databaseFile(options: Readonly<Record<string, unknown>>, tenant: string | undefined): string {
  return fileOfTenant(fileOf(options), tenant);
}

function fileOf(options: Readonly<Record<string, unknown>>): string {
  const { credentials, url } = options as {
    credentials?: { url?: unknown; database?: unknown };
    url?: unknown;
  };
  const given = credentials?.url ?? credentials?.database ?? url;
  return typeof given === "string" && given !== ""
    ? given.replace(/^sqlite:|^file:(?:\/\/)?/, "")
    : ":memory:";
}

/** `shop.sqlite` becomes `shop-t1.sqlite`; what may not stand in a file name, or differs by case only, is escaped. */
function fileOfTenant(file: string, tenant: string | undefined): string {
  if (tenant === undefined || file === ":memory:") return file;
  const name = tenant.replace(/[^a-z0-9]/g, (char) => `_${char.charCodeAt(0).toString(16)}_`);
  return file.replace(/(\.[^./\\]*)?$/, (ending) => `-${name}${ending}`);
}
