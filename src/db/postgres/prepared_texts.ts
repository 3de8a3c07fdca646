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
/** The driver closes connections before they are older. */
const LIFETIME_MS = 3_600_000;

/** The statements of a pool: what is run again is prepared, as long as there are not too many. */
export class PreparedTexts {
  #prepared = new Set<string>();
  readonly #seen = new Set<string>();
  #since = Date.now();

  /**
   * Whether a statement is prepared when it runs now.
   *
   * @param sql its text
   */
  add(sql: string): boolean {
    if (this.#prepared.has(sql)) return true;
    if (this.#prepared.size >= MOST && !this.#renew()) return false;
    if (this.#seen.delete(sql)) {
      this.#prepared.add(sql);
      return true;
    }
    if (this.#seen.size >= MOST_SEEN) this.#seen.clear();
    this.#seen.add(sql);
    return false;
  }

  /** Starts anew once all connections are others than at the start. */
  #renew(): boolean {
    const now = Date.now();
    if (now - this.#since < LIFETIME_MS) return false;
    this.#since = now;
    this.#prepared = new Set();
    return true;
  }
}
