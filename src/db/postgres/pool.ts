/**
 * Connections to PostgreSQL.
 *
 * @module
 */

import postgres from "postgres";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { databaseValues } from "./database_values.ts";

/** Connections, of which each transaction that writes takes one. */
export type Pool = postgres.Sql;

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
 * Opens connections, on first use.
 *
 * @param options credentials and bounds
 * @throws ConfigurationError when neither `url` nor `host` is given
 */
export function openPool({ credentials, pool, statementMs, schema }: PoolOptions): Pool {
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
  const options: postgres.Options<Record<string, postgres.PostgresType>> = {
    ...defined(given),
    max: Number(pool.max ?? 10),
    idle_timeout: Number(pool.idleTimeoutMs ?? 30_000) / 1000,
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
  return (address === undefined ? postgres(options) : postgres(address, options)) as unknown as Pool;
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
