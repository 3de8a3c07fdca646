import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { testDatabase } from "../contract/database.ts";

testDatabase("SQLite in memory", (model) => createSqliteDatabase({ model, options: {} }));

testDatabase("SQLite file", async (model) => {
  const url = `${await Deno.makeTempDir()}/test.sqlite`;
  return createSqliteDatabase({ model, options: { credentials: { url } } });
});
