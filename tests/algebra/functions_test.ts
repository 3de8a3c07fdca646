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

/** Least and most arguments of the canonical functions (OData URL Conventions, 5.1.1.5 to 5.1.1.13). */
const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  ...{ contains: [2, 2], startswith: [2, 2], endswith: [2, 2], matchesPattern: [2, 2], indexof: [2, 2] },
  ...{ length: [1, 1], concat: [2, 2], substring: [2, 3], tolower: [1, 1], toupper: [1, 1], trim: [1, 1] },
  ...{ year: [1, 1], month: [1, 1], day: [1, 1], hour: [1, 1], minute: [1, 1], second: [1, 1] },
  ...{ fractionalseconds: [1, 1], date: [1, 1], time: [1, 1], now: [0, 0], totalseconds: [1, 1] },
  ...{ mindatetime: [0, 0], maxdatetime: [0, 0], totaloffsetminutes: [1, 1] },
  ...{ hassubset: [2, 2], hassubsequence: [2, 2], isdefined: [1, 1] },
  ...{ round: [1, 1], floor: [1, 1], ceiling: [1, 1] },
  ...{ "geo.distance": [2, 2], "geo.length": [1, 1], "geo.intersects": [2, 2] },
};

Deno.test("canonical functions take as many arguments as the standard says (URL Conventions 5.1.1)", () => {
  const counts = Object.fromEntries([...CANONICAL_FUNCTIONS].map(([name, { count }]) => [name, count]));
  assert.deepEqual(counts, COUNTS);
});
