/**
 * The condition that elements have given values.
 *
 * @module
 */

import type { Row, Xo } from "./cqn.ts";

/**
 * Compares elements with values, all of which must be equal.
 *
 * @param values by name of the element
 * @returns `a = 1 and b = 2`; empty without values
 */
export function equalities(values: Row): Xo[] {
  return Object.entries(values).flatMap(([name, val], index): Xo[] => [
    ...(index === 0 ? [] : ["and"]),
    { ref: [name] },
    "=",
    { val: val as string },
  ]);
}
