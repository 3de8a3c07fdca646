/**
 * Waiting that ends.
 *
 * @module
 */

/** Far more than anything takes on a busy machine. */
const WITHIN_MS = 180_000;

/**
 * Waits for something that may never come.
 *
 * @param work what is waited for
 * @param what names it
 * @throws Error if it takes far longer than it ever should
 */
export async function within<T>(work: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`Still not over after ${WITHIN_MS} ms: ${what}`)),
    WITHIN_MS,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
