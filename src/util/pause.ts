/**
 * Waiting.
 *
 * @module
 */

/**
 * Resolves after a while.
 *
 * @param ms milliseconds
 */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
