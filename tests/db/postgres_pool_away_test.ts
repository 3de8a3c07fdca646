/** Who gets which connection of a pool, how long others wait, and how old connections get, while the server is away. */

import assert from "node:assert/strict";
import { Pool } from "../../src/db/postgres/pool.ts";

const LIFETIME_MS = 1_800_000;
const BUSY = { status: 503, message: "All connections to the database are in use" };
const CLOSED = { code: "CONNECTION_CLOSED", message: "The connections were closed" };

interface Given {
  readonly pool: Pool;
  /** What comes later, by the time it waits. */
  readonly timers: Map<number, () => void>;
  /** Sets the clock forward. */
  readonly forward: (ms: number) => void;
}

/** Runs a test with a pool whose clock and timers are those of the test; what waits is refused in the end. */
async function withPool(
  options: Readonly<Record<string, unknown>>,
  run: (given: Given) => Promise<void> | void,
): Promise<void> {
  const credentials = { host: "127.0.0.1", port: 1, user: "u", password: "p", database: "d" };
  const pool = new Pool({ credentials, pool: options, statementMs: 0, schema: "public" });
  const { setTimeout, clearTimeout } = globalThis;
  const { now } = Date;
  const timers = new Map<number, () => void>();
  let ms = LIFETIME_MS;
  Date.now = () => ms;
  globalThis.setTimeout = ((run: () => void, ms: number) => (timers.set(ms, run), ms)) as never;
  globalThis.clearTimeout = ((ms: number) => timers.delete(ms)) as never;
  try {
    await run({ pool, timers, forward: (more) => void (ms += more) });
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    Date.now = now;
    await pool.end();
  }
}

const OUTCOME = {
  read: () => {},
  failed: (error: unknown): never => {
    throw error;
  },
};
const run = (pool: Pool) => pool.run({ sql: "SELECT 1", values: [] }, OUTCOME).catch(() => {});
const reserve = (pool: Pool) => pool.reserve().catch(() => {});

Deno.test("a connection is closed once it is older than half an hour, unless somebody has it alone", async () => {
  await withPool({ idleTimeoutMs: 77 }, async ({ pool, timers, forward }) => {
    const tick = () => {
      const look = timers.get(77)!;
      timers.delete(77);
      look();
    };
    await reserve(pool);
    forward(LIFETIME_MS);
    tick();
    assert.equal(pool.size, 1, "not older");
    forward(1);
    const alone = reserve(pool);
    tick();
    assert.equal(pool.size, 1, "in use");
    await alone;
    const statement = run(pool);
    tick();
    assert.deepEqual([pool.size, timers.has(77)], [0, false], "statements that run on it may end");
    await statement;
    const young = run(pool);
    assert.deepEqual([pool.size, timers.has(77)], [1, true]);
    await young;
  });
});

Deno.test("pool.idleTimeoutMs: all connections are closed where nobody used one since the last look", async () => {
  await withPool({ idleTimeoutMs: 77 }, async ({ pool, timers }) => {
    await Promise.all([reserve(pool), reserve(pool)]);
    const sizes: number[] = [];
    for (const isUsed of [false, true, false]) {
      if (isUsed) await reserve(pool);
      timers.get(77)!();
      sizes.push(pool.size);
      timers.get(77)!();
      sizes.push(pool.size);
      if (pool.size === 0) await Promise.all([reserve(pool), reserve(pool)]);
    }
    assert.deepEqual(sizes, [2, 0, 2, 0, 2, 0]);
    for (const use of [run, reserve]) {
      const using = use(pool);
      timers.get(77)!();
      timers.get(77)!();
      assert.equal(pool.size, 2, "one is in use");
      await using;
    }
  });
});

Deno.test("pool.idleTimeoutMs: 0 keeps connections that nobody uses; without it they are closed after 30 seconds", async () => {
  for (const [options, size] of [[{ idleTimeoutMs: 0 }, 1], [{}, 0]] as const) {
    await withPool(options, async ({ pool, timers }) => {
      await reserve(pool);
      for (let n = 0; n < 2; n++) timers.get(30_000)!();
      assert.equal(pool.size, size);
    });
  }
});

