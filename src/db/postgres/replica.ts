/**
 * A read replica: a server that repeats what the primary does.
 *
 * @module
 */

import type { PoolOptions } from "./connection_options.ts";
import { Pool, type Statement } from "./pool.ts";
import type { StatementResult } from "./statement_query.ts";

/** How far the server has repeated the log, and of which cluster it is a copy; no position where it is no replica. */
const REPLAYED = "SELECT (SELECT system_identifier::text FROM pg_control_system()) AS cluster, " +
  "CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 END AS position";

/** Where the log of the primary ended, and when it was asked. */
export interface LogPosition {
  /** Milliseconds of `performance.now()` before it was asked. */
  readonly at: number;
  readonly position: number;
  /** Which cluster it is. */
  readonly cluster: string;
}

/** How a replica is watched. */
export interface ReplicaOptions {
  /** How old its rows may be, and how long it may take to answer, in milliseconds. */
  readonly maxLagMs: number;
  /** Is told when it is not used any more, and when it is used again. */
  readonly tell: (text: string) => void;
}

/** Runs statements that only read, and knows what state of the primary it has reached. */
export class Replica {
  /** Host and port. */
  readonly name: string;
  /** When the primary had a state that this server has reached since, as `performance.now()`. */
  freshAt = -Infinity;
  readonly #open: (max?: number) => Pool;
  readonly #options: ReplicaOptions;
  /** What refuses the statements that are under way. */
  readonly #pending: Set<(error: Error) => void> = new Set();
  /** Connections that are being closed. */
  readonly #closing: Set<Promise<void>> = new Set();
  #pool: Pool;
  /** Looks on a connection of its own are not behind statements that take long. */
  #lookout: Pool;
  #fault: string | undefined;
  #isClosed = false;

  /**
   * @param connections how to reach it
   * @param options how it is watched
   */
  constructor(connections: PoolOptions, options: ReplicaOptions) {
    const pool = { ...connections.pool, connectTimeoutMs: options.maxLagMs };
    this.#open = (max) => new Pool({ ...connections, pool: max === undefined ? pool : { ...pool, max } });
    this.#options = options;
    this.#pool = this.#open();
    this.#lookout = this.#open(1);
    this.name = this.#pool.address;
  }

  /** Whether nothing is wrong with it. */
  get isUsed(): boolean {
    return this.#fault === undefined;
  }

  /**
   * Runs a statement, which fails at once where the server turns out not to answer any more.
   *
   * @param statement reads only
   * @throws what the driver throws
   */
  run(statement: Statement): Promise<StatementResult> {
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    this.#pending.add(reject);
    const done = () => this.#pending.delete(reject);
    this.#pool.run(statement, AS_IT_IS).then(resolve, reject).then(done);
    return promise;
  }

  /**
   * Finds out what state of the primary it has reached.
   *
   * @param positions of the primary, the latest last
   */
  async look(positions: readonly LogPosition[]): Promise<void> {
    try {
      const asked = this.#lookout.run({ sql: REPLAYED, values: [], simple: true }, AS_IT_IS);
      const { rows } = await within(this.#options.maxLagMs, asked);
      const { cluster, position } = rows[0] as { readonly cluster: string; readonly position: number | null };
      const latest = positions.at(-1);
      if (latest === undefined) return;
      if (position === null) return this.#lose("it is no replica");
      if (cluster !== latest.cluster) return this.#lose("it is a replica of another server");
      this.freshAt = positions.findLast((one) => one.position <= position)?.at ?? this.freshAt;
      this.#judge(latest);
    } catch (error) {
      this.#lose((error as Error).message);
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#leave();
    await Promise.all(this.#closing);
  }

  /** Where the primary itself does not answer, nothing is known of the delay of others. */
  #judge({ at }: LogPosition): void {
    const now = performance.now();
    const { maxLagMs } = this.#options;
    if (now - at > maxLagMs) return;
    const isLate = now - this.freshAt > maxLagMs;
    this.#note(isLate ? `it is more than ${maxLagMs} ms behind` : undefined);
  }

  /** From now on it is not there; statements that wait for it are run elsewhere. */
  #lose(reason: string): void {
    if (this.#isClosed) return;
    this.freshAt = -Infinity;
    this.#note(reason);
    for (const refuse of this.#pending) refuse(new Error(reason));
    this.#leave();
    this.#pool = this.#open();
    this.#lookout = this.#open(1);
  }

  #leave(): void {
    for (const pool of [this.#pool, this.#lookout]) {
      const closing = pool.end().finally(() => this.#closing.delete(closing));
      this.#closing.add(closing);
    }
  }

  /** Told once, though the server fails in other ways while it comes back. */
  #note(fault: string | undefined): void {
    const isKnown = (this.#fault === undefined) === (fault === undefined);
    this.#fault = fault;
    if (isKnown) return;
    const { name } = this;
    this.#options.tell(
      fault === undefined
        ? `The replica ${name} is used again`
        : `The replica ${name} is not used: ${fault}; the primary reads instead`,
    );
  }
}

/**
 * The position of the log at its end.
 *
 * @param pool of the primary
 * @param patienceMs how long that may take, in milliseconds
 * @throws what the driver throws
 */
export async function logPosition(pool: Pool, patienceMs: number): Promise<LogPosition> {
  const at = performance.now();
  const { rows } = await within(patienceMs, pool.run({ sql: WRITTEN, values: [], simple: true }, AS_IT_IS));
  return { at, ...rows[0] as Omit<LogPosition, "at"> };
}

/** What is not written yet counts where commits do not wait for it. The end of what is written is never between pages. */
const WRITTEN = "SELECT (SELECT system_identifier::text FROM pg_control_system()) AS cluster, " +
  "pg_wal_lsn_diff(CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn() " +
  "ELSE pg_current_wal_lsn() END, '0/0')::float8 AS position";

const AS_IT_IS = {
  read: (result: StatementResult): StatementResult => result,
  failed: (error: unknown): never => {
    throw error;
  },
};

/** What a promise gives, unless that takes too long. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
