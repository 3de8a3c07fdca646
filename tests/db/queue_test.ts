import assert from "node:assert/strict";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
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
