/**
 * Random decisions taken from a list of numbers, so that fast-check shrinks all that is made from them.
 *
 * @module
 */

/** Decisions; without numbers left the simplest one is taken. */
export class Choices {
  readonly #numbers: readonly number[];
  #next = 0;

  /**
   * Starts at the first number.
   *
   * @param numbers what decides
   */
  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** An integer below a bound. */
  int(bound: number): number {
    return (this.#numbers[this.#next++] ?? 0) % bound;
  }

  /** Whether something happens; the simple case is that it does not. */
  chance(percent: number): boolean {
    return this.int(100) >= 100 - percent;
  }

  /** One of some values; the first is the simplest. */
  pick<T>(values: readonly T[]): T {
    return values[this.int(values.length)]!;
  }

  /** Those values that chance selects. */
  some<T>(values: readonly T[], percent: number): T[] {
    return values.filter(() => this.chance(percent));
  }
}
