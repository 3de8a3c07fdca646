/**
 * What is in tables after a write.
 *
 * @module
 */

import { EventContext } from "../../../src/context/event_context.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import type { Query, Row } from "../../../src/cqn/cqn.ts";
import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";

/** Writes, and tells what is there then. */
export interface Writing {
  /** Runs a query. */
  run(query: Query): Promise<unknown>;
  /** The rows of a query as texts. */
  rows(query: string): Promise<string[]>;
}

/**
 * Runs queries on an empty database in memory.
 *
 * @param cdl its model
 * @param rows what is in it by entities
 * @param use what to do with it
 */
export async function writing(
  cdl: string,
  rows: Readonly<Record<string, readonly Row[]>>,
  use: (writing: Writing) => Promise<void>,
): Promise<void> {
  const database = await createMemoryDatabase({ model: linkModel(parseCdl(cdl)), options: {} });
  await database.deploy(new Map());
  const tx = database.begin(new EventContext());
  const run = async (query: Query) => await tx.run(query);
  for (const [into, entries] of Object.entries(rows)) await run({ INSERT: { into, entries: [...entries] } });
  await use({
    run,
    rows: async (query) =>
      (await run(parseCqlQuery(query)) as Row[]).map((row) => Object.values(row).map(String).join(" ")),
  });
  await tx.rollback();
  await database.close();
}
