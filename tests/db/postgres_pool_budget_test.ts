/** Connections that the pools of tenants share, opened to a server that is not there. */

import assert from "node:assert/strict";
import { Pool } from "../../src/db/postgres/pool.ts";

/** Pools of tenants, whose connections never come. */
function pools(ports: readonly number[], { pool, isShared = true }: {
  readonly pool: Readonly<Record<string, unknown>>;
  readonly isShared?: boolean;
}): readonly Pool[] {
  const shared = isShared ? new Map<string, unknown>() : undefined;
  return ports.map((port) =>
    new Pool({
      credentials: { host: "127.0.0.1", port, user: "u", password: "p", database: "d" },
      ...{ pool, shared, statementMs: 0, schema: "public" },
    })
  );
}

/** How many connections each pool opens for several that want one each. */
async function sizes(all: readonly Pool[], wanted: number): Promise<readonly number[]> {
  const asked = all.flatMap((pool) => Array.from({ length: wanted }, () => pool.reserve().catch(() => {})));
  const found = all.map(({ size }) => size);
  await Promise.all(all.map((pool) => pool.end()));
  await Promise.all(asked);
  return found;
}

Deno.test("pools on one server open as many connections together as they share, each at most its own", async () => {
  const pool = { max: 2, maxOfTenants: 3 };
  assert.deepEqual(await sizes(pools([1, 1, 1], { pool }), 3), [2, 1, 0]);
  assert.deepEqual(await sizes(pools([1, 2, 1], { pool }), 3), [2, 2, 1], "servers are told apart");
  assert.deepEqual(await sizes(pools([1, 1, 1], { pool, isShared: false }), 3), [2, 2, 2]);
  assert.deepEqual(await sizes(pools([1, 1], { pool: { max: "1", maxOfTenants: "1" } }), 2), [1, 0]);
});

Deno.test("without bounds a pool opens ten connections, and those of all tenants three times as many", async () => {
  assert.deepEqual(await sizes(pools([1], { pool: {} }), 60), [10]);
  assert.deepEqual(await sizes(pools(Array(4).fill(1), { pool: {} }), 20), [10, 10, 10, 0]);
});
