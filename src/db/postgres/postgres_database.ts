/**
 * PostgreSQL as database: a pool of connections, one schema per tenant.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../config/limits.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { Row } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isServiceError } from "../../errors/service_error.ts";
import type {
  ClaimRequest,
  Database,
  DatabaseOptions,
  DeployOptions,
  DeployReport,
} from "../../service/database.ts";
import { deployDatabase, type DeployTarget, deployTarget } from "../deploy_database.ts";
import { POSTGRES_CHANGES } from "../evolution/postgres_changes.ts";
import { assertDistinctNames } from "../ddl/distinct_names.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";
import { fillTables, refillTables, runInternally } from "../fill_tables.ts";
import { claimRows } from "../queue/claim_rows.ts";
import { sqlQueries } from "../read/sql_queries.ts";
import { POSTGRES, QUEUE_SEQUENCE } from "../render/postgres_dialect.ts";
import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import { Pool } from "./pool.ts";
import { postgresCatalog } from "./postgres_catalog.ts";
import { CursorSlots } from "./postgres_cursor.ts";
import { postgresError } from "./postgres_error.ts";
import { type PostgresHost, PostgresTransaction } from "./postgres_transaction.ts";

/** Bytes of a name; PostgreSQL cuts off what is longer. */
const NAME_BYTES = 63;
/** How long a deployment waits for those that use what it changes. */
const LOCK_SECONDS = 60;
const DEFAULT_SCHEMA = "public";

/**
 * Opens a PostgreSQL database.
 *
 * @param options the model; `credentials` with `url`, or `host`, `port`, `user`, `password`, `database`, and with
 *   `schema` (default `public`), beside which each tenant has a schema of its own; `pool`; `timeoutMs` of statements, 0
 *   for that of the server (default: the time a request may take, as nobody waits any longer for the result);
 *   `assert_integrity: "db"`: the database checks foreign keys
 * @throws ConfigurationError for missing credentials, and for definitions whose tables would have the same name
 */
export function createPostgresDatabase(options: DatabaseOptions): Database {
  return new PostgresDatabase(options);
}

class PostgresDatabase implements Database {
  readonly kind = "postgres";
  readonly asksNobody = true;
  readonly #target: DeployTarget;
  readonly #schema: string;
  readonly #pool: Pool;
  readonly #host: PostgresHost;

  constructor(given: DatabaseOptions) {
    const { model, options, tenant } = given;
    const entities = persistentEntities(model);
    assertDistinctNames(entities);
    for (const entity of entities) assertLength(sqlName(entity), entity.name);
    const { handlerMs, answerBytes } = given.limits ?? DEFAULT_LIMITS;
    const { credentials = {}, pool = {}, timeoutMs = handlerMs } = options as {
      credentials?: Readonly<Record<string, unknown>>;
      pool?: Readonly<Record<string, unknown>>;
      timeoutMs?: number;
    };
    this.#target = deployTarget(given, { dialect: POSTGRES, statements: POSTGRES_CHANGES });
    this.#schema = schemaOf(credentials.schema, tenant);
    this.#pool = new Pool({ credentials, pool, statementMs: timeoutMs, schema: this.#schema });
    this.#host = {
      model,
      pool: this.#pool,
      failed: (error) => {
        throw postgresError(error, model);
      },
      cursors: new CursorSlots(this.#pool.max),
      answerBytes,
      ...sqlQueries(given, POSTGRES),
    };
  }

  begin(context: EventContext): PostgresTransaction {
    return new PostgresTransaction(this.#host, context);
  }

  async deploy(
    data?: ReadonlyMap<string, readonly Row[]>,
    options?: DeployOptions,
  ): Promise<DeployReport> {
    const deployed = runInternally((context) => this.begin(context), async (tx) => {
      await tx.sql("SET LOCAL statement_timeout = 0");
      // several instances may start at once
      await tx.sql(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`);
      await tx.lock(`fw deploy ${this.#schema}`);
      if (!options?.dryRun) {
        await tx.sql(`CREATE SCHEMA IF NOT EXISTS ${quote(this.#schema)}`);
        await tx.sql(`CREATE SEQUENCE IF NOT EXISTS ${QUEUE_SEQUENCE}`);
      }
      const fill = (data: ReadonlyMap<string, readonly Row[]>) =>
        fillTables(tx, data, (table) => tx.lockTables([table]));
      return await deployDatabase(
        { catalog: postgresCatalog(tx), target: this.#target, fill },
        data,
        options,
      );
    });
    return await deployed.catch((error) => {
      throw isConflict(error) ? waitedInVain(error) : error;
    });
  }

  async reset(data: ReadonlyMap<string, readonly Row[]> = new Map()): Promise<void> {
    await runInternally((context) => this.begin(context), (tx) => refillTables(tx, data));
  }

  claim(request: ClaimRequest): Promise<readonly Row[]> {
    return runInternally((context) => this.begin(context), async (tx) => {
      // workers take turns: what one of them leases in a partition decides what is free for the next
      await tx.lock(`fw claim ${this.#schema} ${request.entity}`);
      return await claimRows(tx, request);
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
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
