import assert from "node:assert/strict";
import { AGGREGATES } from "../../../src/db/memory/aggregates.ts";
import { FUNCTIONS } from "../../../src/db/memory/functions.ts";
import { SQLITE_FUNCTIONS } from "../../../src/db/render/sqlite_functions.ts";

/** Those that the compiler of expressions knows itself, and what sources do. */
const OWN = [
  "$step",
  "$joined",
  "$joined_rows",
  "$json_array",
  "$values",
  "$members",
  "$member_json",
  "$member_with",
  "$member_array",
];

Deno.test("the memory database has all functions of SQLite", () => {
  const known = new Set([...Object.keys(FUNCTIONS), ...Object.keys(AGGREGATES), ...OWN]);
  assert.deepEqual(Object.keys(SQLITE_FUNCTIONS).filter((name) => !known.has(name)), []);
});
