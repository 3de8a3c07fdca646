/** What is left of marks of transactions on SQLite that have ended. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { StatementRunner } from "../../src/db/write/statement_runner.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { DatabaseTransaction } from "../../src/service/database.ts";

const MODEL = linkModel(parseCdl("entity E { key ID : Integer; }"));
const insert = (ID: number): Query => ({ INSERT: { into: "E", entries: [{ ID }] } });

for (const [when, first] of [["before its first write", []], ["behind a write", [1]]] as const) {
  Deno.test(`what a transaction marked ${when} undoes nothing of others once it has ended`, async () => {
    const db = createSqliteDatabase({ model: MODEL, options: {} });
    try {
      await db.deploy();
      const begin = () => db.begin(new EventContext()) as DatabaseTransaction & StatementRunner; // as those of engines are
      const ended = begin();
      for (const ID of first) await ended.run(insert(ID));
      const mark = ended.mark()!;
      await ended.run(insert(2));
      await ended.commit();
      const other = begin();
      await other.run(insert(3));
      mark.undo();
      mark.release();
      await other.run(insert(4));
      await other.commit();
      const reader = begin();
      const rows = await reader.run(parseCqlQuery("SELECT from E order by ID")) as Row[];
      assert.deepEqual(rows.map(({ ID }) => ID), [...first, 2, 3, 4]);
      await reader.rollback();
    } finally {
      await db.close();
    }
  });
}
