import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query } from "../../src/cqn/cqn.ts";
import { callsFunctions, onlyReads } from "../../src/db/sql_name.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { postgresDatabase, server } from "./postgres.ts";

const MODEL = linkModel(parseCdl(`entity notes { key ID : Integer; }`));
const ALL: Query = { SELECT: { from: { ref: ["notes"] } } };
const ENGINES = {
  SQLite: () => createSqliteDatabase({ model: MODEL, options: {} }),
  ...(server.isThere && { PostgreSQL: () => postgresDatabase(MODEL) }),
};

Deno.test("plain SQL only reads where no word outside of literals, quoted names and comments writes or locks", () => {
  for (
    const text of [
      "SELECT ID FROM Notes",
      `  with a as (select 'delete from x' as "update") select * from a -- into`,
      "values (1) /* for share */",
      "EXPLAIN SELECT replace(text, 'a', 'b') FROM Notes",
      "SELECT share, updated, deleted FROM Notes",
    ]
  ) assert.ok(onlyReads(text), text);
  for (
    const text of [
      "DELETE FROM Notes",
      "WITH a AS (SELECT 1) DELETE FROM Notes",
      "with a as (insert into Notes values (1) returning *) select * from a",
      "SELECT ID FROM Notes FOR UPDATE",
      "SELECT ID FROM Notes FOR  key SHARE",
      "SELECT * INTO other FROM Notes",
      "EXPLAIN ANALYZE UPDATE Notes SET ID = 2",
    ]
  ) assert.ok(!onlyReads(text), text);
});

Deno.test("plain SQL calls functions of its own where a name stands in front of a parenthesis (db/README, plain SQL)", () => {
  for (
    const text of [
      "SELECT count(*), max (n) FROM notes WHERE n IN (1, 2) AND EXISTS (SELECT 1)",
      "SELECT 'book(1)' AS a -- book()",
      'SELECT "a(b)" FROM notes /* book() */',
      "SELECT row_number() OVER (ORDER BY n), n::numeric(9, 2) FROM notes",
    ]
  ) assert.ok(!callsFunctions(text), text);
  for (
    const text of [
      "SELECT book(1)",
      'SELECT "Book" (1)',
      `SELECT "o'x", public.book('x') FROM notes`,
      "SELECT nextval('numbers')",
    ]
  ) assert.ok(callsFunctions(text), text);
});

for (const [name, create] of Object.entries(ENGINES)) {
  Deno.test(`${name}: what plain SQL changes behind WITH is part of the transaction`, async () => {
    const db = await create();
    await db.deploy();
    const tx = db.begin(new EventContext());
    await tx.run({ INSERT: { into: "notes", entries: [{ ID: 1 }] } });
    await tx.commit();
    const undone = db.begin(new EventContext());
    await undone.sql!('WITH one AS (SELECT 1 AS n) DELETE FROM notes WHERE "ID" IN (SELECT n FROM one)');
    assert.deepEqual(await undone.run(ALL), []);
    await undone.rollback();
    const after = db.begin(new EventContext());
    assert.deepEqual(await after.run(ALL), [{ ID: 1 }]);
    await after.rollback();
    await db.close();
  });
}

if (server.isThere) {
  Deno.test("PostgreSQL: what a function writes that plain SQL selects is part of the transaction (db/README, plain SQL)", async () => {
    const db = postgresDatabase(MODEL);
    await db.deploy();
    const setup = db.begin(new EventContext());
    await setup.sql!(
      'CREATE FUNCTION note(n int) RETURNS int LANGUAGE sql AS $$ INSERT INTO notes VALUES (n) RETURNING "ID" $$',
    );
    await setup.commit();
    const undone = db.begin(new EventContext());
    assert.deepEqual(await undone.sql!("SELECT note(1) AS n"), [{ n: 1 }]);
    await undone.rollback();
    const done = db.begin(new EventContext());
    assert.deepEqual(await done.sql!("SELECT note(?::int) AS n", [2]), [{ n: 2 }]);
    await done.commit();
    const after = db.begin(new EventContext());
    assert.deepEqual(await after.run(ALL), [{ ID: 2 }]);
    await after.rollback();
    await db.close();
  });

  Deno.test("PostgreSQL: rows that plain SQL locks stay locked until the transaction ends", async () => {
    const db = postgresDatabase(MODEL);
    await db.deploy();
    const [one, other] = [db.begin(new EventContext()), db.begin(new EventContext())];
    const insert = db.begin(new EventContext());
    await insert.run({ INSERT: { into: "notes", entries: [{ ID: 1 }] } });
    await insert.commit();
    assert.deepEqual(await one.sql!('SELECT "ID" AS n FROM notes FOR UPDATE'), [{ n: 1 }]);
    const locked: Query = { SELECT: { from: { ref: ["notes"] }, forUpdate: { wait: 0 } } };
    await assert.rejects(async () => await other.run(locked), { status: 409 });
    await one.commit();
    await other.rollback();
    await db.close();
  });
}
