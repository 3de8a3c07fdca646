/**
 * The opposite of being true.
 *
 * @module
 */

import type { Xo } from "../../../cqn/cqn.ts";

/**
 * A condition that is true where another one is false or null, and false where that is true.
 *
 * @param condition operands and operators
 */
export function notTrue(condition: readonly Xo[]): Xo[] {
  return ["case", "when", ...condition, "then", { val: 0 }, "else", { val: 1 }, "end", "=", { val: 1 }];
}
