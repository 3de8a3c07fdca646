/**
 * Whole numbers that are calculated with.
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";

/** An operand that is to have 64 bits. */
interface Wide {
  readonly wide?: boolean;
}

/**
 * Marks an operand: calculations with it have 64 bits, also where a database has smaller integers.
 *
 * @param operand a whole number, lowered
 */
export function wide(operand: Expression): Expression & Wide {
  return { ...operand, wide: true };
}

/**
 * Whether an operand is marked.
 *
 * @param operand any operand
 */
export function isWide(operand: Expression & Wide): boolean {
  return operand.wide === true;
}
