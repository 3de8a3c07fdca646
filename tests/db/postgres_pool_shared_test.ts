/** Connections that the pools of tenants share and hand on, with connections that a test gives. */

import assert from "node:assert/strict";
import { OpenConnection } from "../../src/db/postgres/open_connection.ts";
import { Pool, type Reservation } from "../../src/db/postgres/pool.ts";
import type { BoundStatement, Done } from "../../src/db/postgres/statement_query.ts";

interface Given {
  readonly pools: readonly Pool[];
  readonly sizes: () => readonly number[];
  /** The statements that were sent. */
  readonly sent: BoundStatement[];
  /** What closing waits for. */
  closing: Promise<void>;
}

/** Runs a test with pools of tenants that have two connections together. */
async function withPools(run: (given: Given) => Promise<void>, more: Readonly<Record<string, unknown>> = {}) {
  const { open } = OpenConnection;
  const shared = new Map<string, unknown>();
  const credentials = { host: "127.0.0.1", port: 1, user: "u", database: "d" };
  const pools = [1, 2, 3].map(() =>
    new Pool({ credentials, pool: { max: 2, maxOfTenants: 2 }, shared, statementMs: 0, schema: "s", ...more })
  );
  const sent: BoundStatement[] = [];
  const given: Given = {
    pools,
    sent,
    sizes: () => pools.map(({ size }) => size),
    closing: Promise.resolve(),
  };
  OpenConnection.open = () =>
    Promise.resolve({
      hasEnded: false,
      send: (statement: BoundStatement, done: Done) => {
        sent.push(statement);
        done(undefined, { rows: [], fields: [], rowCount: 0, command: "" });
      },
      close: () => given.closing,
    } as unknown as OpenConnection);
  try {
    await run(given);
    await Promise.all(pools.map((pool) => pool.end()));
  } finally {
    OpenConnection.open = open;
  }
}

/** Lets go on what waits for nothing but promises. */
async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve();
}

const release = ({ session }: Reservation) => session.release();

Deno.test("pool.maxOfTenants: a tenant that waits gets a connection once one of another tenant is free, if that has more", async () => {
  await withPools(async ({ pools: [one, other, third], sizes }) => {
    const both = await Promise.all([one!.reserve(), one!.reserve()]);
    const waiting = other!.reserve();
    await turns();
    assert.deepEqual([sizes(), other!.isWanted], [[2, 0, 0], true]);
    release(both[0]);
    const first = await waiting;
    assert.deepEqual([sizes(), other!.isWanted], [[1, 1, 0], false]);
    const [again, last] = [one!.reserve(), third!.reserve()];
    release(both[1]);
    const next = await last;
    assert.deepEqual([sizes(), one!.isWanted], [[0, 1, 1], true]);
    release(first);
    release(await again);
    assert.deepEqual(sizes(), [1, 0, 1]);
    release(next);
  });
});

Deno.test("pool.maxOfTenants: who has as many connections as who waits keeps them for its own callers", async () => {
  await withPools(async ({ pools: [one, other], sizes }) => {
    const [first, second] = await Promise.all([one!.reserve(), other!.reserve()]);
    const waiting = [other!.reserve(), one!.reserve()] as const;
    await turns();
    release(first);
    const own = await waiting[1];
    assert.deepEqual([sizes(), other!.isWanted, one!.isWanted], [[1, 1, 0], true, false]);
    release(own);
    release(await waiting[0]);
    release(second);
  });
});

Deno.test("pool.maxOfTenants: a tenant that is closed gives its connections to who waits, and gets none itself", async () => {
  await withPools(async ({ pools: [one, other, third], sizes }) => {
    const both = await Promise.all([one!.reserve(), one!.reserve()]);
    const gone = assert.rejects(other!.reserve(), { code: "CONNECTION_CLOSED" });
    const waiting = third!.reserve();
    await other!.end();
    await gone;
    const ending = one!.end();
    const found = await waiting;
    assert.deepEqual(sizes(), [0, 0, 1]);
    for (const each of both) release(each);
    await ending;
    assert.deepEqual(sizes(), [0, 0, 1]);
    release(found);
  });
});

Deno.test("pool.maxOfTenants: who waits no longer is passed over", async () => {
  await withPools(async ({ pools: [one, other, third], sizes }) => {
    const both = await Promise.all([one!.reserve(), one!.reserve()]);
    await assert.rejects(other!.reserve(), { status: 503 });
    for (const each of both) release(each);
    assert.deepEqual(sizes(), [2, 0, 0]);
    release(await third!.reserve());
    assert.deepEqual(sizes(), [1, 0, 1]);
  }, { pool: { max: 2, maxOfTenants: 2, acquireTimeoutMs: 1 } });
});

Deno.test("a pool is closed once its connections are", async () => {
  await withPools(async (given) => {
    const [one] = given.pools as [Pool];
    release(await one.reserve());
    const { promise, resolve } = Promise.withResolvers<void>();
    given.closing = promise;
    let isOver = false;
    const ending = one.end().then(() => isOver = true);
    await turns();
    assert.equal(isOver, false);
    resolve();
    await ending;
  });
});

Deno.test("behind a pooler each statement sets up its session, and none is prepared", async () => {
  const outcome = { read: () => {}, failed: (error: unknown): never => assert.fail(String(error)) };
  for (const pooler of [true, false]) {
    await withPools(async ({ pools: [one], sent }) => {
      for (let n = 0; n < 2; n++) await one!.run({ sql: "SELECT 1", values: [] }, outcome);
      const [, { before, name }] = sent as [BoundStatement, BoundStatement];
      assert.deepEqual([before, name], pooler ? [one!.before, undefined] : [undefined, "fw1"]);
      assert.equal(before?.length, pooler ? 1 : undefined);
      assert.equal(one!.prepared({ sql: "SELECT 1", values: [] }).name, pooler ? undefined : "fw1");
    }, { pooler });
  }
});
