/** A clock for tests of what depends on time. */

/** Runs a test whose clock stands still, at the beginning of a second, and can be set forward. */
export async function withClock(run: (forward: (ms: number) => void) => Promise<void>): Promise<void> {
  const real = Date.now;
  let now = Math.ceil(real() / 1000) * 1000;
  Date.now = () => now;
  try {
    await run((ms) => void (now += ms));
  } finally {
    Date.now = real;
  }
}
