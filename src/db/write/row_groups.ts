/**
 * Statements about many rows: as few as a statement may name.
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";

/** Values in a statement; D1 takes 100. */
const MOST_VALUES = 64;

/**
 * Conditions on one row each as conditions on groups of rows. Groups have the size of a power of two, for which the last
 * row may stand several times, so that there are few different statements.
 *
 * @param conditions a conjunction for each row
 * @param values the number of values in each of them
 * @returns conditions in the order of the rows
 */
export function rowGroups(
  conditions: readonly (readonly Xo[])[],
  values: number,
): readonly (readonly Xo[])[] {
  const size = powerOfTwo(Math.floor(MOST_VALUES / Math.max(values, 1)), Math.floor);
  const groups: (readonly Xo[])[] = [];
  for (let start = 0; start < conditions.length; start += size) {
    const group = conditions.slice(start, start + size);
    const length = powerOfTwo(group.length, Math.ceil);
    const filled = Array.from({ length }, (_, at) => group[Math.min(at, group.length - 1)]);
    groups.push(
      length === 1 ? filled[0] : filled.flatMap((xpr, at): Xo[] => at === 0 ? [{ xpr }] : ["or", { xpr }]),
    );
  }
  return groups;
}

/**
 * The power of two beside a number; 1 beside what is less.
 *
 * @param number any number
 * @param round whether it is the next smaller or the next larger one
 */
export function powerOfTwo(number: number, round: (exponent: number) => number): number {
  return number <= 1 ? 1 : 2 ** round(Math.log2(number));
}
