/** Events that clients may still ask for, kept in the process. */

import assert from "node:assert/strict";
import { MemoryLog } from "../../src/messaging/feed/feed_log.ts";
import { withClock } from "../security/clock.ts";

Deno.test("events in memory are read behind a position, and leave where they are too many or too old", () =>
  withClock(async (forward) => {
    const log = new MemoryLog({ liveEvents: 20, liveEventMs: 1_000 });
    const start = (await log.bounds()).last;
    assert.deepEqual(await log.bounds(), { removed: start, last: start });
    const add = (from: number, to: number) => {
      for (let n = from; n <= to; n++) log.record({ event: "E", data: String(n) });
    };
    const dataBehind = async (position: number, limit = 100) =>
      (await log.read(position, limit)).map(({ data }) => Number(data));
    const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
    add(1, 20);
    assert.deepEqual(await log.bounds(), { removed: start, last: start + 20 });
    assert.deepEqual(await dataBehind(start), numbers(1, 20));
    assert.deepEqual(await dataBehind(start + 18), [19, 20]);
    assert.deepEqual(await dataBehind(start + 20), []);
    assert.deepEqual(await dataBehind(start, 2), [1, 2]);
    for (let n = 21; n <= 40; n++) {
      add(n, n);
      assert.deepEqual(await dataBehind(start), numbers(n - 19, n), `after ${n}`);
      assert.deepEqual(await log.bounds(), { removed: start + n - 20, last: start + n });
    }
    forward(1_000);
    await log.trim();
    assert.equal((await dataBehind(start)).length, 20, "as old as they may be");
    add(41, 41);
    forward(1);
    await log.trim();
    assert.deepEqual(await dataBehind(start), [41]);
    const { last } = await log.bounds();
    assert.equal(last, start + 1_000_000, "a position is not before its time");
    assert.equal((await log.bounds()).removed, start + 40);
  }));
