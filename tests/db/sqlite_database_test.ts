import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { testDatabase } from "../contract/database.ts";
import { testDatabaseJson } from "../contract/database_json.ts";
import { testDatabaseFilters } from "../contract/database_filters.ts";
import { testDatabaseManyRows } from "../contract/database_many_rows.ts";
import { testDatabaseQueries } from "../contract/database_queries.ts";
import { testDatabaseToggles } from "../contract/database_toggles.ts";
import { testDatabaseValues } from "../contract/database_values.ts";

testDatabase("SQLite in memory", (model) => createSqliteDatabase({ model, options: {} }));

testDatabase("SQLite file", async (model) => {
  const folder = await Deno.makeTempDir();
  const db = await createSqliteDatabase({
    model,
    options: { credentials: { url: `${folder}/test.sqlite` } },
  });
  const close = db.close.bind(db);
  return Object.assign(db, { close: () => close().then(() => Deno.remove(folder, { recursive: true })) });
});

testDatabaseJson("SQLite in memory", (model) => createSqliteDatabase({ model, options: {} }));
testDatabaseToggles("SQLite in memory", (given) => createSqliteDatabase({ ...given, options: {} }));
testDatabaseFilters("SQLite in memory", (model) => createSqliteDatabase({ model, options: {} }));
testDatabaseManyRows("SQLite in memory", (model) => createSqliteDatabase({ model, options: {} }));
testDatabaseQueries("SQLite in memory", (model) => createSqliteDatabase({ model, options: {} }));
testDatabaseValues("SQLite in memory", (model) => createSqliteDatabase({ model, options: {} }));
