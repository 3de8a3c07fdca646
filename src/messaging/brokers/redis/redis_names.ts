/**
 * Keys of a channel in Redis.
 *
 * @module
 */

/** Keys below one name; the braces keep them in one slot of a cluster. */
export class RedisNames {
  readonly #prefix: string;

  /** @param name name of the channel */
  constructor(name: string) {
    this.#prefix = `{${name}}`;
  }

  /** Stream of the messages without key. */
  get plain(): string {
    return `${this.#prefix}:t`;
  }

  /** Stream of the messages with a key. */
  get keyed(): string {
    return `${this.#prefix}:k`;
  }

  /** Stream of the dead letters of a group. */
  dead(group: string): string {
    return `${this.#prefix}:dead:${group}`;
  }

  /** Tells which instance of a group handles the messages with a key. */
  lease(group: string): string {
    return `${this.#prefix}:lease:${group}`;
  }

  /** Tells that a message is stored. */
  stored(id: string): string {
    return `${this.#prefix}:id:${id}`;
  }
}
