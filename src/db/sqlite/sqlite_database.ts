import type { Row } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { nodeModule } from "../../platform/node_module.ts";
import type { Database, DatabaseOptions } from "../../service/database.ts";
import { DIGITS } from "../decimals.ts";
import { deployDatabase, deployTarget } from "../deploy_database.ts";
import { fillTables } from "../fill_tables.ts";
import { EngineDatabase } from "../engine/engine_database.ts";
import { SQLITE_CHANGES, sqliteTables } from "../evolution/sqlite_changes.ts";
import { assertDistinctNames } from "../ddl/schema_shape.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { sqlQueries } from "../read/compiled_queries.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { WriteLock } from "../write_lock.ts";
import type { SqliteConnection } from "./connection.ts";
import { openConnection } from "./watched_connection.ts";
import { Snapshots } from "./snapshots.ts";
import type { SqliteCursor } from "./sqlite_cursor.ts";
import { LOCK_TIMEOUT_MS, SqliteDriver } from "./sqlite_driver.ts";
import type { TableCatalog } from "../evolution/table_catalog.ts";

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
  const { model, limits, watch } = options;
  assertDistinctNames(persistentEntities(model));
  const file = databaseFile(options.options, options.tenant);
  const connection = { file, timeoutMs: LOCK_TIMEOUT_MS, limits, watch };
  // who only reads makes no file
  if (options.existing) openConnection({ ...connection, readOnly: true }).close();
  const writer = openConnection({ ...connection, isPatient: true });
  const isVolatile = file === ":memory:";
  const snapshots = isVolatile ? undefined : new Snapshots(connection);
  const host = {
    model,
    writer,
    snapshots,
    lock: new WriteLock(LOCK_TIMEOUT_MS),
    cursors: new Set<SqliteCursor>(),
  };
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    snapshots?.close();
    writer.close();
  };
  const target = deployTarget(options, { dialect: SQLITE, statements: SQLITE_CHANGES });
  return new EngineDatabase({
    kind: "sqlite",
    needsNoContext: true,
    isVolatile,
    decimalDigits: DIGITS,
    model,
    target,
    exactNumbers: options.exactNumbers,
    queries: sqlQueries(options, SQLITE, { isWatched: true }),
    open: () => new SqliteDriver(host),
    deploy: async (inTransaction, data, how) => {
      // a table that is made anew is dropped first, which must not delete the rows that refer to it
      writer.change({ sql: "PRAGMA foreign_keys = OFF" }, []);
      try {
        return await inTransaction(async (tx) => {
          await tx.driver.begin();
          const fill = (data: ReadonlyMap<string, readonly Row[]>) => fillTables(tx, data);
          const changed = () => tx.driver.write(assertReferences);
          return await deployDatabase(
            { catalog: sqliteCatalog(tx.driver), target, changed, fill },
            data,
            how,
          );
        });
      } finally {
        writer.change({ sql: "PRAGMA foreign_keys = ON" }, []);
      }
    },
    turn: (driver) => driver.begin(),
    drop: isVolatile ? undefined : async () => {
      close();
      const { rm } = nodeModule("node:fs").promises;
      await Promise.all([file, `${file}-wal`, `${file}-shm`].map((path) => rm(path, { force: true })));
    },
    close,
  });
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

/**
 * What deploying needs.
 *
 * @param driver a transaction that may write
 */
function sqliteCatalog(driver: SqliteDriver): TableCatalog {
  return {
    ...sqliteTables((sql) => Promise.resolve(driver.write((connection) => connection.all(sql, [])))),
    run: (sql, values = []) =>
      Promise.resolve(driver.write((connection) => connection.change({ sql }, values))),
  };
}
