/**
 * Random queries in CQL give the same results on all database engines. Left out: elements of different types side by
 * side (db/README, What is not).
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { EventContext } from "../../src/context/event_context.ts";
import type { SelectQuery, SetQuery } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import type { Database } from "../../src/service/database.ts";
import { inOwnOrder, withCloseNumbers } from "../close_numbers.ts";
import { propertyRuns } from "../property_runs.ts";
import { d1Database } from "../../src/db/d1/mod.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { createAllEngines } from "./all_engines.ts";
import { testModel } from "./fixture.ts";
import { startD1 } from "./miniflare.ts";
import { drawFrom, RandomCql } from "./random_cql.ts";

const QUERIES_PER_ROWS = 10;
const ADDS_DOUBLES = /\b(?:sum|avg)\(.* as Double\)/;
/** D1 loses last digits of decimals that cancel out over the rows of a window (db/README, Decimals). */
const ADDS_IN_WINDOWS = /\b(?:sum|avg)\([^)]*\) over/;
/** Other orders leave rows where a database finds them. */
const HAS_ONE_ORDER = /order by (?:[^\])]|\([^)]*\))*(?<!\.)\bID(?: limit (?:\d+|null)(?: offset \d+)?)?$/;

/** Results, or status and code of a refusal; other errors are mistakes. */
async function outcome(db: Database, query: SelectQuery | SetQuery): Promise<unknown> {
  const tx = db.begin(new EventContext({ locale: "de", user: { id: "alice" } }));
  try {
    const result = await tx.run(structuredClone(query));
    await tx.commit();
    return JSON.parse(JSON.stringify(result));
  } catch (error) {
    await tx.rollback();
    const { status, code } = error as { readonly status?: number; readonly code?: string };
    if (status === undefined || status >= 500) throw error;
    return { status, code };
  }
}

/** D1 takes fewer values, and less deep queries, than others (d1/README). */
function isBeyondBounds(outcome: unknown): boolean {
  const { status, code } = (outcome ?? {}) as { readonly status?: number; readonly code?: string };
  return status === 400 && code === undefined;
}

function unordered(value: unknown): unknown {
  return Array.isArray(value) ? inOwnOrder(value) : value;
}

/** Rows in each row that nothing orders are where a database finds them (db/README, Expanded rows). */
function unorderedInside(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(unorderedInside);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, unordered(unorderedInside(member))]),
  );
}

/** Runs random queries on engines and compares the results, read in some way, with those of the first one. */
async function compareEngines(
  databases: readonly Database[],
  numRuns: number,
  read: (result: unknown) => unknown = (result) => result,
): Promise<void> {
  try {
    for (const db of databases) await db.deploy();
    const castsTexts = databases.every(({ kind }) => kind !== "d1"); // db/README, Casts
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      const random = new RandomCql(drawFrom(seed), { castsTexts });
      const rows = random.rows();
      await Promise.all(databases.map((db) => db.reset(structuredClone(rows))));
      for (let count = 0; count < QUERIES_PER_ROWS; count++) {
        const text = random.query();
        const query = parseCqlQuery(text);
        if ("SELECT" in query && count % 2 === 0) Object.assign(query.SELECT, { localized: true });
        const about = `${text} ${JSON.stringify([...rows])}`;
        const results = await Promise.all(
          databases.map((db) =>
            outcome(db, query).catch((error) => assert.fail(`${db.kind}: ${about} ${error}`))
          ),
        );
        const found = results.map(read);
        const [first, ...others] = HAS_ONE_ORDER.test(text) ? found : found.map(unordered);
        for (const [at, other] of others.entries()) {
          const { kind } = databases[at + 1];
          if (kind === "d1" && isBeyondBounds(other)) continue;
          const isClose = ADDS_DOUBLES.test(text) || (kind === "d1" && ADDS_IN_WINDOWS.test(text));
          assert.deepEqual(isClose ? withCloseNumbers(other, first) : other, first, `${kind}: ${about}`);
        }
      }
    });
    // shrinking a seed leads nowhere
    await fc.assert(property, { ...propertyRuns(numRuns, 13), endOnFailure: true });
  } finally {
    for (const db of databases) await db.close();
  }
}

Deno.test("random queries in CQL give the same results on all engines", async () =>
  await compareEngines(await createAllEngines(testModel()), 30));

const server = startD1();
globalThis.addEventListener("unload", () => void server.stop());

Deno.test("random queries in CQL give the same results on SQLite and D1", async () => {
  const options = { model: testModel(), options: {} };
  const d1 = await d1Database(await server.take())(options);
  await compareEngines([createSqliteDatabase(options), d1], 10, unorderedInside);
});
