/**
 * Initial rows are restored while others write.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import postgres from "postgres";
import { persistentEntities } from "../../src/db/ddl/render_ddl.ts";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import { uniqueName } from "../contract/services.ts";
import { testModel } from "./fixture.ts";
import { credentials, dropSchemas, server } from "./postgres.ts";

/** Waits until a statement on a table of a schema waits for rows. */
async function someoneWaits(schema: string): Promise<void> {
  const { schema: _schema, ...given } = credentials("");
  const sql = postgres({ ...given, max: 1, fetch_types: false });
  const waiting = `SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${schema}'
    AND EXISTS (SELECT 1 FROM pg_locks w WHERE w.pid = l.pid AND NOT w.granted)`;
  while ((await sql.unsafe(waiting)).length === 0);
  await sql.end();
}

Deno.test({
  name: "initial rows are restored though others hold rows, and wait for ones that are deleted meanwhile",
  ignore: !server.isThere,
  fn: async () => {
    const model = testModel();
    const tables = persistentEntities(model).map(({ name }) => name);
    const [first, second] = ["my.Authors", "my.Books"].sort((a, b) => tables.indexOf(a) - tables.indexOf(b));
    const rows = new Map([["my.Books", [{ ID: 1, title: "a" }]], ["my.Authors", [{ ID: 1, name: "x" }]]]);
    const schema = uniqueName();
    const db = createPostgresDatabase({ model, options: { credentials: credentials(schema) } });
    try {
      await db.deploy();
      await db.reset(rows);
      const where = [{ ref: ["ID"] }, "=", { val: 1 }];
      const other = db.begin(new EventContext({}));
      const write = (entity: string) =>
        other.run({ UPDATE: { entity, where, data: entity === "my.Books" ? { stock: 7 } : { name: "y" } } });
      await write(second!);
      const reset = db.reset(rows);
      await someoneWaits(schema);
      // one of both is sent away: it is the database that decides which
      const written = await Promise.resolve(write(first!)).then(() => other.commit(), (error) => {
        assert.equal(error.status, 409);
        return other.rollback();
      });
      assert.equal(written, undefined);
      await reset;
      const tx = db.begin(new EventContext({}));
      const columns = [{ ref: ["ID"] }, { ref: ["stock"] }];
      assert.deepEqual(await tx.run({ SELECT: { from: { ref: ["my.Books"] }, columns } }), [{
        ID: 1,
        stock: 0,
      }]);
      await tx.commit();
    } finally {
      await db.close();
      await dropSchemas(schema);
    }
  },
});
