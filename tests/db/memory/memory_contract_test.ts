import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { testDatabase } from "../../contract/database.ts";

testDatabase("Memory", (model) => createMemoryDatabase({ model, options: {} }));
