/**
 * A map that forgets.
 *
 * @module
 */

/**
 * Keeps a bounded number of values; the one unused for longest goes first. As long as less than half of them are there,
 * none goes soon, and how long ago each was used is not noted.
 */
export class BoundedCache<K, V> {
  readonly #most: number;
  /** In the order in which they were used last. */
  readonly #values = new Map<K, V>();

  /** @param most values to keep; with 0 none is kept */
  constructor(most: number) {
    this.#most = most;
  }

  /** The number of values kept. */
  get size(): number {
    return this.#values.size;
  }

  /** The value of a key, undefined where none is kept. */
  get(key: K): V | undefined {
    const found = this.#values.get(key);
    if (found === undefined || this.#values.size * 2 < this.#most) return found;
    this.#values.delete(key);
    this.#values.set(key, found);
    return found;
  }

  /** Keeps a value. */
  set(key: K, value: V): void {
    if (this.#most === 0) return;
    this.#values.delete(key);
    if (this.#values.size >= this.#most) this.#values.delete(this.#values.keys().next().value!);
    this.#values.set(key, value);
  }

  /** Drops a value. */
  delete(key: K): void {
    this.#values.delete(key);
  }
}
