import { ServiceError } from "../../errors/service_error.ts";
import type { ConnectionCounts } from "../../service/database.ts";
import { type ConnectionOptions, connectionOptions, type PoolOptions } from "./connection_options.ts";
import { ConnectionError, type OpenConnection } from "./open_connection.ts";
import type { BoundStatement } from "./statement_query.ts";
import { PreparedTexts } from "./prepared_texts.ts";
import { type Outcome, Session } from "./session.ts";

/** Connections at most, unless the configuration says so. */
const CONNECTIONS = 10;
const SERVER_PORT = 5432;
/** All tenants together have so many times the connections of one, unless the configuration says so. */
const TENANTS = 3;
/** How long transactions, and then statements, may still take when all connections are closed. */
const CLOSE_MS = 5000;
/** Connections that nobody uses are closed after this time, unless the configuration says so. */
const IDLE_MS = 30_000;
/** How long transactions may keep all connections while others wait, unless the configuration says so. */
const ACQUIRE_MS = 15_000;
/** How old connections get: the server keeps memory for each of them, and another one may have to be found behind the name. */
const LIFETIME_MS = 1_800_000;

/**
 * Connections, opened on first use, of which each transaction that writes takes one. They are closed together once none
 * of them was used for a while: a timer for each of them would be set and cleared with each statement, which takes as long
 * as building it.
 */
