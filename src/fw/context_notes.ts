/**
 * Notes on requests under way, by their contexts.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";

/** Notes on requests; what a request calls in contexts derived from its own is noted with it. */
export class ContextNotes<T> {
  readonly #notes: WeakMap<EventContext, T> = new WeakMap();
  #latest: EventContext | undefined;

  /** Begins the notes on a request. */
  begin(context: EventContext, notes: T): void {
    this.#notes.set(context, notes);
    this.#latest = context;
  }

  /** The context whose notes were begun last, once: the handler of a request begins them before it returns. */
  takeLatest(): EventContext | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }

  /** The notes that a context belongs to; undefined where none were begun. */
  of(context: EventContext | undefined): T | undefined {
    for (let one = context; one !== undefined; one = one.parent) {
      const notes = this.#notes.get(one);
      if (notes !== undefined) return notes;
    }
    return undefined;
  }
}
