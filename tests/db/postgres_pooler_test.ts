import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import type { Database } from "../../src/service/database.ts";
import { uniqueName } from "../contract/services.ts";
import { ROWS, testModel } from "./fixture.ts";
import { hasPooler, startPooler } from "./pooler.ts";
import { credentials, dropSchemas } from "./postgres.ts";

/** Fewer than there are transactions: each gets a session that others have used. */
const CONNECTIONS = 2;

async function run(db: Database, ...queries: readonly Query[]): Promise<unknown> {
  const tx = db.begin(new EventContext());
  let result: unknown;
  for (const query of queries) result = await tx.run(query);
  await tx.commit();
  return result;
}

if (hasPooler) {
  Deno.test("requires.db.pooler: sessions that others have used serve reads, transactions and time limits of two schemas", async () => {
    const schemas = [uniqueName(), uniqueName()];
    try {
      const pooler = await startPooler(CONNECTIONS);
      const { port } = pooler;
      try {
        const open = (schema: string, options: Readonly<Record<string, unknown>> = { pooler: true }) =>
          createPostgresDatabase({
            model: testModel(),
            options: { credentials: { ...credentials(schema), host: "127.0.0.1", port }, ...options },
          });
        const databases = schemas.map((schema) => open(schema));
        const authors = { ref: ["my.Authors"] };
        for (const [n, db] of databases.entries()) {
          await db.deploy(ROWS);
          await run(db, { DELETE: { from: authors } }, {
            INSERT: { into: authors, entries: [{ ID: 1, name: `${n}-` }] },
          });
        }
        const names = async (db: Database) =>
          (await run(db, { SELECT: { from: authors } }) as Row[]).map(({ name }) => name);
        await Promise.all(Array.from({ length: 60 }, async (_, n) => {
          const db = databases[n % 2]!;
          const entries = [{ ID: 100 + n, name: `${n % 2}-${n}` }];
          if (n % 3 === 0) {
            await run(db, { INSERT: { into: authors, entries } }, { SELECT: { from: authors } });
          }
          const found = await names(db);
          assert.ok(found.length > 0 && found.every((name) => String(name).startsWith(`${n % 2}-`)));
        }));
        assert.deepEqual(await Promise.all(databases.map(async (db) => (await names(db)).length)), [11, 11]);
        const hurried = open(schemas[0]!, { pooler: true, timeoutMs: 50 });
        const tx = hurried.begin(new EventContext());
        await assert.rejects(tx.sql!("SELECT pg_sleep(5)"), { status: 504 });
        await tx.rollback();
        await assert.rejects(databases[0]!.deploy(undefined, { online: true }), /pooler/);
        const plain = open(schemas[0]!, {});
        await assert.rejects(run(plain, { SELECT: { from: authors } }), (error: Error) => {
          assert.match((error.cause as Error).message, /fw\.requires\.db\.pooler/);
          return true;
        });
        for (const db of [...databases, hurried, plain]) await db.close();
      } finally {
        await pooler.stop();
      }
    } finally {
      await dropSchemas(...schemas);
    }
  });
}
