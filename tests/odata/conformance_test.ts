/** Every clause of OData 4.01 Part 1, 13, and the table of them in `src/odata/CONFORMANCE.md`. */

import assert from "node:assert/strict";
import "./conformance/beyond.ts";
import "./conformance/clients.ts";
import "./conformance/exchanges.ts";
import "./conformance/minimal.ts";
import "./conformance/newer.ts";
import "./conformance/newer_syntax.ts";
import "./conformance/queries.ts";
import "./conformance/updates.ts";
import { CLAUSE_TESTS } from "./conformance/requirement.ts";
import { LEVELS_4_0 } from "./conformance/requirements_4_0.ts";
import { LEVELS_4_01 } from "./conformance/requirements_4_01.ts";
import { BEYOND } from "./conformance/requirements_beyond.ts";
import { CLIENTS } from "./conformance/requirements_of_clients.ts";
import { clauseOf, renderTable, toTable, unfulfilled } from "./conformance/table.ts";

const LEVELS = [...LEVELS_4_0, ...LEVELS_4_01, CLIENTS, ...BEYOND];
const FILE = new URL("../../src/odata/CONFORMANCE.md", import.meta.url);

Deno.test("names of tests carry clauses that there are", () => {
  const known = new Set(
    LEVELS.flatMap((level) => level.requirements.map(([number]) => clauseOf(level, number))),
  );
  const unknown = CLAUSE_TESTS.flatMap(({ clauses }) => clauses).filter((clause) => !known.has(clause));
  assert.deepEqual(unknown, []);
});

// last: by now all others have run
Deno.test("every MUST and SHOULD is shown by a test that passed, and CONFORMANCE.md says so", async () => {
  const table = toTable(LEVELS, CLAUSE_TESTS);
  const text = renderTable(table);
  if (Deno.args.includes("--update")) await Deno.writeTextFile(FILE, text);
  assert.deepEqual(unfulfilled(table), []);
  const written = await Deno.readTextFile(FILE);
  assert.equal(written, text, "run: deno task conformance-table");
});
