import assert from "node:assert/strict";
import { pause, Stopwatch, toMilliseconds } from "../../src/util/time.ts";

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

Deno.test("toMilliseconds() knows the units by all of their names", () => {
  const names: Readonly<Record<number, string>> = {
    ...{ 1: "ms millis millisecond milliseconds", 1_000: "s sec secs second seconds" },
    ...{ 60_000: "m min mins minute minutes", 3_600_000: "h hr hrs hour hours", 86_400_000: "d day days" },
  };
  for (const [ms, units] of Object.entries(names)) {
    for (const unit of units.split(" ")) {
      assert.equal(toMilliseconds(2, unit), 2 * Number(ms), unit);
    }
  }
  for (const unit of ["milli", "millisec", "se", "mi", "hou", "da", "ds"]) {
    assert.throws(() => toMilliseconds(2, unit), TypeError);
  }
});

Deno.test("a stopwatch tells how long it ran, and whether the event loop had a turn meanwhile", async () => {
  const before = performance.now();
  const [blocking, waiting] = [new Stopwatch(), new Stopwatch()];
  assert.equal(blocking.elapsedMs, 0);
  const begun = performance.now();
  while (performance.now() === begun);
  blocking.stop();
  await pause(1);
  waiting.stop();
  assert.deepEqual([blocking.isBlocking, waiting.isBlocking], [true, false]);
  const most = performance.now() - before;
  for (const { elapsedMs } of [blocking, waiting]) assert.ok(elapsedMs > 0 && elapsedMs <= most);
});
