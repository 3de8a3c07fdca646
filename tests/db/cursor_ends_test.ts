/** When cursors end: with their transactions, unless they are detached (`openCursor`). */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { SelectQuery } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Database, DatabaseTransaction } from "../../src/service/database.ts";
import { ROWS, testModel } from "./fixture.ts";

const QUERY = parseCqlQuery("SELECT from my.Books { ID } order by ID") as SelectQuery;

/** Runs a test with each engine of this process. */
async function onEngines(
  run: (begin: () => DatabaseTransaction, kind: string) => Promise<void>,
): Promise<void> {
  const model = testModel();
  const databases: Database[] = [
    await createMemoryDatabase({ model, options: {} }),
    await createSqliteDatabase({ model, options: {} }),
  ];
  for (const database of databases) {
    try {
      await database.deploy(ROWS);
      await run(() => database.begin(new EventContext()), database.kind);
    } finally {
      await database.close();
    }
  }
}

async function openIn(tx: DatabaseTransaction) {
  const cursor = await tx.openCursor!(QUERY, {}, { asText: false });
  assert.ok(cursor);
  let closed = 0;
  const close = cursor.close.bind(cursor);
  cursor.close = () => (closed++, close());
  return { cursor, closed: () => closed };
}

for (const end of ["commit", "rollback"] as const) {
  Deno.test(`cursors are closed before the ${end} of their transaction`, () =>
    onEngines(async (begin, kind) => {
      const tx = begin();
      const [one, other] = [await openIn(tx), await openIn(tx)];
      await tx[end]();
      assert.deepEqual([one.closed(), other.closed()], [1, 1], kind);
      await tx[end]();
      assert.deepEqual([one.closed(), other.closed()], [1, 1], kind);
    }));
}

Deno.test("a cursor that is detached outlives the commit, and no rollback", () =>
  onEngines(async (begin, kind) => {
    const tx = begin();
    const { cursor, closed } = await openIn(tx);
    cursor.detach();
    await tx.commit();
    assert.equal(closed(), 0, kind);
    const rows = [];
    for (let group = await cursor.next(); group.length > 0; group = await cursor.next()) rows.push(...group);
    assert.deepEqual(rows.map((row) => (row as { ID: number }).ID), [10, 11, 20], kind);
    await cursor.close();
    await cursor.close();

    const undone = begin();
    const gone = await openIn(undone);
    gone.cursor.detach();
    await undone.rollback();
    assert.equal(gone.closed(), 1, kind);
  }));

Deno.test("no cursor is opened for one row, nor for rows that are locked, nor behind the end of a transaction", () =>
  onEngines(async (begin, kind) => {
    const tx = begin();
    const open = (select: Partial<SelectQuery["SELECT"]>) =>
      tx.openCursor!({ SELECT: { ...QUERY.SELECT, ...select } }, {}, { asText: false });
    assert.equal(await open({ one: true }), undefined, kind);
    assert.equal(await open({ forUpdate: {} }), undefined, kind);
    await tx.rollback();
    await assert.rejects(async () => await open({}), Error, kind);
  }));
