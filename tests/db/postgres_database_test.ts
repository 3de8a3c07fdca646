import { testDatabase } from "../contract/database.ts";
import { testDatabaseJson } from "../contract/database_json.ts";
import { postgresDatabase, server } from "./postgres.ts";

if (server.isThere) {
  testDatabase("PostgreSQL", (model) => postgresDatabase(model));
  testDatabaseJson("PostgreSQL", (model) => postgresDatabase(model));
}
