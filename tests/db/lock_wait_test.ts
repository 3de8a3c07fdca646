import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import type { DatabaseTransaction } from "../../src/service/database.ts";
import { ROWS, testModel } from "./fixture.ts";
import { postgresDatabase, server } from "./postgres.ts";

function locked(forUpdate: true | { readonly wait: number }): Query {
  const SELECT = { from: { ref: ["my.Books"] }, columns: [{ ref: ["ID"] }], one: true as const, forUpdate };
  return { SELECT };
}

async function lockTimeout(tx: DatabaseTransaction): Promise<unknown> {
  const [row] = await tx.sql!("SELECT current_setting('lock_timeout') AS ms") as [Row];
  return row.ms;
}

if (server.isThere) {
  Deno.test("forUpdate with wait: the rows of the query are waited for so long, those of other queries as before", async () => {
    const db = postgresDatabase(testModel());
    await db.deploy(ROWS);
    const [one, other] = [db.begin(new EventContext()), db.begin(new EventContext())];
    await other.sql!("SET LOCAL lock_timeout = '70s'");
    for (const wait of [30, 20]) {
      await other.run(locked({ wait }));
      assert.equal(await lockTimeout(other), "70s");
    }
    await Promise.all([other.run(locked({ wait: 1 })), other.run(locked({ wait: 2 }))]);
    await other.run(locked(true));
    assert.equal(await lockTimeout(other), "70s");
    await assert.rejects(async () => await one.run(locked({ wait: 0.01 })), { status: 409 });
    await one.rollback();
    await other.commit();
    await db.close();
  });
}
