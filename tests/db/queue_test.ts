import { postgresDatabase, server } from "./postgres.ts";
import { testQueue } from "../contract/queue.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";

testQueue({ name: "Memory", open: (model) => createMemoryDatabase({ model, options: {} }) });
testQueue({ name: "SQLite", open: (model) => createSqliteDatabase({ model, options: {} }) });
if (server.isThere) testQueue({ name: "PostgreSQL", open: (model) => postgresDatabase(model) });
