/**
 * Who waits for messages to leave the outbox.
 *
 * @module
 */

/** Waits for messages by their keys, each until its row was worked on, whatever came of it. */
export class WaitingEmitters {
  readonly #open: Map<string, () => void> = new Map();

  /** Whether anybody waits. */
  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** The messages that are waited for at this moment. */
  get ids(): readonly string[] {
    return [...this.#open.keys()];
  }

  /**
   * Resolves when all of some messages have been let go.
   *
   * @param ids their keys
   */
  async wait(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => new Promise<void>((resolve) => this.#open.set(id, resolve))));
  }

  /**
   * Lets those go who wait for messages.
   *
   * @param ids their keys; default: all that are waited for
   */
  release(ids: Iterable<string> = this.ids): void {
    for (const id of ids) {
      this.#open.get(id)?.();
      this.#open.delete(id);
    }
  }
}
