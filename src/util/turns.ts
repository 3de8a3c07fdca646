/**
 * Work that must not overlap.
 *
 * @module
 */

import type { MaybePromise } from "./maybe_promise.ts";

/** Runs work one after the other, in the order it was given. */
export class Turns {
  #last: Promise<unknown> | undefined;

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
