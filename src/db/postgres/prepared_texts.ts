/**
 * Which statements are prepared: the server keeps each one for each connection until that is closed, some ten kilobytes
 * of memory each time.
 *
 * @module
 */

/** Statements that are prepared at most. */
const MOST = 500;
/** Statements that were run once and are remembered. */
const MOST_SEEN = 2000;
/**
 * Where the server finds that it cannot run a prepared statement: what it reads has changed, its values have types that no
 * longer fit the columns, or it is not there.
 */
const STALE: ReadonlySet<unknown> = new Set([
  "RevalidateCachedQuery",
  "FetchPreparedStatement",
  "transformAssignedExpr",
  "op_error",
  "select_common_type",
]);

/** A prepared statement in a transaction could not run, as tables have changed: the transaction can only be rolled back. */
export class StaleStatementError extends Error {
  /** @param cause what the driver says */
  constructor(cause: unknown) {
    super("A prepared statement is stale", { cause });
  }
}

/** The statements of a pool: what is run again is prepared, as long as there are not too many. */
export class PreparedTexts {
  readonly #lifetimeMs: number;
  #names = new Map<string, string>();
  readonly #seen = new Set<string>();
  #since = Date.now();
  #count = 0;

  /** @param lifetimeMs how old connections get, in milliseconds */
  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs;
  }

  /**
   * The name under which a statement is prepared.
   *
   * @param sql its text
   * @returns undefined where it is not to be prepared when it runs now
   */
  nameOf(sql: string): string | undefined {
    const name = this.#names.get(sql);
    if (name !== undefined) return name;
    if (this.#names.size >= MOST && !this.#renew()) return undefined;
    if (this.#seen.delete(sql)) return this.#add(sql);
    if (this.#seen.size >= MOST_SEEN) this.#seen.clear();
    this.#seen.add(sql);
    return undefined;
  }

  #add(sql: string): string {
    const name = `fw${++this.#count}`;
    this.#names.set(sql, name);
    return name;
  }

  /**
   * Gives a statement another name, as the server cannot run what has the present one.
   *
   * @param sql its text
   * @param name its present name; nothing happens if it has got another one
   */
  rename(sql: string, name: string): void {
    if (this.#names.get(sql) === name) this.#add(sql);
  }

  /** Starts anew once all connections are others than at the start. */
  #renew(): boolean {
    const now = Date.now();
    if (now - this.#since < this.#lifetimeMs) return false;
    this.#since = now;
    this.#names = new Map();
    return true;
  }
}

/**
 * Whether a prepared statement cannot run any more.
 *
 * @param error what the driver throws
 */
export function isStale(error: unknown): boolean {
  return STALE.has((error as { routine?: unknown } | undefined)?.routine);
}
