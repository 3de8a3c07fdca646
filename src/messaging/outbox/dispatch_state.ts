/** Waits for messages by their keys, each until its row was worked on, whatever came of it. */
export class WaitingEmitters {
  readonly #open: Map<string, () => void> = new Map();

  /** Whether anybody waits. */
  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** The messages that are waited for at this moment. */
  get ids(): readonly string[] {
    return [...this.#open.keys()];
  }

  /**
   * Resolves when all of some messages have been let go.
   *
   * @param ids their keys
   */
  async wait(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => new Promise<void>((resolve) => this.#open.set(id, resolve))));
  }

  /**
   * Lets those go who wait for messages.
   *
   * @param ids their keys; default: all that are waited for
   */
  release(ids: Iterable<string> = this.ids): void {
    for (const id of ids) {
      this.#open.get(id)?.();
      this.#open.delete(id);
    }
  }
}

const LEAST = 10;
const MOST = 1_000;
/** Characters of stored calls that one claim may bring into memory, as far as those of the one before it tell. */
const MOST_CHARACTERS = 8 * 1024 * 1024;
/** How long work that keeps the event loop from everything else should take at a time, */
const BLOCKING_MS = 6;
/**
 * and work that waits for others, which keeps nothing waiting: most of its time is that of a claim, however many its rows, and
 * a busy database takes its time for each claim.
 */
const WAITING_MS = 1_000;

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
    const room = Math.floor(MOST_CHARACTERS * rows / characters);
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

/** How long a trouble that was told is not told again: at first, */
const LEAST_SILENCE_MS = 5_000;
/** and at most. */
const MOST_SILENCE_MS = 60_000;

/** Tells a trouble that goes on once at its beginning, then after growing pauses. */
export class Silence {
  #until = 0;
  #ms = 0;

  /**
   * Whether it is to be told now.
   *
   * @param isFirst whether the trouble begins
   */
  ends(isFirst: boolean): boolean {
    const now = Date.now();
    if (!isFirst && now < this.#until) return false;
    this.#ms = isFirst ? LEAST_SILENCE_MS : Math.min(MOST_SILENCE_MS, this.#ms * 2);
    this.#until = now + this.#ms;
    return true;
  }
}

/** Rings once at the earliest of the times that it was asked for. */
export class Alarm {
  readonly #onDue: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #at = Infinity;
  #isOver = false;

  /** @param onDue is called when it rings */
  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /** @param ms until it is to ring at the latest */
  ringIn(ms: number): void {
    const at = Date.now() + ms;
    if (this.#isOver || at >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = at;
    this.#timer = setTimeout(() => {
      this.#at = Infinity;
      this.#onDue();
    }, Math.min(ms, 2 ** 31 - 1));
  }

  /** It does not ring any more. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

const ERROR_LENGTH = 4_000;

/** What work failed with; undefined if it succeeded. */
export async function failureOf(work: Promise<unknown>): Promise<{ readonly reason: unknown } | undefined> {
  try {
    await work;
    return undefined;
  } catch (reason) {
    return { reason };
  }
}

/** An error that another attempt does not change. */
export function unrecoverable(message: string): Error {
  return Object.assign(new Error(message), { unrecoverable: true });
}

/** Whether another attempt would change nothing. */
export function isUnrecoverable(error: unknown): boolean {
  return (error as { unrecoverable?: unknown } | undefined)?.unrecoverable === true;
}

/** The text that is stored with a message. */
export function textOf(error: unknown): string {
  return (error instanceof Error ? error.stack ?? error.message : String(error)).slice(0, ERROR_LENGTH);
}
