/**
 * Growing delays between attempts.
 *
 * @module
 */

const GROWTH = 1.5;
const MAX_MS = 10 * 60 * 1000;
const JITTER = 0.1;

/**
 * The pause after a failed attempt: 1.5^n - 1 seconds, at most ten minutes, up to a tenth longer at random.
 *
 * @param attempts failed attempts so far, at least 1
 * @returns milliseconds
 */
export function retryDelayMs(attempts: number): number {
  const pause = Math.min(MAX_MS, (GROWTH ** attempts - 1) * 1000);
  return Math.round(pause * (1 + Math.random() * JITTER));
}
