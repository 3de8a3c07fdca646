import assert from "node:assert/strict";
import { Replica } from "../../src/db/postgres/replica.ts";
import { credentials, server } from "./postgres.ts";

interface Watched {
  readonly replica: Replica;
  readonly told: string[];
}

function open(): Watched {
  const told: string[] = [];
  const connections = { credentials: credentials("public"), pool: {}, statementMs: 0, schema: "public" };
  const replica = new Replica(connections, { maxLagMs: 60_000, tell: (text) => told.push(text) });
  return { replica, told };
}

if (server.isThere) {
  Deno.test("closing a replica waits for the statements on it, and for its connections", async () => {
    const { replica } = open();
    const ended: string[] = [];
    const statement = replica.run({ sql: "SELECT pg_sleep(0.1), 1 AS one", values: [] }).then(({ rows }) => {
      ended.push("statement");
      return rows;
    });
    await replica.close().then(() => ended.push("replica"));
    assert.deepEqual(ended, ["statement", "replica"]);
    assert.equal((await statement)[0]!.one, 1);
    await assert.rejects(async () => await replica.run({ sql: "SELECT 1", values: [] }), /closed/);
  });

  Deno.test("a server that is no replica is not used, which is told once, and statements on it are refused", async () => {
    const { replica, told } = open();
    assert.ok(replica.isUsed);
    const waiting = assert.rejects(
      replica.run({ sql: "SELECT pg_sleep(0.1)", values: [] }),
      /it is no replica/,
    );
    const position = { at: performance.now(), position: 0, cluster: "other" };
    // nothing is known of the primary yet
    await replica.look([]);
    assert.ok(replica.isUsed);
    for (let n = 0; n < 2; n++) await replica.look([position]);
    await waiting;
    assert.ok(!replica.isUsed);
    assert.equal(replica.freshAt, -Infinity);
    assert.deepEqual(told, [
      `The replica ${replica.name} is not used: it is no replica; the primary reads instead`,
    ]);
    await replica.close();
    // nobody is told of what comes of being closed
    await replica.look([position]);
    assert.equal(told.length, 1);
  });
}
