/**
 * The time of statements that nothing interrupts while they run.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/** Steps between two looks at the clock. */
const STEPS = 64;

/** Tells whether a statement has taken too long; engines ask as they go from row to row. */
export class StatementClock {
  readonly #limitMs: number;
  #steps = 0;
  #end = 0;

  /** @param limitMs how long a statement may take */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** A statement begins. */
  begin(): void {
    this.#steps = 0;
  }

  /** The error to end the statement with, once its time is over. */
  step(): ServiceError | undefined {
    if (this.#steps++ % STEPS !== 0) return undefined;
    const now = performance.now();
    if (this.#steps === 1) this.#end = now + this.#limitMs;
    return now > this.#end
      ? new ServiceError({ status: 504, code: "HANDLER_TIMEOUT", $sanitize: false })
      : undefined;
  }

  /**
   * Takes a step.
   *
   * @throws ServiceError 504 once the time is over
   */
  check(): void {
    const late = this.step();
    if (late) throw late;
  }
}
