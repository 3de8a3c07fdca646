/**
 * A map that forgets.
 *
 * @module
 */

/**
 * Keeps a bounded number of values in two generations: when the younger one is full it becomes the older one, whose values
 * go unless they were asked for again meanwhile. Nothing is moved or sorted when a value is found.
 */
export class BoundedCache<K, V> {
  readonly #half: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** @param most values to keep, at least 2 */
  constructor(most: number) {
    this.#half = Math.floor(most / 2);
  }

  /** The number of values kept. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The value of a key, undefined where none is kept. */
  get(key: K): V | undefined {
    const found = this.#young.get(key);
    if (found !== undefined) return found;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.set(key, old);
    return old;
  }

  /** Keeps a value. */
  set(key: K, value: V): void {
    if (this.#young.size >= this.#half) [this.#old, this.#young] = [this.#young, new Map()];
    this.#young.set(key, value);
  }
}
