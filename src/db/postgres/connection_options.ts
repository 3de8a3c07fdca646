/**
 * What the configuration says about connections to PostgreSQL.
 *
 * @module
 */

import type pg from "pg";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { quote } from "../render/render_query.ts";

/** What the configuration says. */
export interface PoolOptions {
  /** Where these credentials stand in the configuration; default: `fw.requires.db.credentials`. */
  readonly key?: string;
  /** `url`, or `host`, `port`, `user`, `password`, `database`; `ssl` or `sslmode`; `schema`. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /**
   * `max` connections (default 10), `idleTimeoutMs` (default 30 s), `connectTimeoutMs` (default 10 s), `acquireTimeoutMs`
   * (default 15 s): how long one waits while no connection gets free, 503 beyond; `maxOfTenants` (default 3 times `max`):
   * connections of the databases of all tenants to a server.
   */
  readonly pool: Readonly<Record<string, unknown>>;
  /** Milliseconds a statement may take; 0: as many as the server says. */
  readonly statementMs: number;
  /** Where tables are. */
  readonly schema: string;
  /** Whether a pooler gives each transaction any of its connections: nothing of a session outlives a transaction then. */
  readonly pooler?: boolean;
  /** What the databases of the tenants of a runtime share. */
  readonly shared?: Map<string, unknown>;
}

/** How to open a connection. */
export interface ConnectionOptions {
  readonly config: pg.ClientConfig;
  /** Whether a server that cannot encrypt is good enough. */
  readonly mayBePlain: boolean;
  /** Where each transaction gets another session: the statement that sets up one for a transaction. */
  readonly settings?: string;
}

const CONNECT_MS = 10_000;

/**
 * How to open a connection.
 *
 * @param options the configuration
 * @throws ConfigurationError when neither `url` nor `host` is given, and for a wrong `url`
 */
export function connectionOptions(options: PoolOptions): ConnectionOptions {
  const { credentials, pool, statementMs, pooler, key = "fw.requires.db.credentials" } = options;
  const server = serverOf(credentials, key);
  const { ssl, sslmode = server.sslmode, sslrootcert = server.sslrootcert } = credentials;
  const session = {
    TimeZone: "UTC",
    DateStyle: "ISO",
    client_encoding: "UTF8",
    search_path: quote(options.schema),
  };
  return {
    mayBePlain: ["prefer", "allow"].includes(String(sslmode ?? ssl)),
    settings: pooler ? localSettings({ ...session, statement_timeout: String(statementMs) }) : undefined,
    config: {
      ...server.config,
      ssl: sslOf({ ssl, sslmode, sslrootcert }),
      connectionTimeoutMillis: Number(pool.connectTimeoutMs ?? CONNECT_MS),
      keepAlive: true,
      application_name: "fw",
      ...(pooler ? {} : {
        statement_timeout: statementMs,
        options: settings(session),
      }),
    },
  };
}

/** Where the server is, and who logs in. */
interface Server {
  readonly config: pg.ClientConfig;
  readonly sslmode?: string;
  readonly sslrootcert?: string;
}

function serverOf(credentials: PoolOptions["credentials"], key: string): Server {
  const { host, hostname, port, user, username, password, database, dbname } = credentials;
  const address = text(credentials.url) ?? text(credentials.uri) ?? text(credentials.connectionString);
  if (address === undefined && text(host) === undefined && text(hostname) === undefined) {
    throw new ConfigurationError(
      `"${key}" needs "url", or "host" with "user", "password" and "database"`,
    );
  }
  const { config = {}, ...rest } = address === undefined ? {} : serverAt(address, key);
  const given = {
    host: text(host) ?? text(hostname),
    port: port === undefined ? undefined : Number(port),
    user: text(user) ?? text(username),
    password: text(password),
    database: text(database) ?? text(dbname),
  };
  return { ...rest, config: { ...config, ...defined(given) } };
}

/** What a URL says. Errors must not show it: it holds the password. */
function serverAt(address: string, key: string): Server {
  try {
    const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(address);
    if (!/^postgres(?:ql)?:$/.test(protocol)) throw new TypeError("no URL of PostgreSQL");
    const config = {
      // addresses of version 6 stand in brackets
      host: searchParams.get("host") ?? text(decodeURIComponent(hostname).replace(/^\[|\]$/g, "")),
      port: port === "" ? undefined : Number(port),
      user: text(decodeURIComponent(username)),
      password: text(decodeURIComponent(password)),
      database: text(decodeURIComponent(pathname.slice(1))),
    };
    return {
      config: defined(config),
      sslmode: searchParams.get("sslmode") ?? undefined,
      sslrootcert: searchParams.get("sslrootcert") ?? undefined,
    };
  } catch {
    throw new ConfigurationError(
      `"url" in "${key}" is no valid URL: expected postgres://user:password@host:5432/database, ` +
        "with percent-encoded characters where user and password are not letters and digits",
    );
  }
}

/** Whether to encrypt, and whom to trust: as `sslmode` of libpq, but certificates are checked unless it says otherwise. */
function sslOf({ ssl, sslmode, sslrootcert }: Readonly<Record<string, unknown>>): pg.ClientConfig["ssl"] {
  if (typeof sslrootcert === "string") return { ca: sslrootcert, rejectUnauthorized: true };
  if (typeof ssl === "object" && ssl !== null) return ssl;
  if (sslmode === "disable" || ssl === false || (ssl ?? sslmode) === undefined) return false;
  if (ssl === true) return true;
  return ["require", "allow", "prefer"].includes(String(sslmode ?? ssl))
    ? { rejectUnauthorized: false }
    : true;
}

/** Settings of the session as the server takes them when a connection is opened. */
function settings(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, "\\$&")}`)
    .join(" ");
}

/** The settings as statement, which counts for the transaction that it runs in. */
function localSettings(values: Readonly<Record<string, string>>): string {
  const calls = Object.entries(values)
    .map(([name, value]) => `set_config('${name}', '${value.replaceAll("'", "''")}', true)`);
  return `SELECT ${calls.join(", ")}`;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function defined<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
