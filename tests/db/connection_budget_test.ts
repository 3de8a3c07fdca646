import assert from "node:assert/strict";
import { Pool, type Reservation } from "../../src/db/postgres/pool.ts";
import { credentials, server } from "./postgres.ts";

/** Pools of tenants that share some connections. */
function poolsOf(count: number, most: number): readonly Pool[] {
  const shared = new Map<string, unknown>();
  const pool = { max: 2, maxOfTenants: most, acquireTimeoutMs: 60_000 };
  const options = { credentials: credentials("public"), pool, statementMs: 0, schema: "public", shared };
  return Array.from({ length: count }, () => new Pool(options));
}

const sizes = (pools: readonly Pool[]) => pools.map(({ size }) => size);

async function selectOne(pool: Pool): Promise<unknown> {
  return await pool.run({ sql: "SELECT 1 AS one", values: [] }, {
    read: ({ rows }) => rows,
    failed: (error) => {
      throw error;
    },
  });
}

if (server.isThere) {
  Deno.test("pool.maxOfTenants: a connection that nobody uses goes to the tenant that needs one", async () => {
    const pools = poolsOf(3, 2);
    const [one, other, third] = pools as [Pool, Pool, Pool];
    const both = await Promise.all([one.reserve(), one.reserve()]);
    for (const { session } of both) session.release();
    assert.deepEqual(sizes(pools), [2, 0, 0]);
    const kept = await other.reserve();
    assert.deepEqual(await selectOne(third), [{ one: 1 }]);
    assert.deepEqual(sizes(pools), [0, 1, 1]);
    kept.session.release();
    await Promise.all(pools.map((pool) => pool.end()));
  });

  Deno.test("pool.maxOfTenants: where all are in use, the tenant comes first that has fewer, and nobody is left out", async () => {
    const pools = poolsOf(2, 2);
    const [busy, quiet] = pools as [Pool, Pool];
    const [first, second] = await Promise.all([busy.reserve(), busy.reserve()]);
    const order: string[] = [];
    const wait = async (name: string, pool: Pool): Promise<Reservation> => {
      const reservation = await pool.reserve();
      order.push(name);
      return reservation;
    };
    const next = wait("busy", busy);
    const late = wait("quiet", quiet);
    first.session.release();
    const { session } = await late;
    assert.deepEqual([order, sizes(pools)], [["quiet"], [1, 1]]);
    session.release();
    (await next).session.release();
    second.session.release();
    assert.deepEqual(order, ["quiet", "busy"]);
    await Promise.all(pools.map((pool) => pool.end()));
  });

  Deno.test("pool.maxOfTenants: many tenants take turns on few connections", async () => {
    const pools = poolsOf(12, 3);
    let most = 0;
    const done = await Promise.all(Array.from({ length: 240 }, async (_, n) => {
      const pool = pools[n % pools.length]!;
      if (n % 3 > 0) return await selectOne(pool);
      const { session } = await pool.reserve();
      most = Math.max(most, sizes(pools).reduce((sum, size) => sum + size));
      await Promise.resolve();
      session.release();
    }));
    assert.equal(done.length, 240);
    assert.ok(most <= 3);
    await Promise.all(pools.map((pool) => pool.end()));
    assert.equal(sizes(pools).reduce((sum, size) => sum + size), 0);
    await assert.rejects(pools[0]!.reserve(), /closed/);
  });
}
