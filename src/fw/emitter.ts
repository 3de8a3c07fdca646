/**
 * Lifecycle events of a runtime.
 *
 * @module
 */

/** Takes the values of an event; what it returns is awaited. */
export type Listener = (...values: readonly never[]) => unknown;

/** Listeners by event; `emit` awaits them in order of registration. */
export class Emitter {
  readonly #listeners: Map<string, { readonly listener: Listener; readonly once: boolean }[]> = new Map();

  /** Adds a listener. */
  on(event: string, listener: Listener): void {
    this.#add(event, listener, false);
  }

  /** Adds a listener that is called once. */
  once(event: string, listener: Listener): void {
    this.#add(event, listener, true);
  }

  /** Takes a listener away. */
  off(event: string, listener: Listener): void {
    const listeners = this.#listeners.get(event) ?? [];
    this.#listeners.set(event, listeners.filter((entry) => entry.listener !== listener));
  }

  #add(event: string, listener: Listener, once: boolean): void {
    const listeners = this.#listeners.get(event) ?? [];
    listeners.push({ listener, once });
    this.#listeners.set(event, listeners);
  }

  /** Whether anybody listens to an event. */
  has(event: string): boolean {
    return (this.#listeners.get(event) ?? []).length > 0;
  }

  /**
   * Adds all listeners of another emitter.
   *
   * @param other the other one
   * @param as gives what is called for a listener, undefined where it is left out
   */
  addAll(other: Emitter, as: (listener: Listener, event: string) => Listener | undefined): void {
    for (const [event, listeners] of other.#listeners) {
      for (const { listener, once } of listeners) {
        const added = as(listener, event);
        if (added) this.#add(event, added, once);
      }
    }
  }

  /** Calls the listeners of an event; synchronous ones before this returns. */
  emit(event: string, ...values: readonly unknown[]): Promise<void> {
    const listeners = this.#listeners.get(event) ?? [];
    this.#listeners.set(event, listeners.filter((entry) => !entry.once));
    const results = listeners.map(({ listener }) => listener(...values as never[]));
    return Promise.all(results).then(() => undefined);
  }
}
