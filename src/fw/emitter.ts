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

  /** Calls the listeners of an event; synchronous ones before this returns. */
  emit(event: string, ...values: readonly unknown[]): Promise<void> {
    const listeners = this.#listeners.get(event) ?? [];
    this.#listeners.set(event, listeners.filter((entry) => !entry.once));
    const results = listeners.map(({ listener }) => listener(...values as never[]));
    return Promise.all(results).then(() => undefined);
  }
}
