import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { EventContext } from "../../src/context/event_context.ts";
import type { InsertQuery, Row } from "../../src/cqn/cqn.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Database } from "../../src/service/database.ts";

const model = linkModel({
  definitions: {
    "my.Notes": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, text: { type: "cds.LargeString" } },
    },
  },
});

function insert(ID: number, text: string): InsertQuery {
  return { INSERT: { into: "my.Notes", entries: [{ ID, text }] } };
}

function ids(db: Database): Promise<unknown> {
  const tx = db.begin(new EventContext());
  const columns = [{ ref: ["ID"] }];
  return Promise.resolve(tx.run({ SELECT: { from: { ref: ["my.Notes"] }, columns } }))
    .then((rows) => (rows as Row[]).map(({ ID }) => ID))
    .finally(() => tx.rollback());
}

function isFull({ status, cause }: Error & { readonly status?: number }): boolean {
  return status === 503 && /disk is full/.test((cause as Error).message);
}

/** A database of at most 200 pages. */
async function small(): Promise<Database> {
  const db = createSqliteDatabase({ model, options: {} });
  await db.deploy();
  const tx = db.begin(new EventContext());
  await tx.sql!("PRAGMA max_page_count = 200");
  await tx.commit();
  return db;
}

Deno.test("SQLite: where a full disk undoes a transaction nothing of it is committed, also what comes later", async () => {
  const db = await small();
  const tx = db.begin(new EventContext());
  await tx.run(insert(1, "before"));
  await assert.rejects(async () => await tx.run(insert(2, "x".repeat(2_000_000))), isFull);
  const undone = (error: Error) =>
    error.message === "The database has undone the transaction" && isFull(error);
  await assert.rejects(async () => await tx.run(insert(3, "behind")), undone);
  await assert.rejects(async () => await tx.sql!("DELETE FROM my_Notes"), undone);
  await assert.rejects(async () => await tx.commit(), undone);
  assert.deepEqual(await ids(db), []);
  await db.close();
});

Deno.test("SQLite: a transaction that a full disk undoes can be rolled back, and lets others write", async () => {
  const db = await small();
  const tx = db.begin(new EventContext());
  await tx.run(insert(1, "before"));
  const next = db.begin(new EventContext());
  const waiting = next.run(insert(4, "next"));
  await assert.rejects(async () => await tx.run(insert(2, "x".repeat(2_000_000))), isFull);
  await waiting;
  await tx.rollback();
  await next.commit();
  assert.deepEqual(await ids(db), [4]);
  await db.close();
});

Deno.test("SQLite: while another process writes, this one reads, and its own writes come afterwards, in order", async () => {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/test.sqlite`;
  const db = createSqliteDatabase({ model, options: { credentials: { url: file } } });
  const other = new DatabaseSync(file);
  try {
    await db.deploy();
    other.exec(`BEGIN IMMEDIATE; INSERT INTO "my_Notes" VALUES (1, 'of another')`);
    const write = async (ID: number) => {
      const tx = db.begin(new EventContext());
      await tx.run(insert(ID, "own"));
      await tx.commit();
    };
    const abandoned = db.begin(new EventContext());
    const begun = assert.rejects(
      async () => await abandoned.run(insert(9, "abandoned")),
      /has ended already/,
    );
    const ended = Promise.resolve(abandoned.rollback());
    const writes = [write(2), write(3)];
    assert.deepEqual(await ids(db), []);
    other.exec("COMMIT");
    await Promise.all([...writes, ended, begun]);
    assert.deepEqual(await ids(db), [1, 2, 3]);
  } finally {
    other.close();
    await db.close();
    await Deno.remove(folder, { recursive: true });
  }
});
