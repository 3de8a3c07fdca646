/**
 * What columns give on each engine.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import type { Database } from "../../src/service/database.ts";
import { createAllEngines } from "./all_engines.ts";
import { testModel } from "./fixture.ts";

/**
 * Compares the values of columns on all engines.
 *
 * @param books the only rows
 * @param results values in the order of the books' ID, by the text of the column
 * @param open gives the engines
 */
export async function assertColumnValues(
  books: readonly Row[],
  results: Readonly<Record<string, readonly unknown[]>>,
  open: (model: LinkedModel) => Promise<readonly Database[]> = createAllEngines,
): Promise<void> {
  const engines = await open(testModel());
  try {
    for (const db of engines) {
      await db.deploy();
      await db.reset(new Map([["my.Books", books]]));
      for (const [column, expected] of Object.entries(results)) {
        const tx = db.begin(new EventContext({}));
        const rows = await tx.run(parseCqlQuery(`SELECT from my.Books { ID, ${column} as n } order by ID`));
        await tx.commit();
        assert.deepEqual((rows as { n: unknown }[]).map(({ n }) => n), expected, `${db.kind}: ${column}`);
      }
    }
  } finally {
    for (const db of engines) await db.close();
  }
}
