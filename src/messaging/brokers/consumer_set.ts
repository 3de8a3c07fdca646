/**
 * The consumers of a channel.
 *
 * @module
 */

/** What can be closed. */
interface Closable {
  close(): Promise<void>;
}

/** Open consumers; they end one by one, or all together with their channel. */
export class ConsumerSet {
  readonly #open: Set<Closable> = new Set();

  /**
   * Keeps a consumer that is open.
   *
   * @param consumer the consumer
   * @returns what ends it
   */
  add(consumer: Closable): Closable {
    this.#open.add(consumer);
    return {
      close: async () => {
        this.#open.delete(consumer);
        await consumer.close();
      },
    };
  }

  /** Ends all. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((consumer) => consumer.close()));
    this.#open.clear();
  }
}
