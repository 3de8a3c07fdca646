/**
 * Connections to PostgreSQL.
 *
 * @module
 */

import postgres from "postgres";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { databaseValues } from "./database_values.ts";
import { PreparedTexts } from "./prepared_texts.ts";

/** Connections at most, unless the configuration says so. */
const CONNECTIONS = 10;
/** Seconds that statements may still take when connections are closed. */
const CLOSE_SECONDS = 5;

/** What the configuration says about connections. */
export interface PoolOptions {
  /** `url`, or `host`, `port`, `user`, `password`, `database`; `ssl` or `sslmode`; `schema`. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** `max` connections (default 10), `idleTimeoutMs` (default 30 s), `connectTimeoutMs` (default 10 s). */
  readonly pool: Readonly<Record<string, unknown>>;
  /** Milliseconds a statement may take; default: as long as it wants. */
  readonly statementMs: number | undefined;
  /** Where tables are. */
  readonly schema: string;
}

/**
 * Connections, opened on first use, of which each transaction that writes takes one. They are closed together once none
 * of them was used for a while: timers of the driver for each of them would be set and cleared with each statement,
 * which takes as long as building it.
 */
export class Pool {
  /** How many there may be. */
  readonly max: number;
  readonly #options: ConnectionOptions;
  readonly #idleMs: number;
  #sql: postgres.Sql | undefined;
  #prepared = new PreparedTexts();
  #isUsed = false;
  #isEnded = false;
  #reserved = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param options credentials and bounds
   * @throws ConfigurationError when neither `url` nor `host` is given
   */
  constructor(options: PoolOptions) {
    this.max = Number(options.pool.max ?? CONNECTIONS);
    this.#idleMs = Number(options.pool.idleTimeoutMs ?? 30_000);
    this.#options = connectionOptions(options, this.max);
  }

  /**
   * Runs a statement on any connection.
   *
   * @param sql its text
   * @param values values of its placeholders
   * @param options those of the driver
   */
  unsafe(
    sql: string,
    values: string[],
    options: postgres.UnsafeQueryOptions,
  ): Promise<postgres.RowList<postgres.Row[]>> {
    return this.#use().unsafe(sql, values, options);
  }

  /**
   * Whether a statement is to be prepared: it was run before, and there are not too many of them.
   *
   * @param sql its text
   */
  prepares(sql: string): boolean {
    return this.#prepared.add(sql);
  }

  /**
   * Takes a connection out of the pool, until `release`.
   *
   * @throws Error when the pool was ended, on which the driver would wait for ever
   */
  async reserve(): Promise<postgres.ReservedSql> {
    if (this.#isEnded) throw new Error("The connections were closed");
    this.#reserved++;
    try {
      return await this.#use().reserve();
    } catch (error) {
      this.#reserved--;
      throw error;
    }
  }

  /**
   * Takes a connection back.
   *
   * @param connection what `reserve` gave; nothing where it has broken: the driver opens it again by itself
   */
  release(connection: postgres.ReservedSql | undefined): void {
    this.#reserved--;
    this.#isUsed = true;
    connection?.release();
  }

  /** Closes all connections for ever: what comes later is refused. */
  async end(): Promise<void> {
    const sql = this.#use();
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await sql.end({ timeout: CLOSE_SECONDS });
  }

  #use(): postgres.Sql {
    this.#isUsed = true;
    return this.#sql ??= this.#open();
  }

  #open(): postgres.Sql {
    if (this.#idleMs > 0) this.#watch();
    this.#prepared = new PreparedTexts();
    const { address, ...options } = this.#options;
    return (address === undefined
      ? postgres(options)
      : postgres(address, options)) as unknown as postgres.Sql;
  }

  #watch(): void {
    this.#timer = setTimeout(() => {
      if (this.#isUsed || this.#reserved > 0) this.#watch();
      else {
        this.#sql?.end({ timeout: CLOSE_SECONDS });
        this.#sql = undefined;
      }
      this.#isUsed = false;
    }, this.#idleMs);
  }
}

/** What the driver opens connections by. */
type ConnectionOptions = postgres.Options<Record<string, postgres.PostgresType>> & {
  readonly address: string | undefined;
};

function connectionOptions(
  { credentials, pool, statementMs, schema }: PoolOptions,
  max: number,
): ConnectionOptions {
  const { url, uri, host, hostname, port, user, username, password, database, dbname } = credentials;
  const address = text(url) ?? text(uri);
  if (address === undefined && text(host) === undefined && text(hostname) === undefined) {
    throw new ConfigurationError(
      `"fw.requires.db.credentials" needs "url", or "host" with "user", "password" and "database"`,
    );
  }
  const given = {
    host: text(host) ?? text(hostname),
    port: port === undefined ? undefined : Number(port),
    user: text(user) ?? text(username),
    password: text(password),
    database: text(database) ?? text(dbname),
    ssl: sslOf(credentials),
  };
  return {
    address,
    ...defined(given),
    max,
    connect_timeout: Number(pool.connectTimeoutMs ?? 10_000) / 1000,
    // without it, a connection that is reserved before it is open is never given (postgres 3.4)
    fetch_types: true,
    onnotice: () => {},
    types: databaseValues,
    connection: defined({
      application_name: "fw",
      TimeZone: "UTC",
      search_path: `"${schema.replaceAll('"', '""')}"`,
      statement_timeout: statementMs,
    }) as postgres.Options<Record<string, never>>["connection"],
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

type Ssl = postgres.Options<Record<string, never>>["ssl"];

function sslOf({ ssl, sslmode, sslrootcert }: Readonly<Record<string, unknown>>): Ssl {
  if (typeof sslrootcert === "string") return { ca: sslrootcert, rejectUnauthorized: true };
  if (ssl === undefined && sslmode === undefined) return undefined;
  if (sslmode === "disable" || ssl === false) return false;
  return ssl === true || sslmode === "verify-full" ? "verify-full" : String(sslmode ?? ssl) as Ssl;
}

function defined<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
