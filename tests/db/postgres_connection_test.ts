import assert from "node:assert/strict";
import { connectionOptions } from "../../src/db/postgres/connection_options.ts";
import { OpenConnection } from "../../src/db/postgres/open_connection.ts";
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
}
