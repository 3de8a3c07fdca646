/**
 * How many connections the databases of all tenants of a process have to one server.
 *
 * @module
 */

/** Connections of a database, of which others may get one. */
export interface BudgetedPool {
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
export class ConnectionBudget {
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
    if (this.#open >= this.#most && !this.#others(pool).some((other) => this.#takeFrom(other))) {
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
    if (count > 0) this.#serve();
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

  #others(pool: BudgetedPool): readonly BudgetedPool[] {
    return [...this.#pools].filter((other) => other !== pool && other.size > 0);
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
