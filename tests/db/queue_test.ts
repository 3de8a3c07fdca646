import assert from "node:assert/strict";
import { claimRows } from "../../src/db/queue/claim_rows.ts";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import type { DatabaseTransaction } from "../../src/service/database.ts";
import { uniqueName } from "../contract/services.ts";
import { ROWS, testModel } from "./fixture.ts";
import { credentials, dropSchemas, postgresDatabase, server } from "./postgres.ts";
import { testQueue } from "../contract/queue.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";

testQueue({ name: "Memory", open: (model) => createMemoryDatabase({ model, options: {} }) });
testQueue({ name: "SQLite", open: (model) => createSqliteDatabase({ model, options: {} }) });
if (server.isThere) {
  testQueue({ name: "PostgreSQL", open: (model) => postgresDatabase(model) });
  const locks = "rows";
  testQueue({ name: "PostgreSQL with rows as locks", open: (model) => postgresDatabase(model, { locks }) });

  Deno.test("requires.db.locks: rows keep deployments of several processes apart", async () => {
    const schema = uniqueName();
    const open = () =>
      createPostgresDatabase({ model: testModel(), options: { credentials: credentials(schema), locks } });
    const databases = Array.from({ length: 4 }, open);
    try {
      assert.ok((await databases[0]!.deploy(ROWS, { dryRun: true })).statements.length > 0);
      const reports = await Promise.all(databases.map((db) => db.deploy(ROWS)));
      assert.equal(reports.filter(({ statements }) => statements.length > 0).length, 1);
    } finally {
      await Promise.all(databases.map((db) => db.close()));
      await dropSchemas(schema);
    }
  });
}

Deno.test("the query of claims is the same one for each table and number of rows, so that engines compile it once", async () => {
  const asked: unknown[] = [];
  const tx = { run: (query: unknown) => (asked.push(query), []) } as unknown as DatabaseTransaction;
  const [one, other] = [uniqueName(), uniqueName()];
  for (const [entity, limit] of [[one, 1], [one, 2], [one, 1], [other, 1], [other, 1]] as const) {
    await claimRows(tx, {
      ...{ entity, limit, target: "t", application: "app", owner: "w1" },
      ...{ now: "2026-01-01T00:00:00.000Z", lockedUntil: "2026-01-01T00:00:30.000Z" },
    });
  }
  assert.equal(asked[0], asked[2]);
  assert.equal(asked[3], asked[4]);
  assert.equal(new Set(asked).size, 3);
  const tables = asked.map((query) => (query as { SELECT: { from: { ref: string[] } } }).SELECT.from.ref[0]);
  assert.deepEqual(tables, [one, one, one, other, other]);
});
