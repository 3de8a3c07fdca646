/**
 * Text of arguments that functions need several times: nested calls multiply it.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";

/** Characters of a statement that may be repetitions. */
const MOST = 100_000;

/** Counts the repetitions in a statement. */
export class RepeatedText {
  #length = 0;

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
      if (this.#length > MOST) {
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
