import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { Connection } from "../../src/db/postgres/connection.ts";
import { Pool } from "../../src/db/postgres/pool.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { credentials, postgresDatabase, server } from "./postgres.ts";

if (server.isThere) {
  Deno.test("an INSERT that is repeated is prepared, unless it has many values", async () => {
    const model = linkModel({
      definitions: {
        "my.Prepared": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } },
      },
    });
    const db = postgresDatabase(model);
    await db.deploy();
    const tx = db.begin(new EventContext());
    let ID = 0;
    const insert = (count: number) => {
      const entries = Array.from({ length: count }, () => ({ ID: ID++ }));
      return tx.run({ INSERT: { into: "my.Prepared", entries } });
    };
    const prepared = async () => {
      const [row] = await tx.sql!(
        `SELECT count(*)::int AS n FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO "my_Prepared"%'`,
      ) as Row[];
      return row!.n;
    };
    for (let n = 0; n < 3; n++) await insert(256);
    assert.equal(await prepared(), 0);
    for (const [count, expected] of [[1, 1], [128, 2]]) {
      for (let n = 0; n < 3; n++) await insert(count!);
      assert.equal(await prepared(), expected, `${count} rows`);
    }
    await tx.rollback();
    await db.close();
  });

  Deno.test("a transaction that cannot begin gives its connection back", async () => {
    const given = { credentials: credentials("public"), statementMs: 0, schema: "public" };
    const pool = new Pool({ ...given, pool: { max: 1, acquireTimeoutMs: 1000 } });
    for (let n = 0; n < 2; n++) await assert.rejects(Connection.begin(pool, "BEGIN NOTHING"), /syntax error/);
    const connection = await Connection.begin(pool, "BEGIN");
    connection.release();
    await pool.end();
  });
}
