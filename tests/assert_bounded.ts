/**
 * Telling bounded work from work that explodes with its input.
 *
 * @module
 */

import assert from "node:assert/strict";

/** Far more than bounded work needs on a busy machine, far less than what work that explodes takes. */
const BOUND_MS = 20_000;

/**
 * Runs work and fails when it took as long as only a power of its input does.
 *
 * @param work what is bounded
 * @param message names the input
 */
export async function assertBounded(work: () => unknown, message?: string): Promise<void> {
  const start = performance.now();
  await work();
  assert.ok(performance.now() - start < BOUND_MS, message);
}
