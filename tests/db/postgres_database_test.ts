import { testDatabase } from "../contract/database.ts";
import { testDatabaseJson } from "../contract/database_json.ts";
import { testDatabaseFilters } from "../contract/database_filters.ts";
import { testDatabaseManyRows } from "../contract/database_many_rows.ts";
import { testDatabaseQueries } from "../contract/database_queries.ts";
import { testDatabaseToggles } from "../contract/database_toggles.ts";
import { testDatabaseValues } from "../contract/database_values.ts";
import { postgresDatabase, server } from "./postgres.ts";

if (server.isThere) {
  testDatabase("PostgreSQL", (model) => postgresDatabase(model));
  testDatabaseToggles("PostgreSQL", ({ model, modelOf }) => postgresDatabase(model, {}, { modelOf }));
  testDatabaseFilters("PostgreSQL", (model) => postgresDatabase(model));
  testDatabaseManyRows("PostgreSQL", (model) => postgresDatabase(model));
  testDatabaseQueries("PostgreSQL", (model) => postgresDatabase(model), { failed: "ends the transaction" });
  testDatabaseValues("PostgreSQL", (model) => postgresDatabase(model));
  testDatabaseJson("PostgreSQL", (model) => postgresDatabase(model));
}
