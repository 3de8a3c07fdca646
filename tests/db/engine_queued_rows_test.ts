/** Rows of queued work are inserted together before the commit, and earlier for those who ask for them. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query } from "../../src/cqn/cqn.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { OUTBOX_MESSAGES, withQueueTables } from "../../src/messaging/outbox/queue_model.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Database } from "../../src/service/database.ts";
import { CSN } from "./fixture.ts";

const MODEL = linkModel(withQueueTables(CSN));
const row = (n: number) => ({
  ID: `00000000-0000-4000-8000-00000000000${n}`,
  target: "t",
  appid: "a",
  msg: "{}",
});
const COUNT = [{ func: "count", args: ["*"] as const, as: "n" }];

/** Runs a test with each engine of this process. */
async function onEngines(run: (database: Database) => Promise<void>): Promise<void> {
  for (const create of [createMemoryDatabase, createSqliteDatabase]) {
    const database = await create({ model: MODEL, options: {} });
    try {
      await database.deploy();
      await run(database);
    } finally {
      await database.close();
    }
  }
}

const ASKING: readonly [what: string, query: Query, result: unknown][] = [
  ["by a path", { SELECT: { from: { ref: [OUTBOX_MESSAGES] }, columns: COUNT } }, [{ n: 2 }]],
  ["by a path with a filter", {
    SELECT: {
      from: { ref: [{ id: OUTBOX_MESSAGES, where: [{ ref: ["target"] }, "=", { val: "t" }] }] },
      columns: COUNT,
    },
  }, [{ n: 2 }]],
  ["by a query of a query", {
    SELECT: { from: { SELECT: { from: { ref: [OUTBOX_MESSAGES] } }, as: "q" }, columns: COUNT },
  }, [{ n: 2 }]],
  ["to change them", { UPDATE: { entity: OUTBOX_MESSAGES, data: { target: "u" } } }, 2],
  ["to remove them", { DELETE: { from: OUTBOX_MESSAGES } }, 2],
  ["for one of their elements", {
    SELECT: { from: { ref: [OUTBOX_MESSAGES] }, columns: [{ ref: ["target"] }] },
  }, [{
    target: "t",
  }, { target: "t" }]],
];

for (const [what, query, result] of ASKING) {
  Deno.test(`queued rows are there for who asks for them ${what}`, () =>
    onEngines(async (database) => {
      const tx = database.begin(new EventContext());
      for (const n of [1, 2]) tx.enqueue!(OUTBOX_MESSAGES, row(n));
      assert.deepEqual(await tx.run(query), result, database.kind);
      await tx.rollback();
    }));
}

Deno.test("queued rows get their numbers in their order, and go with a rollback", () =>
  onEngines(async (database) => {
    const numbers = async () => {
      const tx = database.begin(new EventContext());
      const rows = await tx.run({
        SELECT: { from: { ref: [OUTBOX_MESSAGES] }, orderBy: [{ ref: ["seq"] }] },
      });
      await tx.rollback();
      return (rows as { ID: string; seq: unknown }[]).map(({ ID, seq }) => [ID.slice(-1), Number(seq)]);
    };
    const undone = database.begin(new EventContext());
    undone.enqueue!(OUTBOX_MESSAGES, row(9));
    await undone.rollback();
    const tx = database.begin(new EventContext());
    for (const n of [3, 1]) tx.enqueue!(OUTBOX_MESSAGES, row(n));
    assert.deepEqual(await tx.run({ SELECT: { from: { ref: ["my.Books"] }, columns: COUNT } }), [{ n: 0 }]);
    tx.enqueue!(OUTBOX_MESSAGES, row(2));
    await tx.commit();
    assert.deepEqual(await numbers(), [["3", 1], ["1", 2], ["2", 3]], database.kind);
  }));
