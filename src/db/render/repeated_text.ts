/**
 * Text of arguments that functions need several times: nested calls multiply it.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";

/** Characters of a statement that may be repetitions. */
const MOST = 100_000;
/** The same of a view, which the model declares: no client makes it longer. */
const MOST_OF_VIEW = 2_000_000;

/** Counts the repetitions in a statement. */
export class RepeatedText {
  readonly #most: number;
  #length = 0;

  /** @param isView whether the statement is that of a view */
  constructor(isView: boolean) {
    this.#most = isView ? MOST_OF_VIEW : MOST;
  }

  /**
   * Watches the arguments of a call.
   *
   * @returns gets each use of an argument with its text, which it gives back; throws ServiceError 400 when the statement
   *   repeats too much
   */
  watch(): (argument: string, text: string) => string {
    const used = new Set<string>();
    return (argument, text) => {
      if (used.has(argument)) this.#length += text.length;
      if (this.#length > this.#most) {
        throw new ServiceError({
          status: 400,
          code: "400",
          message: "Calls of functions are nested too deeply",
        });
      }
      used.add(argument);
      return text;
    };
  }
}
