/*
 * Events that clients may still ask for, where the process keeps them itself.
 */

import assert from "node:assert/strict";
import { MemoryLog } from "../../src/messaging/feed/feed_log.ts";

Deno.test("the last events are kept, as many as the limit says, and where older ones ended is known", async () => {
  const log = new MemoryLog({ liveEvents: 16, liveEventMs: 60_000 });
  for (let n = 0; n < 100; n++) {
    log.record({ event: "Told", data: String(n) });
    const kept = await log.read(0, 1000);
    const first = Math.max(0, n - 15);
    assert.deepEqual(
      kept.map(({ data }) => Number(data)),
      Array.from({ length: n - first + 1 }, (_, at) => first + at),
    );
    const { removed, last } = await log.bounds();
    assert.ok(removed < kept[0]!.position);
    assert.equal(last, kept.at(-1)!.position);
    assert.deepEqual(await log.read(last, 10), []);
  }
});

Deno.test("events that are too old are removed", async () => {
  const log = new MemoryLog({ liveEvents: 16, liveEventMs: -1 });
  for (let n = 0; n < 3; n++) log.record({ event: "Told", data: String(n) });
  const { last } = await log.bounds();
  await log.trim();
  assert.deepEqual(await log.read(0, 10), []);
  assert.deepEqual(await log.bounds(), { removed: last, last });
});
