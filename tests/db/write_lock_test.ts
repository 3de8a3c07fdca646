import assert from "node:assert/strict";
import { WriteLock } from "../../src/db/write_lock.ts";

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("WriteLock hands over in order; reads run before the next writer", async () => {
  const lock = new WriteLock(1000);
  const seen: string[] = [];
  const writer = async (name: string) => {
    await lock.acquire();
    seen.push(name);
    await pause(1);
    lock.release();
  };
  const work = [writer("a"), writer("b"), writer("c")];
  const read = lock.read(() => seen.push("read"));
  await Promise.all([...work, read]);
  assert.deepEqual(seen, ["a", "read", "b", "c"]);
  assert.equal(lock.read(() => "at once"), "at once");
});

Deno.test("WriteLock hands on the error of a read", async () => {
  const lock = new WriteLock(1000);
  await lock.acquire();
  const read = lock.read(() => {
    throw new RangeError("no");
  });
  lock.release();
  await assert.rejects(read as Promise<never>, RangeError);
});

Deno.test("WriteLock turns the others away when one holder keeps it too long", async () => {
  const lock = new WriteLock(20);
  await lock.acquire();
  const busy = { status: 503, message: /busy.*kept the others waiting for 20 ms.*fw\.tx/ };
  const read = lock.read(() => 1) as Promise<number>;
  await Promise.all([assert.rejects(async () => await lock.acquire(), busy), assert.rejects(read, busy)]);
  lock.release();
  await lock.acquire();
  lock.release();
});

Deno.test("WriteLock turns nobody away as long as it changes hands", async () => {
  const lock = new WriteLock(1_000);
  const turns = Array.from({ length: 10 }, async () => {
    await lock.acquire();
    await pause(150);
    lock.release();
  });
  await Promise.all(turns);
});
