/**
 * The memory engine: an evaluator over collections in plain JavaScript, the default at the edge (design 7).
 *
 * Queries are lowered by the same passes as for SQL, and then compiled to functions instead of text. It has no SQL text
 * (`sql`), writes no JSON itself (`readJson`), has no window functions, right and full joins, and does not check foreign
 * keys; values are compared as SQLite does.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { Database, DatabaseOptions } from "../../service/database.ts";
import { EngineDatabase } from "../engine/engine_database.ts";
import { fillTables } from "../fill_tables.ts";
import { prepareSelect } from "../read/compile_select.ts";
import { CompiledQueries, queriesByModel } from "../read/compiled_queries.ts";
import { WriteLock } from "../write_lock.ts";
import { DEFAULT_LIMITS } from "../../config/limits.ts";
import { boundTexts } from "../passes/bound_texts.ts";
import { Catalog } from "./catalog.ts";
import { compileQuery } from "./compile_query.ts";
import { formedParameters } from "./write_rows.ts";
import { MemoryDriver, type MemoryHost } from "./memory_driver.ts";
import { Snapshot } from "./tables.ts";

const LOCK_TIMEOUT_MS = 15_000;

/**
 * Creates a memory database.
 *
 * @param options the model
 */
export function createMemoryDatabase(options: DatabaseOptions): Database {
  const { model } = options;
  const { answerBytes, computedLength } = options.limits ?? DEFAULT_LIMITS;
  const catalog = new Catalog(model);
  const host: MemoryHost = {
    catalog,
    statementMs: statementMs(options),
    answerBytes,
    lock: new WriteLock(LOCK_TIMEOUT_MS),
    committed: new Snapshot(catalog, new Map()),
  };
  return new EngineDatabase({
    kind: "memory",
    needsNoContext: true,
    isVolatile: true,
    model,
    queries: queriesByModel(options, (model) =>
      new CompiledQueries((query, { localized }) => {
        const { query: lowered, ...prepared } = prepareSelect(query, {
          ...{ model, localized, payload: false, binaries: options.binaries },
        });
        const readers = [largeIntegersAsText, ...prepared.readers];
        return {
          ...prepared,
          readers,
          evaluate: compileQuery(boundTexts(lowered, computedLength)),
          formed: formedParameters(lowered),
        };
      })),
    open: () => new MemoryDriver(host),
    deploy: async (inTransaction, data = new Map(), { dryRun } = {}) => {
      const filled = dryRun ? [] : await inTransaction((tx) => fillTables(tx, data));
      return { statements: [], losses: [], obstacles: [], filled };
    },
    turn: (driver) => driver.begin(),
  });
}

/** Handlers get integers that a number cannot hold as text, whatever they come from. */
function largeIntegersAsText(row: Row): void {
  for (const name in row) if (typeof row[name] === "bigint") row[name] = String(row[name]);
}

/** How long a statement of an engine that runs in the process itself may take. */
function statementMs({ limits }: Pick<DatabaseOptions, "limits">): number {
  return (limits ?? DEFAULT_LIMITS).statementMs;
}
