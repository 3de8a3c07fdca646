import type { Row } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isServiceError } from "../../errors/service_error.ts";
import type { Database, DatabaseFactory, DatabaseOptions } from "../../service/database.ts";
import { assertDistinctNames } from "../ddl/schema_shape.ts";
import { modelledSchema, persistentEntities } from "../ddl/render_ddl.ts";
import { DIGITS } from "../decimals.ts";
import { deployDatabase, type Deployment, deployTarget } from "../deploy_database.ts";
import { EngineDatabase } from "../engine/engine_database.ts";
import { SQLITE_CHANGES, sqliteTables } from "../evolution/sqlite_changes.ts";
import { fillTables, refusedRows } from "../fill_tables.ts";
import { sqlQueries } from "../read/compiled_queries.ts";
import { sqlName } from "../sql_name.ts";
import { conflictCheck, d1Error } from "./commit_statements.ts";
import { D1_DIALECT, LETTERS, letterStatements } from "./d1_dialect.ts";
import {
  type D1Binding,
  d1Driver,
  durableObjectDriver,
  type DurableObjectStorage,
  type SqlDriver,
  type SqlStatement,
  watchedDriver,
} from "./sql_driver.ts";
import { type D1Host, PendingDriver } from "./pending_driver.ts";
import {
  DEPLOYED,
  DEPLOYED_QUERY,
  longerQuery,
  nullQuery,
  rowsQuery,
  type TableCatalog,
} from "../evolution/table_catalog.ts";

/** How often a deployment starts again because others deploy at the same time. */
const ATTEMPTS = 5;

/** What is given: the same for all, or what belongs to a tenant. */
export type PerTenant<T> = T | ((tenant: string) => T);

/**
 * The engine of a D1 database.
 *
 * @param binding the binding that the Worker has in its `env`; with multitenancy a function that gives that of a tenant
 * @returns the factory for a table of kinds
 * @throws ConfigurationError when the engine is opened for a tenant and there is one binding only
 */
export function d1Database(binding: PerTenant<D1Binding>): DatabaseFactory {
  return (options) => openDatabase(d1Driver(ofTenant(binding, options)), options);
}

/**
 * The engine of the SQLite database that a Durable Object has.
 *
 * @param storage `ctx.storage` of the object, whose class is declared with `new_sqlite_classes`
 * @returns the factory for a table of kinds
 * @throws ConfigurationError when the engine is opened for a tenant: each has an object of its own
 */
export function durableObjectDatabase(storage: DurableObjectStorage): DatabaseFactory {
  return (options) => openDatabase(durableObjectDriver(ofTenant(storage, options)), options);
}

function ofTenant<T extends object>(given: PerTenant<T>, { tenant }: DatabaseOptions): T {
  if (typeof given === "function") {
    if (tenant !== undefined) return given(tenant);
    throw new ConfigurationError("A database for each tenant needs multitenancy");
  }
  if (tenant === undefined) return given;
  throw new ConfigurationError(`There is one database only, and none of the tenant "${tenant}"`);
}

function openDatabase(given: SqlDriver, options: DatabaseOptions): Database {
  const { model, watch } = options;
  const driver = watch ? watchedDriver(given, watch) : given;
  assertDistinctNames(persistentEntities(model));
  const target = deployTarget(options, { dialect: D1_DIALECT, statements: SQLITE_CHANGES });
  const host: D1Host = {
    model,
    driver,
    foreignKeys: target.foreignKeys === true,
    views: modelledSchema(model, { dialect: D1_DIALECT }).views.map(({ entity, sql }) => ({
      name: sqlName(entity),
      select: sql.slice(sql.indexOf(" AS ") + 4),
    })),
  };
  return new EngineDatabase({
    kind: driver.kind,
    decimalDigits: DIGITS,
    model,
    exactNumbers: options.exactNumbers,
    queries: sqlQueries(options, D1_DIALECT),
    open: () => new PendingDriver(host),
    isTyped: true,
    deploy: async (inTransaction, data, how) => {
      for (let attempt = 1;; attempt++) {
        const filled: string[] = [];
        const fill = (data: ReadonlyMap<string, readonly Row[]>) =>
          inTransaction(async (tx) => {
            filled.push(...await fillTables(tx, data));
            return filled;
          });
        try {
          return await deployDatabase({ ...await steps(driver), target, fill }, data, how);
        } catch (given) {
          const error = d1Error(given, model);
          if (!isServiceError(error) || error.status !== 409) throw error;
          // others have deployed, or written rows, meanwhile: what is to be done now is another question
          if (attempt === ATTEMPTS) throw filled.length > 0 ? refusedRows(filled.join('", "'), error) : error;
        }
      }
    },
  });
}

/** What a deployment finds, and how it changes that: in one batch. */
async function steps(driver: SqlDriver): Promise<Pick<Deployment, "catalog" | "changed">> {
  const catalog = d1Catalog(driver);
  const { changes, checks } = catalog;
  const hasLetters = (await catalog.tables()).some(({ name }) => name === LETTERS);
  const changed = async () => {
    if (!hasLetters) changes.push(...letterStatements());
    if (changes.length > 0) await driver.write([...checks, ...changes]);
  };
  return { catalog, changed };
}

/** What deploying needs, and what became of it. */
export interface D1Catalog extends TableCatalog {
  /** The statements of the deployment, which the caller runs as one batch. */
  readonly changes: SqlStatement[];
  /** Fail where others have deployed, or written rows that were not there, since this deployment has looked. */
  readonly checks: readonly SqlStatement[];
}

/**
 * What deploying needs.
 *
 * @param driver reads the tables that are there
 */
function d1Catalog(driver: SqlDriver): D1Catalog {
  const changes: SqlStatement[] = [];
  const checks: SqlStatement[] = [];
  const tables = sqliteTables(async (sql) => (await driver.read([{ sql, values: [] }]))[0]);
  /** What no row was found for must not be there later either. */
  const checked = async (isFound: Promise<boolean>, query: string) => {
    if (await isFound) return true;
    checks.push(conflictCheck(`NOT EXISTS (${query})`));
    return false;
  };
  return {
    ...tables,
    tables: async () => {
      const found = await tables.tables();
      if (!found.some(({ name }) => name === DEPLOYED)) {
        checks.push(conflictCheck(`NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '${DEPLOYED}')`));
      }
      return found;
    },
    hasRows: (table) => checked(tables.hasRows(table), rowsQuery(table)),
    hasNull: (table, column) => checked(tables.hasNull(table, column), nullQuery(table, column)),
    hasLonger: (table, column, characters) =>
      checked(
        tables.hasLonger(table, column, characters),
        longerQuery(table, column, characters),
      ),
    deployed: async () => {
      const model = await tables.deployed();
      checks.push(conflictCheck(`(${DEPLOYED_QUERY}) IS ?`, [model ?? null]));
      return model;
    },
    run: (sql, values = []) => Promise.resolve(changes.push({ sql, values })),
    changes,
    checks,
  };
}
