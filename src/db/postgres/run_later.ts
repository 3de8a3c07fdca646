import type { DeployOptions } from "../../service/database.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { type LaterStep, statementsOf } from "../evolution/diff_schemas.ts";
import { quote } from "../render/render_query.ts";
import type { Pool } from "./pool.ts";
import type { StatementResult } from "./statement_query.ts";

/** An index that was not completed, as its server or its client went away, is there and does nothing. */
const UNFINISHED = "SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid " +
  "WHERE c.relname = $1 AND c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid";

/**
 * How long a deployment waits for those that use what it changes: whoever comes next waits behind it. What waits for others
 * without keeping anybody has no bound.
 */
export const LOCK_SECONDS = 60;

/** Steps, and who is told of them. */
export interface LaterSteps extends Pick<DeployOptions, "onStep"> {
  readonly steps: readonly LaterStep[];
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
  let step = before;
  const total = before + steps.flatMap(statementsOf).length;
  try {
    await run("SET statement_timeout = 0");
    for (const one of steps) {
      const { rows } = await run(UNFINISHED, [one.name]);
      if (rows.length > 0) await run(`DROP INDEX CONCURRENTLY IF EXISTS ${quote(one.name)}`);
      for (const sql of statementsOf(one)) {
        onStep?.(sql, ++step, total);
        try {
          await run(`SET lock_timeout = ${sql.startsWith("ALTER") ? `'${LOCK_SECONDS}s'` : 0}`);
          await run(sql);
        } catch (cause) {
          const { message } = cause as Error;
          throw new ConfigurationError(
            `The tables are changed, but a last step failed (${message}), which the next deployment repeats: ${sql}`,
            {},
            { cause },
          );
        }
      }
      done(one.name);
    }
  } finally {
    // the connection may be what has failed
    for (const name of ["statement_timeout", "lock_timeout"]) await run(`RESET ${name}`).catch(() => {});
    session.release();
  }
}
