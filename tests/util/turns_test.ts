import assert from "node:assert/strict";
import { pause } from "../../src/util/time.ts";
import { Turns } from "../../src/util/turns.ts";

Deno.test("work runs at once where nothing else runs, and gives its result as it is", async () => {
  const turns = new Turns();
  assert.equal(turns.take(() => 1), 1);
  const first = turns.take(() => pause(1));
  assert.ok(first instanceof Promise);
  await first;
  await pause(0);
  assert.equal(turns.take(() => 2), 2);
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
