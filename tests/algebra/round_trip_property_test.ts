/**
 * Random queries in CQL mean the same when they have become trees and CQN again.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { fromQuery } from "../../src/algebra/from_cqn.ts";
import { toQuery } from "../../src/algebra/to_cqn.ts";
import { EventContext } from "../../src/context/event_context.ts";
import type { SelectQuery, SetQuery } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Database } from "../../src/service/database.ts";
import { testModel } from "../db/fixture.ts";
import { drawFrom, RandomCql } from "../db/random_cql.ts";
import { propertyRuns } from "../property_runs.ts";

const QUERIES_PER_ROWS = 20;
/** One query in so many is run as well. */
const RUN_EACH = 10;

/** Results, or what a refusal says. */
async function outcome(db: Database, query: SelectQuery | SetQuery): Promise<unknown> {
  const tx = db.begin(new EventContext({ locale: "de", user: { id: "alice" } }));
  try {
    return JSON.parse(JSON.stringify(await tx.run(query)));
  } catch (error) {
    return String(error);
  } finally {
    await tx.rollback();
  }
}

Deno.test("random queries are the same tree, and give the same rows, as trees made CQN again", async () => {
  const db = createSqliteDatabase({ model: testModel(), options: {} });
  await db.deploy();
  const property = fc.asyncProperty(fc.integer(), async (seed) => {
    const random = new RandomCql(drawFrom(seed));
    await db.reset(structuredClone(random.rows()));
    for (let count = 0; count < QUERIES_PER_ROWS; count++) {
      const text = random.query();
      const query = parseCqlQuery(text);
      const tree = fromQuery(query);
      const again = toQuery(tree);
      assert.deepEqual(fromQuery(again), tree, text);
      if (count % RUN_EACH === 0) assert.deepEqual(await outcome(db, again), await outcome(db, query), text);
    }
  });
  try {
    await fc.assert(property, { ...propertyRuns(40, 19), endOnFailure: true });
  } finally {
    await db.close();
  }
});