export class Pool implements BudgetedPool {
  /** How many there may be. */
  readonly max: number;
  /** Host and port of the server. */
  readonly address: string;
  /** What sets up a session and runs before the first statement of each transaction, where each has another session. */
  readonly before: readonly string[] | undefined;
  readonly #options: ConnectionOptions;
  readonly #idleMs: number;
  readonly #acquireMs: number;
  readonly #budget: ConnectionBudget | undefined;
  #sessions: Session[] = [];
  /** Callers that could not be given a connection, in the order in which they came. */
  readonly #waiting: Waiting[] = [];
  /** How often one who waited was given a connection. */
  #turns = 0;
  /** Connections that were open when they started are closed when they start anew. */
  readonly #texts = new PreparedTexts(2 * LIFETIME_MS);
  readonly #listener = {
    onIdle: (): void => {
      this.#budget?.passOn(this);
      this.#serve();
    },
    onStale: (sql: string, name: string): void => this.#texts.rename(sql, name),
  };
  #isUsed = false;
  #isEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param options credentials and bounds
   * @throws ConfigurationError when neither `url` nor `host` is given, and for a wrong `url`
   */
  constructor(options: PoolOptions) {
    this.max = Number(options.pool.max ?? CONNECTIONS);
    this.#idleMs = Number(options.pool.idleTimeoutMs ?? IDLE_MS);
    this.#acquireMs = Number(options.pool.acquireTimeoutMs ?? ACQUIRE_MS);
    this.#options = connectionOptions(options);
    const { settings, config: { host, port = SERVER_PORT } } = this.#options;
    this.address = `${host}:${port}`;
    this.before = settings === undefined ? undefined : [settings];
    const most = Number(options.pool.maxOfTenants ?? TENANTS * this.max);
    this.#budget = options.shared && ConnectionBudget.at(options.shared, this.address, most);
  }

  /** How many connections there are. */
  get size(): number {
    return this.#sessions.length;
  }

  /** Closes a connection that nobody uses, for another tenant; whether there was one. */
  yieldIdle(): boolean {
    const idle = this.#sessions.find((session) => !isInUse(session));
    if (idle === undefined) return false;
    this.#sessions = this.#sessions.filter((session) => session !== idle);
    void idle.close(CLOSE_MS);
    return true;
  }

  /** Whether somebody waits for a connection. */
  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** There may be room for one more connection. */
  retry(): void {
    this.#serve();
  }

  /**
   * Runs a statement on any connection; where all are in use, behind other statements.
   *
   * @param given the statement
   * @param outcome what becomes of it
   */
  run<T>(given: Statement, outcome: Outcome<T>): Promise<T> {
    const statement = this.before ? { ...given, before: this.before } : this.prepared(given);
    const session = this.#next(false);
    return session
      ? session.run(statement, outcome)
      : this.#wait(false, (free) => free.run(statement, outcome)).catch(outcome.failed);
  }

  /**
   * The statement with its name: what was run before is prepared, if there are not too many, and the session stays.
   *
   * @param statement the statement
   */
  prepared({ sql, values, simple, answerBytes }: Statement): BoundStatement {
    return { sql, values, answerBytes, name: simple || this.before ? undefined : this.#texts.nameOf(sql) };
  }

  /**
   * Takes a connection out of the pool; it is given back by `release` of the session.
   *
   * @throws ServiceError 503 when others keep all connections too long
   * @throws Error when the pool was ended, and what the driver throws when no connection can be opened
   */
  reserve(): Promise<Reservation> {
    const session = this.#next(true);
    return session ? reserved(session) : this.#wait(true, reserved);
  }

  /** How many connections there are, and who waits for one. */
  counts(): ConnectionCounts {
    const used = this.#sessions.filter(isInUse).length;
    return {
      ...{ most: this.max, used, idle: this.#sessions.length - used },
      waiting: this.#waiting.length,
    };
  }

  /** Closes all connections for ever: what comes later is refused. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    for (const { refuse, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      refuse(closed());
    }
    this.#budget?.leave(this);
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
    if (this.#sessions.length < this.max && !this.#isEnded && (this.#budget?.take(this) ?? true)) {
      return this.#open();
    }
    return isAlone ? undefined : least;
  }

  #open(): Session {
    if (this.#sessions.length === 0) this.#watch();
    const session = new Session(this.#options, this.#listener);
    this.#sessions.push(session);
    return session;
  }

  /**
   * Waiting ends with 503 when nobody got a connection for some time: those who have them may wait for one more each.
   * However many wait, nobody is turned away as long as connections get free.
   */
  #wait<T>(isAlone: boolean, use: (session: Session) => Promise<T>): Promise<T> {
    if (this.#isEnded) return Promise.reject(closed());
    const { promise, resolve, reject: refuse } = Promise.withResolvers<T>();
    const waiting: Waiting = { isAlone, use: (session) => resolve(use(session)), refuse };
    this.#waiting.push(waiting);
    let turns = this.#turns;
    const check = () => {
      if (this.#turns === turns) {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        return refuse(allInUse());
      }
      turns = this.#turns;
      waiting.timer = setTimeout(check, this.#acquireMs);
    };
    waiting.timer = setTimeout(check, this.#acquireMs);
    return promise;
  }

  /** Gives connections to those who wait, as long as there are some. */
  #serve(): void {
    this.#isUsed = true;
    while (this.#waiting.length > 0) {
      const { isAlone, use, timer } = this.#waiting[0]!;
      const session = this.#choose(isAlone);
      if (session === undefined) return;
      this.#waiting.shift();
      this.#turns++;
      clearTimeout(timer);
      use(session);
    }
  }

  /** Closes connections that are old, and all of them where nobody used one since the last time. */
  #watch(): void {
    this.#timer = setTimeout(() => {
      const isIdle = this.#idleMs > 0 && !this.#isUsed && !this.#sessions.some(isInUse);
      this.#isUsed = false;
      if (isIdle) return void this.#close();
      this.#closeOld();
      if (this.#sessions.length > 0) this.#watch();
    }, this.#idleMs || IDLE_MS);
  }

  #closeOld(): void {
    const oldest = Date.now() - LIFETIME_MS;
    const isOld = (session: Session) => session.since < oldest && !session.isReserved;
    const old = this.#sessions.filter(isOld);
    this.#sessions = this.#sessions.filter((session) => !isOld(session));
    // nobody waits for them to close: what runs on them may end
    for (const session of old) session.close(LIFETIME_MS);
    this.#budget?.give(old.length);
  }

  async #close(): Promise<void> {
    const sessions = this.#sessions;
    this.#sessions = [];
    this.#budget?.give(sessions.length);
    await Promise.all(sessions.map((session) => session.close(CLOSE_MS)));
  }
}