Deno.test("a statement takes a connection that is idle, else a new one, else that with the least to do, but none in a transaction", async () => {
  await withPool({ max: 3 }, async ({ pool }) => {
    const counts = () => {
      const { used, idle, waiting } = pool.counts();
      return [used, idle, waiting];
    };
    assert.deepEqual(pool.counts(), { most: 3, used: 0, idle: 0, waiting: 0 });
    const alone = reserve(pool);
    assert.deepEqual(counts(), [1, 0, 0]);
    const statements = [run(pool), run(pool), run(pool), run(pool)];
    assert.deepEqual(counts(), [3, 0, 0]);
    const waiting = reserve(pool);
    assert.deepEqual([...counts(), pool.isWanted], [3, 0, 1, true]);
    const behind = run(pool);
    assert.deepEqual(counts(), [3, 0, 2], "those who come later wait, too");
    await Promise.all([alone, ...statements, waiting, behind]);
    assert.deepEqual([...counts(), pool.isWanted], [0, 3, 0, false]);
    const again = run(pool);
    assert.deepEqual(counts(), [1, 2, 0]);
    await again;
  });
});

Deno.test("pool.acquireTimeoutMs: one who waits is turned away where nobody got a connection since, and those behind stay", async () => {
  await withPool({ max: 1, acquireTimeoutMs: 55 }, async ({ pool, timers }) => {
    const alone = reserve(pool);
    const first = pool.reserve();
    const check = timers.get(55)!;
    const second = reserve(pool);
    check();
    await assert.rejects(first, BUSY);
    assert.equal(pool.counts().waiting, 1);
    await Promise.all([alone, second]);
    assert.equal(timers.has(55), false, "one who got a connection is not looked for any more");
  });
});

Deno.test("pool.acquireTimeoutMs: one who waits goes on waiting where others got connections since", async () => {
  await withPool({ max: 1, acquireTimeoutMs: 55 }, async ({ pool, timers }) => {
    const given: Promise<unknown>[] = [];
    const first = reserve(pool);
    // the next one is given the connection in front of the one who waits longest in time
    given.push(reserve(pool));
    const last = pool.reserve();
    const check = timers.get(55)!;
    await first;
    assert.equal(pool.counts().waiting, 1);
    check();
    assert.equal(pool.counts().waiting, 1, "a connection changed hands");
    timers.get(55)!();
    await assert.rejects(last, BUSY);
    await Promise.all(given);
  });
});

Deno.test("pool.acquireTimeoutMs is 15 seconds without it", async () => {
  await withPool({ max: 1 }, async ({ pool, timers }) => {
    const [alone, waiting] = [reserve(pool), reserve(pool)];
    assert.ok(timers.has(15_000));
    await Promise.all([alone, waiting]);
  });
});

Deno.test("a pool that is closed refuses those who wait and those who come, and its timers end", async () => {
  await withPool({ max: 1, acquireTimeoutMs: 55, idleTimeoutMs: 77 }, async ({ pool, timers }) => {
    const alone = reserve(pool);
    const waiting = pool.reserve();
    const ending = pool.end();
    await assert.rejects(waiting, CLOSED);
    assert.deepEqual([timers.has(55), timers.has(77), pool.size], [false, false, 0]);
    await assert.rejects(pool.reserve(), CLOSED);
    await assert.rejects(pool.run({ sql: "SELECT 1", values: [] }, OUTCOME), CLOSED);
    await Promise.all([alone, ending]);
  });
});

Deno.test("a connection that nobody uses is given to another tenant, but none that is in use", async () => {
  await withPool({ max: 2 }, async ({ pool }) => {
    const both = [reserve(pool), run(pool)];
    assert.equal(pool.yieldIdle(), false);
    await Promise.all(both);
    assert.deepEqual([pool.yieldIdle(), pool.size, pool.yieldIdle(), pool.size, pool.yieldIdle()], [
      ...[true, 1, true, 0, false],
    ]);
  });
});
