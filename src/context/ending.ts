/**
 * When work is to end before it has ended by itself.
 *
 * @module
 */

import type { MaybePromise } from "../util/maybe_promise.ts";

/** Learns that work is to end. */
export interface EndingListener {
  /**
   * The work is to end; called once.
   *
   * @param reason why
   */
  onEnding(reason: unknown): void;
}

/**
 * What an `AbortController` is to clients, for each request: its signal is made where somebody asks for it, and steps of
 * the framework listen without events of the DOM.
 */
export class Ending {
  /** Asked by each transaction of the work, within it, right before its commit; what it throws prevents that. */
  askBeforeCommit: (() => MaybePromise<void>) | undefined;
  #controller: AbortController | undefined;
  #given: AbortSignal | undefined;
  #isOver = false;
  #reason: unknown;
  #listeners: EndingListener[] | undefined;

  /**
   * The end that a signal tells.
   *
   * @param signal from elsewhere
   */
  static by(signal: AbortSignal): Ending {
    const ending = new Ending();
    ending.#given = signal;
    if (signal.aborted) ending.end(signal.reason);
    else signal.addEventListener("abort", () => ending.end(signal.reason), { once: true });
    return ending;
  }

  /** Aborted when the work is to end. */
  get signal(): AbortSignal {
    if (this.#given) return this.#given;
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#isOver) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /**
   * Goes on unless the work is to end.
   *
   * @throws the reason once it is
   */
  throwIfOver(): void {
    if (this.#isOver) throw this.#reason;
  }

  /**
   * The work is to end now.
   *
   * @param reason why
   */
  end(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reason = reason;
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    this.#controller?.abort(reason);
    for (const listener of listeners) listener.onEnding(reason);
  }

  /** Tells somebody when the work is to end. */
  add(listener: EndingListener): void {
    if (this.#listeners) this.#listeners.push(listener);
    else this.#listeners = [listener];
  }

  /** Tells somebody no longer. */
  remove(listener: EndingListener): void {
    const at = this.#listeners?.indexOf(listener) ?? -1;
    if (at >= 0) this.#listeners!.splice(at, 1);
  }
}
