import assert from "node:assert/strict";
import { pause } from "../../src/util/time.ts";
import { runAtMost, Turns } from "../../src/util/turns.ts";

Deno.test("work runs at once where nothing else runs, and gives its result as it is", async () => {
  const turns = new Turns();
  assert.equal(turns.take(() => 1), 1);
  const first = turns.take(() => pause(1));
  assert.ok(first instanceof Promise);
  await first;
  await pause(0);
  assert.equal(turns.take(() => 2), 2);
});

Deno.test("turns are taken until the last work has ended, however that ended", async () => {
  const turns = new Turns();
  assert.equal(turns.areTaken, false);
  turns.take(() => 1);
  assert.equal(turns.areTaken, false);
  const failing = turns.take(() => Promise.reject(new Error("no")));
  const last = turns.take(() => Promise.resolve(2));
  assert.equal(turns.areTaken, true);
  await assert.rejects(async () => await failing, /no/);
  assert.equal(turns.areTaken, true);
  assert.equal(await last, 2);
  await Promise.resolve();
  assert.equal(turns.areTaken, false);
});

Deno.test("work waits for all that was given before it, also where that fails", async () => {
  const turns = new Turns();
  const done: string[] = [];
  const slow = turns.take(async () => {
    await pause(5);
    done.push("slow");
    throw new Error("failed");
  });
  const fast = turns.take(() => done.push("fast"));
  const last = turns.take(() => done.push("last"));
  await assert.rejects(async () => await slow, /failed/);
  await fast;
  await last;
  assert.deepEqual(done, ["slow", "fast", "last"]);
});

Deno.test("runAtMost() works on so many items at a time, in their order", async () => {
  let [running, most] = [0, 0];
  const begun: number[] = [];
  const results = await runAtMost(3, [5, 1, 4, 1, 3], async (ms) => {
    begun.push(ms);
    most = Math.max(most, ++running);
    await pause(ms);
    running--;
    return ms * 2;
  });
  assert.deepEqual(results, [10, 2, 8, 2, 6]);
  assert.deepEqual(begun, [5, 1, 4, 1, 3]);
  assert.equal(most, 3);
  assert.deepEqual(await runAtMost(3, [], () => Promise.reject(new Error())), []);
});

Deno.test("runAtMost() works on one item at a time where fewer are asked for", async () => {
  let [running, most] = [0, 0];
  const results = await runAtMost(0, [1, 2, 3], async (n) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    return n;
  });
  assert.deepEqual([results, most], [[1, 2, 3], 1]);
});

Deno.test("runAtMost() begins nothing behind an item that failed", async () => {
  const begun: number[] = [];
  const run = runAtMost(2, [1, 2, 3, 4], async (n) => {
    begun.push(n);
    await pause(n);
    if (n === 1) throw new Error("no");
  });
  await assert.rejects(run, /no/);
  await pause(10);
  assert.deepEqual(begun, [1, 2]);
});
