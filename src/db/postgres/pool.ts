/**
 * Connections to PostgreSQL.
 *
 * @module
 */

import postgres from "postgres";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { databaseValues } from "./database_values.ts";
import { PreparedTexts } from "./prepared_texts.ts";
import { type BoundStatement, type Outcome, Session } from "./session.ts";

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

/** What the driver is to know of statements; `simple`, which its types do not know: text that may hold several of them. */
const [PREPARED, UNPREPARED, SIMPLE] = [
  { prepare: true, simple: false },
  { prepare: false, simple: false },
  { prepare: false, simple: true },
];

/**
 * Connections, opened on first use, of which each transaction that writes takes one. They are closed together once none
 * of them was used for a while: timers of the driver for each of them would be set and cleared with each statement,
 * which takes as long as building it. Each has a driver of its own: one that has several keeps a list of idle ones that
 * gets longer with each statement unless all of them are in use now and then, and searches it each time (postgres 3.4).
 */
export class Pool {
  /** How many there may be. */
  readonly max: number;
  readonly #options: ConnectionOptions;
  readonly #idleMs: number;
  #sessions: Session[] = [];
  /** Those whom no connection could be given, in the order in which they came. */
  readonly #waiting: Waiting[] = [];
  #prepared = new PreparedTexts();
  #isUsed = false;
  #isEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param options credentials and bounds
   * @throws ConfigurationError when neither `url` nor `host` is given, and for a wrong `url`
   */
  constructor(options: PoolOptions) {
    this.max = Number(options.pool.max ?? CONNECTIONS);
    this.#idleMs = Number(options.pool.idleTimeoutMs ?? 30_000);
    this.#options = connectionOptions(options);
    client(this.#options);
  }

  /**
   * Runs a statement on any connection; where all are in use, behind other statements.
   *
   * @param statement the statement
   * @param outcome what becomes of it
   */
  run<T>(statement: Statement, outcome: Outcome<T>): Promise<T> {
    const options = this.optionsOf(statement);
    const session = this.#next(false);
    return session
      ? session.run(statement, options, outcome)
      : this.#wait(false, (given) => given.run(statement, options, outcome)).catch(outcome.failed);
  }

  /**
   * What the driver is to know of a statement. It is prepared where it was run before, and there are not too many.
   *
   * @param statement the statement
   */
  optionsOf({ sql, simple }: Statement): postgres.UnsafeQueryOptions {
    if (simple) return SIMPLE;
    return this.#prepared.add(sql) ? PREPARED : UNPREPARED;
  }

  /**
   * Takes a connection out of the pool, until `release`.
   *
   * @throws Error when the pool was ended, on which the driver would wait for ever
   */
  reserve(): Promise<Reservation> {
    const session = this.#next(true);
    return session ? this.#reserve(session) : this.#wait(true, (given) => this.#reserve(given));
  }

  async #reserve(session: Session): Promise<Reservation> {
    session.isReserved = true;
    try {
      return { session, sql: await session.reserve() };
    } catch (error) {
      session.isReserved = false;
      this.#serve();
      throw error;
    }
  }

  /**
   * Takes a connection back.
   *
   * @param reservation what `reserve` gave
   * @param isBroken whether the connection has broken: the driver opens it again by itself
   */
  release({ session, sql }: Reservation, isBroken: boolean): void {
    this.#isUsed = true;
    session.isReserved = false;
    if (!isBroken) sql.release();
    this.#serve();
  }

  /** Closes all connections for ever: what comes later is refused. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    for (const { refuse } of this.#waiting.splice(0)) refuse(closed());
    await this.#close();
  }

  /** The connection for one who comes now, behind those who wait already. */
  #next(isAlone: boolean): Session | undefined {
    this.#isUsed = true;
    return this.#waiting.length === 0 ? this.#choose(isAlone) : undefined;
  }

  /**
   * The first connection that is idle, so that as few as possible are opened, or a new one; where there may be no more, the
   * one with the least to do, but not for one who wants it alone.
   */
  #choose(isAlone: boolean): Session | undefined {
    let least: Session | undefined;
    // each statement comes here: by index nothing is allocated
    for (let i = 0; i < this.#sessions.length; i++) {
      const session = this.#sessions[i]!;
      if (session.isReserved) continue;
      if (session.running === 0) return session;
      if (least === undefined || session.running < least.running) least = session;
    }
    if (this.#sessions.length < this.max && !this.#isEnded) return this.#open();
    return isAlone ? undefined : least;
  }

  #open(): Session {
    if (this.#sessions.length === 0) {
      if (this.#idleMs > 0) this.#watch();
      this.#prepared = new PreparedTexts();
    }
    const session = new Session(client(this.#options), () => this.#serve());
    this.#sessions.push(session);
    return session;
  }

  #wait<T>(isAlone: boolean, use: (session: Session) => Promise<T>): Promise<T> {
    if (this.#isEnded) return Promise.reject(closed());
    return new Promise((resolve, refuse) => {
      this.#waiting.push({ isAlone, use: (session) => resolve(use(session)), refuse });
    });
  }

  /** Gives connections to those who wait, as long as there are some. */
  #serve(): void {
    while (this.#waiting.length > 0) {
      const { isAlone, use } = this.#waiting[0]!;
      const session = this.#choose(isAlone);
      if (session === undefined) return;
      this.#waiting.shift();
      use(session);
    }
  }

  #watch(): void {
    this.#timer = setTimeout(() => {
      if (this.#isUsed || this.#sessions.some((session) => session.isReserved || session.running > 0)) {
        this.#watch();
      } else this.#close();
      this.#isUsed = false;
    }, this.#idleMs);
  }

  async #close(): Promise<void> {
    const sessions = this.#sessions;
    this.#sessions = [];
    await Promise.all(sessions.map((session) => session.end(CLOSE_SECONDS)));
  }
}

/** A statement, and whether its text may hold several. */
export interface Statement extends BoundStatement {
  readonly simple?: boolean;
}

/** A connection that was taken out of the pool. */
export interface Reservation {
  readonly session: Session;
  readonly sql: postgres.ReservedSql;
}

/** One who waits for a connection. */
interface Waiting {
  readonly isAlone: boolean;
  readonly use: (session: Session) => void;
  readonly refuse: (error: Error) => void;
}

function closed(): Error {
  return Object.assign(new Error("The connections were closed"), { code: "CONNECTION_ENDED" });
}

/** What connects when it is first used. Errors of the driver show the URL, which holds the password. */
function client({ address, ...options }: ConnectionOptions): postgres.Sql {
  try {
    return (address === undefined
      ? postgres(options)
      : postgres(address, options)) as unknown as postgres.Sql;
  } catch {
    throw new ConfigurationError(
      '"url" in "fw.requires.db.credentials" is no valid URL: expected postgres://user:password@host:5432/database, ' +
        "with percent-encoded characters where user and password are not letters and digits",
    );
  }
}

/** What the driver opens connections by. */
type ConnectionOptions = postgres.Options<Record<string, postgres.PostgresType>> & {
  readonly address: string | undefined;
};

function connectionOptions(
  { credentials, pool, statementMs, schema }: PoolOptions,
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
    max: 1,
    connect_timeout: Number(pool.connectTimeoutMs ?? 10_000) / 1000,
    // without it, a connection that is reserved before it is open is never given (postgres 3.4)
    fetch_types: true,
    // each statement tries anew, and is answered at once while the server is away; the driver would wait up to 20 s
    backoff: false,
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
