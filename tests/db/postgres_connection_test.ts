import assert from "node:assert/strict";
import { Connection } from "../../src/db/postgres/connection.ts";
import { connectionOptions } from "../../src/db/postgres/connection_options.ts";
import { OpenConnection } from "../../src/db/postgres/open_connection.ts";
import { Pool } from "../../src/db/postgres/pool.ts";
import { uniqueName } from "../contract/services.ts";
import { credentials, server } from "./postgres.ts";

function open(more: Readonly<Record<string, unknown>> = {}): Promise<OpenConnection> {
  return OpenConnection.open(connectionOptions({
    credentials: { ...credentials("public"), ...more },
    pool: {},
    statementMs: 0,
    schema: "public",
  }));
}

Deno.test("a connection whose login fails is closed", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const refused = assert.rejects(open({ host: "127.0.0.1", port: listener.addr.port }), {
    code: "CONNECTION_CLOSED",
  });
  using client = await listener.accept();
  await client.read(new Uint8Array(1000));
  // the server asks for a way to log in that the driver does not know
  await client.write(new TextEncoder().encode("R\0\0\0\x0f\0\0\0\x0aOTHER\0\0"));
  await refused;
  assert.equal(await client.read(new Uint8Array(1)), null);
});

if (server.isThere) {
  Deno.test("statements that a connection does not run as it is closed get errors of connections", async () => {
    const connection = await open();
    const send = (sql: string) =>
      new Promise((resolve, reject) =>
        connection.send({ sql, values: [] }, (error, result) => error ? reject(error) : resolve(result))
      );
    const before = assert.rejects(send("SELECT pg_sleep(1)"), { code: "CONNECTION_CLOSED" });
    const closing = connection.close(20);
    await assert.rejects(send("SELECT 1"), { code: "CONNECTION_CLOSED" });
    await before;
    await closing;
  });

  Deno.test("a transaction begins with its first statement, also where the server has forgotten how", async () => {
    const given = { credentials: credentials("public"), statementMs: 0, schema: "public" };
    const pool = new Pool({ ...given, pool: { max: 1 } });
    const table = `public."${uniqueName()}"`;
    const undone = async (sql: string, values: readonly string[] = []) => {
      const connection = await Connection.begin(pool, "BEGIN");
      await connection.run({ sql, values, simple: values.length === 0 });
      assert.equal((await connection.command("ROLLBACK")).command, "ROLLBACK");
      connection.release();
    };
    const command = (sql: string) =>
      pool.run({ sql, values: [], simple: true }, {
        read: ({ rows }) => rows,
        failed: (error) => {
          throw error;
        },
      });
    await command(`CREATE TABLE ${table} (a int)`);
    for (let n = 0; n < 6; n++) {
      if (n % 2 === 1) await command("DEALLOCATE ALL");
      await undone(`INSERT INTO ${table} VALUES ($1)`, ["1"]);
      await undone(`INSERT INTO ${table} VALUES (${n})`);
      assert.deepEqual(await command(`SELECT * FROM ${table}`), []);
    }
    await command(`DROP TABLE ${table}`);
    await pool.end();
  });
}
