import assert from "node:assert/strict";
import { functionRow, knownFunctions } from "../../src/algebra/functions.ts";
import { AGGREGATES } from "../../src/db/memory/aggregates.ts";
import { FUNCTIONS } from "../../src/db/memory/functions.ts";
import { POSTGRES } from "../../src/db/render/postgres_dialect.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { CANONICAL_FUNCTIONS, canonicalFunction } from "../../src/odata/url/words.ts";

/** Functions that databases have themselves under the same name, or that have a place of their own. */
const OWN: ReadonlySet<string> = new Set([
  ...["now", "nullif", "coalesce", "ifnull", "abs", "greatest", "least", "string_agg", "$filtered", "$mod"],
  ...["first_value", "last_value", "lag", "lead", "row_number", "rank", "dense_rank"],
  ...["current_date", "current_time", "current_timestamp", "current_user", "session_user"],
]);

Deno.test("each engine has the functions that the table says it has", () => {
  const engines = {
    memory: (name: string) => Object.hasOwn(FUNCTIONS, name) || Object.hasOwn(AGGREGATES, name),
    sqlite: (name: string) => Object.hasOwn(SQLITE.functions, name),
    postgres: (name: string) => Object.hasOwn(POSTGRES.functions, name),
  };
  for (const [name, { engines: having }] of knownFunctions()) {
    if (OWN.has(name)) continue;
    for (const engine of ["memory", "sqlite", "postgres"] as const) {
      assert.equal(engines[engine](name), having?.includes(engine) ?? true, `${name} on ${engine}`);
    }
  }
});

Deno.test("functions are found in any case, canonical ones by the spelling of the standard", () => {
  assert.equal(functionRow("ToLower"), functionRow("tolower"));
  assert.equal(canonicalFunction("MATCHESPATTERN"), "matchesPattern");
  assert.deepEqual(CANONICAL_FUNCTIONS.get("substring")?.count, [2, 3]);
  assert.equal(canonicalFunction("coalesce"), undefined);
});
