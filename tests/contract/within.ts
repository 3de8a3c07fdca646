/**
 * Waiting that ends.
 *
 * @module
 */

/**
 * How long a test waits for what has to come: far more than anything takes on a busy machine. `TEST_PATIENCE_MS` lowers it
 * where most waiting is in vain: `deno task mutate` does not let each change that loses a message take a minute.
 */
export const PATIENCE_MS = Number(Deno.env.get("TEST_PATIENCE_MS") ?? 60_000);

/** A whole test waits several times. */
const WITHIN_MS = 3 * PATIENCE_MS;

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
