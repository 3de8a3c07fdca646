/**
 * What is in tables after a write.
 *
 * @module
 */

import { EventContext } from "../../../src/context/event_context.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import type { Query, Row } from "../../../src/cqn/cqn.ts";
import { runWrite, type WriteQuery } from "../../../src/db/write/run_write.ts";
import type { StatementRunner } from "../../../src/db/write/statement_runner.ts";
import type { DatabaseTransaction } from "../../../src/service/database.ts";
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

/** A transaction whose statements take time, as those of databases in other processes do. */
function slowly(tx: DatabaseTransaction & StatementRunner): StatementRunner {
  const pause = () => new Promise((resolve) => setTimeout(resolve));
  return {
    model: tx.model,
    context: tx.context,
    mark: () => tx.mark(),
    change: async (statement, params) => {
      await pause();
      return await tx.change(statement, params);
    },
    select: async (query, params) => {
      await pause();
      return await tx.select(query, params);
    },
  };
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
  const tx = database.begin(new EventContext()) as DatabaseTransaction & StatementRunner; // as those of engines are
  const slow = slowly(tx);
  const run = async (query: Query) =>
    "SELECT" in query ? await tx.run(query) : await runWrite(slow, query as WriteQuery, {});
  for (const [into, entries] of Object.entries(rows)) {
    await tx.run({ INSERT: { into, entries: [...entries] } });
  }
  await use({
    run,
    rows: async (query) =>
      (await run(parseCqlQuery(query)) as Row[]).map((row) => Object.values(row).map(String).join(" ")),
  });
  await tx.rollback();
  await database.close();
}
