/** What is left of a database of SQLite that is closed. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel({ definitions: {} });

Deno.test("a database that is closed runs nothing any more, and may be closed again", async () => {
  const db = await createSqliteDatabase({ model: MODEL, options: {} });
  const select = async () => await db.begin(new EventContext()).sql!("SELECT 1 AS one");
  assert.deepEqual(await select(), [{ one: 1 }]);
  await db.close();
  await assert.rejects(select());
  await db.close();
});

Deno.test("a database that is dropped is closed, and its files are gone", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const db = await createSqliteDatabase({
      model: MODEL,
      options: { credentials: { url: `${folder}/a.sqlite` } },
    });
    await db.begin(new EventContext()).sql!("SELECT 1");
    await db.drop!();
    assert.deepEqual([...Deno.readDirSync(folder)], []);
    await assert.rejects(async () => await db.begin(new EventContext()).sql!("SELECT 1"));
    await db.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