/** A statement, which is prepared unless it says otherwise. */
export interface Statement extends BoundStatement {
  /** Whether it must not be prepared: its text holds several statements, or its result has other columns each time. */
  readonly simple?: boolean;
}

/** A connection that was taken out of the pool. */
export interface Reservation {
  readonly session: Session;
  readonly open: OpenConnection;
}

/** A caller that waits for a connection. */
interface Waiting {
  readonly isAlone: boolean;
  readonly use: (session: Session) => void;
  readonly refuse: (error: Error) => void;
  /** Looks whether connections get free. */
  timer?: ReturnType<typeof setTimeout>;
}

async function reserved(session: Session): Promise<Reservation> {
  return { session, open: await session.reserve() };
}

function isInUse(session: Session): boolean {
  return session.isReserved || session.running > 0;
}

function allInUse(): ServiceError {
  return new ServiceError({ status: 503, message: "All connections to the database are in use" });
}

function closed(): Error {
  return new ConnectionError(new Error("The connections were closed"));
}

/** Connections of a database, of which others may get one. */
interface BudgetedPool {
  /** How many connections it has. */
  readonly size: number;
  /** Whether somebody waits for one of its connections. */
  readonly isWanted: boolean;
  /** Closes a connection that nobody uses, which the budget counts; whether there was one. */
  yieldIdle(): boolean;
  /** Is told that there may be room for one more connection. */
  retry(): void;
}

/**
 * Connections are taken where they are needed: those that nobody uses go to who has none, and where all are in use, who has
 * fewer comes first. Otherwise each tenant that somebody uses now and then would keep some of a server that has a hundred.
 */
class ConnectionBudget {
  readonly #most: number;
  readonly #pools: Set<BudgetedPool> = new Set();
  /** The pools that could not open a connection, in the order in which they asked. */
  readonly #wanting: Set<BudgetedPool> = new Set();
  #open = 0;

  /** @param most connections of all of them */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * The budget of all pools to a server.
   *
   * @param shared what the databases of a runtime share
   * @param address the server
   * @param most connections, where it is new
   */
  static at(shared: Map<string, unknown>, address: string, most: number): ConnectionBudget {
    const key = `connections ${address}`;
    const known = shared.get(key) as ConnectionBudget | undefined;
    const budget = known ?? new ConnectionBudget(most);
    if (!known) shared.set(key, budget);
    return budget;
  }

  /**
   * Takes one.
   *
   * @param pool whose it will be
   * @returns whether there is one; if not, `retry` is called once it may be so
   */
  take(pool: BudgetedPool): boolean {
    this.#pools.add(pool);
    if (this.#open >= this.#most && !this.#pools.values().some((other) => this.#takeFrom(other))) {
      this.#wanting.add(pool);
      return false;
    }
    this.#open++;
    this.#wanting.delete(pool);
    return true;
  }

  /**
   * Gives some back, which are closed.
   *
   * @param count how many
   */
  give(count: number): void {
    this.#open -= count;
    this.#serve();
  }

  /**
   * A connection of a pool is not in use any more: it goes to another pool that waits, if that has fewer, or if nobody waits
   * for this one.
   *
   * @param pool whose it is
   */
  passOn(pool: BudgetedPool): void {
    for (const other of this.#wanting) {
      if (!other.isWanted) this.#wanting.delete(other);
      else if (other !== pool && (other.size < pool.size || !pool.isWanted)) {
        if (!this.#takeFrom(pool)) return;
        this.#wanting.delete(other);
        return other.retry();
      }
    }
  }

  /** A pool was closed for ever. */
  leave(pool: BudgetedPool): void {
    this.#pools.delete(pool);
    this.#wanting.delete(pool);
  }

  #takeFrom(pool: BudgetedPool): boolean {
    if (!pool.yieldIdle()) return false;
    this.#open--;
    if (pool.isWanted) this.#wanting.add(pool);
    return true;
  }

  #serve(): void {
    for (const pool of [...this.#wanting]) {
      if (this.#open >= this.#most) return;
      this.#wanting.delete(pool);
      pool.retry();
    }
  }
}
