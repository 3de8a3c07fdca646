/**
 * Work that must not overlap, or of which only so much may.
 *
 * @module
 */

import type { MaybePromise } from "./maybe_promise.ts";

/** Runs work one after the other, in the order it was given. */
export class Turns {
  #last: Promise<unknown> | undefined;

  /** Whether work has not ended yet. */
  get areTaken(): boolean {
    return this.#last !== undefined;
  }

  /**
   * Runs work as soon as all work before it has ended, however that ended: at once where there is none.
   *
   * @param work what is done
   * @returns what it gives
   * @throws what it throws
   */
  take<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    const result = this.#last ? this.#last.then(work) : work();
    if (!(result instanceof Promise)) return result;
    const end = () => {
      if (this.#last === last) this.#last = undefined;
    };
    const last: Promise<void> = result.then(end, end);
    this.#last = last;
    return result;
  }
}

/**
 * Runs work on items in their order, a number of them at a time; an item that fails lets no further ones begin.
 *
 * @param most items at a time, 1 or more
 * @param items what is worked on
 * @param work is done on an item
 * @returns what it gave, by the order of the items
 * @throws what it throws, at once
 */
export async function runAtMost<T, R>(
  most: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let [next, hasFailed] = [0, false];
  const run = async () => {
    while (next < items.length && !hasFailed) {
      const at = next++;
      results[at] = await work(items[at]!);
    }
  };
  const guarded = () =>
    run().catch((error) => {
      hasFailed = true;
      throw error;
    });
  await Promise.all(Array.from({ length: Math.min(Math.max(1, most), items.length) }, guarded));
  return results;
}
