/**
 * What is passed over in a project, to be said at its start.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";

/** Collects what is passed over; where everything is strict (`fw.strict`), it stops the start instead. */
export class Remarks {
  readonly #isStrict: boolean;
  readonly #waiting: Set<string> = new Set();
  readonly #said: Set<string> = new Set();

  /**
   * Creates a collection.
   *
   * @param isStrict whether nothing may be passed over
   */
  constructor(isStrict = false) {
    this.#isStrict = isStrict;
  }

  /**
   * Notes something, each text once.
   *
   * @param text what was found, and what is done instead
   * @param place file and line
   * @throws ConfigurationError where everything is strict
   */
  add(text: string, place: { readonly file?: string; readonly line?: number } = {}): void {
    const remark = new ConfigurationError(text, place);
    if (this.#isStrict) throw remark;
    if (!this.#said.has(remark.message)) this.#waiting.add(remark.message);
  }

  /** Says what has not been said yet. */
  say(log: { warn(text: string): void }): void {
    for (const text of this.take()) log.warn(text);
  }

  /** The texts that have not been taken yet. */
  take(): readonly string[] {
    const texts = [...this.#waiting];
    this.#waiting.clear();
    for (const text of texts) this.#said.add(text);
    return texts;
  }
}
