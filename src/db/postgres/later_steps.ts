/**
 * Steps of a deployment behind its transaction: nobody waits for them.
 *
 * @module
 */

import type { DeployOptions } from "../../service/database.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LaterStatement } from "../evolution/diff_schemas.ts";
import { quote } from "../render/render_query.ts";
import type { Pool } from "./pool.ts";
import type { StatementResult } from "./statement_query.ts";

/** An index that was not completed, as its server or its client went away, is there and does nothing. */
const UNFINISHED = "SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid " +
  "WHERE c.relname = $1 AND c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid";

/** Steps, and who is told of them. */
export interface LaterSteps extends Pick<DeployOptions, "onStep"> {
  readonly steps: readonly LaterStatement[];
  /** How many steps came before, in the transaction. */
  readonly before: number;
}

/**
 * Runs the steps on one connection, without a transaction and without a bound of their time.
 *
 * @param pool connections
 * @param later the steps
 * @param done is told of each that is done
 * @throws ConfigurationError for the first that fails
 */
export async function runLater(
  pool: Pool,
  { steps, before, onStep }: LaterSteps,
  done: (name: string) => void,
): Promise<void> {
  const { session, open } = await pool.reserve();
  const run = (sql: string, values: readonly string[] = []): Promise<StatementResult> =>
    session.runAlone(open, { sql, values }, (_statement, error) => Promise.reject(error));
  try {
    await run("SET statement_timeout = 0");
    for (const [index, { name, sql }] of steps.entries()) {
      onStep?.(sql, before + index + 1, before + steps.length);
      try {
        const { rows } = await run(UNFINISHED, [name]);
        if (rows.length > 0) await run(`DROP INDEX CONCURRENTLY IF EXISTS ${quote(name)}`);
        await run(sql);
      } catch (cause) {
        const { message } = cause as Error;
        throw new ConfigurationError(
          `The tables are changed, but a last step failed (${message}), which the next deployment repeats: ${sql}`,
          {},
          { cause },
        );
      }
      done(name);
    }
    await run("RESET statement_timeout");
  } finally {
    session.release();
  }
}
