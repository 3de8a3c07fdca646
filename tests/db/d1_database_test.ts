import { d1Database } from "../../src/db/d1/mod.ts";
import { testDatabase } from "../contract/database.ts";
import { testDatabaseFilters } from "../contract/database_filters.ts";
import { testDatabaseManyRows } from "../contract/database_many_rows.ts";
import { testDatabaseQueries } from "../contract/database_queries.ts";
import { testDatabaseToggles } from "../contract/database_toggles.ts";
import { testDatabaseValues } from "../contract/database_values.ts";
import { startD1 } from "./miniflare.ts";

const server = startD1(150);
globalThis.addEventListener("unload", () => void server.stop());

testDatabase("D1", async (model) => await d1Database(server.take())({ model, options: {} }), {
  patterns: false,
  writers: "first wins",
});
testDatabaseToggles("D1", async (given) => await d1Database(server.take())({ ...given, options: {} }));
testDatabaseFilters("D1", async (model) => await d1Database(server.take())({ model, options: {} }));
testDatabaseManyRows("D1", async (model) => await d1Database(server.take())({ model, options: {} }));
testDatabaseQueries("D1", async (model) => await d1Database(server.take())({ model, options: {} }));
testDatabaseValues("D1", async (model) => await d1Database(server.take())({ model, options: {} }));
