import assert from "node:assert/strict";
import { retryDelayMs } from "../../src/messaging/retry_delay.ts";

/** The shortest and the longest pause after so many failures. */
function pausesAfter(attempts: number): readonly number[] {
  const { random } = Math;
  try {
    return [0, 1].map((share) => {
      Math.random = () => share;
      return retryDelayMs(attempts);
    });
  } finally {
    Math.random = random;
  }
}

Deno.test("pauses after failures grow by half, up to ten minutes, and are up to a tenth longer (messaging 6.5)", () => {
  assert.deepEqual(pausesAfter(1), [500, 550]);
  assert.deepEqual(pausesAfter(2), [1250, 1375]);
  assert.deepEqual(pausesAfter(15), [436_894, 480_583]);
  assert.deepEqual(pausesAfter(16), [600_000, 660_000]);
  assert.deepEqual(pausesAfter(1000), [600_000, 660_000]);
});
