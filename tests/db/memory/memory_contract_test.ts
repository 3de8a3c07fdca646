import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { testDatabase } from "../../contract/database.ts";
import { testDatabaseFilters } from "../../contract/database_filters.ts";
import { testDatabaseManyRows } from "../../contract/database_many_rows.ts";
import { testDatabaseQueries } from "../../contract/database_queries.ts";
import { testDatabaseToggles } from "../../contract/database_toggles.ts";
import { testDatabaseValues } from "../../contract/database_values.ts";

testDatabase("Memory", (model) => createMemoryDatabase({ model, options: {} }));
testDatabaseToggles("Memory", (given) => createMemoryDatabase({ ...given, options: {} }));
testDatabaseFilters("Memory", (model) => createMemoryDatabase({ model, options: {} }));
testDatabaseManyRows("Memory", (model) => createMemoryDatabase({ model, options: {} }));
testDatabaseQueries("Memory", (model) => createMemoryDatabase({ model, options: {} }));
testDatabaseValues("Memory", (model) => createMemoryDatabase({ model, options: {} }));
