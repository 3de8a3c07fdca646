/** Connections to PostgreSQL that have ended, or cannot be made. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { connectionOptions } from "../../src/db/postgres/connection_options.ts";
import { OpenConnection } from "../../src/db/postgres/open_connection.ts";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import type { StatementResult } from "../../src/db/postgres/statement_query.ts";
import { freePort } from "../../scripts/faults/server_command.ts";
import { eventually } from "../contract/channel.ts";
import { testModel } from "./fixture.ts";
import { credentials, server } from "./postgres.ts";

const send = (
  connection: OpenConnection,
  sql: string,
  values: readonly string[] = [],
): Promise<StatementResult> =>
  new Promise((resolve, reject) =>
    connection.send({ sql, values }, (error, result) => result ? resolve(result) : reject(error))
  );

if (server.isThere) {
  const open = () =>
    OpenConnection.open(
      connectionOptions({ credentials: credentials("public"), pool: {}, statementMs: 0, schema: "public" }),
    );

  Deno.test("a connection that the server ends while nobody uses it is known to have ended", async () => {
    const [one, other] = [await open(), await open()];
    assert.equal(one.hasEnded, false);
    const [row] = (await send(one, "SELECT pg_backend_pid() AS pid")).rows;
    await send(other, "SELECT pg_terminate_backend($1::int)", [String(row!.pid)]);
    await eventually(() => one.hasEnded);
    await assert.rejects(send(one, "SELECT 1"), { name: "Error" });
    assert.equal(other.hasEnded, false);
    await other.close(1000);
    await eventually(() => other.hasEnded);
  });

  Deno.test("a statement with more values than the protocol counts is refused before it is sent", async () => {
    const connection = await open();
    const values = (count: number) => Array.from({ length: count }, () => "1");
    await assert.rejects(send(connection, "SELECT 1", values(65_536)), {
      name: "RangeError",
      message: "A statement has 65536 values; 65535 are possible",
    });
    assert.deepEqual((await send(connection, "SELECT 1 AS one")).rows, [{ one: 1 }]);
    await connection.close(1000);
  });
}

Deno.test("a transaction that cannot begin, as nobody answers, fails with 503, whatever it begins with", async () => {
  const options = { credentials: { host: "127.0.0.1", port: freePort(), user: "u", database: "d" } };
  const database = createPostgresDatabase({ model: testModel(), options });
  try {
    const unavailable = { status: 503, message: "The database does not answer" };
    const run = async (query: Parameters<ReturnType<typeof database.begin>["run"]>[0]) => {
      const tx = database.begin(new EventContext());
      await assert.rejects(async () => await tx.run(query), unavailable);
      await tx.rollback();
    };
    await run({ SELECT: { from: { ref: ["my.Authors"] } } });
    await run({ INSERT: { into: "my.Authors", entries: [{ ID: 1 }] } });
    await run({ DELETE: { from: "my.Authors" } });
    await run({ SELECT: { from: { ref: ["my.Authors"] }, forUpdate: {} } });
  } finally {
    await database.close();
  }
});
