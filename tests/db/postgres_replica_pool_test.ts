/** How many connections go to a replica, which does not answer here. */

import assert from "node:assert/strict";
import { Replica } from "../../src/db/postgres/replica.ts";
import { eventually } from "../contract/channel.ts";

Deno.test("statements share the connections of the pool, and looking at the replica has one of its own", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) accepted.push(connection);
  })();
  const credentials = {
    host: "127.0.0.1",
    port: listener.addr.port,
    user: "u",
    password: "p",
    database: "d",
  };
  const told: string[] = [];
  const replica = new Replica(
    { credentials, pool: { max: 2 }, statementMs: 0, schema: "public" },
    { maxLagMs: 60_000, tell: (text) => told.push(text) },
  );
  assert.equal(replica.name, `127.0.0.1:${credentials.port}`);
  const ended = Promise.allSettled([
    ...Array.from({ length: 5 }, () => replica.run({ sql: "SELECT 1", values: [] })),
    ...Array.from({ length: 3 }, () => replica.look([])),
  ]);
  await eventually(() => accepted.length >= 3);
  for (const connection of accepted) connection.close();
  const outcomes = (await ended).map(({ status }) => status);
  assert.deepEqual(outcomes, [...Array(5).fill("rejected"), ...Array(3).fill("fulfilled")]);
  assert.equal(accepted.length, 3);
  assert.equal(replica.isUsed, false);
  assert.match(told.join(), /^The replica 127\.0\.0\.1:\d+ is not used: .*; the primary reads instead$/);
  listener.close();
  await accepting;
  await replica.close();
});
