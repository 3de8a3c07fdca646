/**
 * How many rows a worker claims at a time (`messaging` 6.3).
 *
 * @module
 */

const LEAST = 10;
const MOST = 1_000;
/** Characters of stored calls that one claim may bring into memory, as far as those of the one before it tell. */
const MOST_CHARACTERS = 8 * 1024 * 1024;
/** How long work that keeps the event loop from everything else should take at a time, */
const BLOCKING_MS = 6;
/** and work that waits for others. */
const WAITING_MS = 100;

/** What a claim and the work on its rows took. */
export interface ChunkCost {
  /** Rows claimed. */
  readonly rows: number;
  /** Characters of their stored calls. */
  readonly characters: number;
  readonly elapsedMs: number;
  /** Whether nothing else could run meanwhile. */
  readonly isBlocking: boolean;
}

/**
 * The size of chunks. It grows while a backlog is there and chunks take little time: a few rows at a time cost a database much
 * more than many, but many must not keep requests waiting, and are all published again after a crash.
 */
export class ChunkSize {
  #rows: number = LEAST;
  /** Full chunks in a row: one is no backlog yet. */
  #full = 0;

  /** Rows of the next chunk at most. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Learns from a full chunk.
   *
   * @param cost what it took
   */
  learn({ rows, characters, elapsedMs, isBlocking }: ChunkCost): void {
    const aimMs = isBlocking ? BLOCKING_MS : WAITING_MS;
    if (elapsedMs * 2 <= aimMs && ++this.#full > 1) this.#rows *= 2;
    else if (elapsedMs > aimMs * 2) this.#rows = Math.floor(this.#rows / 2);
    const room = Math.floor(MOST_CHARACTERS / Math.max(1, characters / rows));
    this.#rows = Math.max(LEAST, Math.min(MOST, room, this.#rows));
  }

  /** Makes chunks as small as they get; whether they were larger. */
  reset(): boolean {
    const wasLarger = this.#rows > LEAST;
    this.#rows = LEAST;
    this.#full = 0;
    return wasLarger;
  }
}
