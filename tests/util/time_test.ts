import assert from "node:assert/strict";
import { toMilliseconds } from "../../src/util/time.ts";

Deno.test("toMilliseconds() reads durations in any unit, with and without spaces", () => {
  const cases: readonly (readonly [number | string, string | undefined, number])[] = [
    ...[[7, undefined, 7], ["7", undefined, 7], ["7 ms", undefined, 7], ["1.5 s", undefined, 1_500]] as const,
    ...[["2min", undefined, 120_000], [" 1h ", undefined, 3_600_000], ["1 H", undefined, 3_600_000]] as const,
    ...[[2, "s", 2_000], ["2", "min", 120_000], ["2 s", "h", 2_000], [1.0006, "s", 1_001]] as const,
  ];
  for (const [value, unit, expected] of cases) {
    assert.equal(toMilliseconds(value, unit), expected, `${value} ${unit}`);
  }
});

Deno.test("toMilliseconds() refuses what is no duration, as it was given", () => {
  for (
    const [value, unit, shown] of [["", undefined, ""], ["-1 s", undefined, "-1 s"], [
      1,
      "moons",
      "1 moons",
    ]] as const
  ) {
    assert.throws(() => toMilliseconds(value, unit), {
      name: "TypeError",
      message: new RegExp(`found "${shown}"$`),
    });
  }
});
