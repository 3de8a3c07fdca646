/**
 * What deployments have done, as the database itself keeps it.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { PastDeployment } from "../../service/database.ts";
import type { PlannedStatement } from "./plan_deployment.ts";
import { DEPLOYMENTS } from "./table_catalog.ts";

/** Deployments that are kept. */
const KEPT = 200;

/** The query for the deployments of the past. */
export const HISTORY_QUERY =
  `SELECT "at", "statements", "losses" FROM "${DEPLOYMENTS}" ORDER BY "at" DESC LIMIT ${KEPT}`;

/** The statements that note a deployment. */
export function historyStatements({ at, statements, losses }: PastDeployment): readonly PlannedStatement[] {
  const values = [at, JSON.stringify(statements), JSON.stringify(losses)];
  return [
    // values tell statements of our own from those of the deployment
    {
      sql: `CREATE TABLE IF NOT EXISTS "${DEPLOYMENTS}" ("at" TEXT, "statements" TEXT, "losses" TEXT)`,
      values: [],
    },
    { sql: `INSERT INTO "${DEPLOYMENTS}" ("at", "statements", "losses") VALUES (?, ?, ?)`, values },
    {
      sql: `DELETE FROM "${DEPLOYMENTS}" WHERE "at" NOT IN ` +
        `(SELECT "at" FROM "${DEPLOYMENTS}" ORDER BY "at" DESC LIMIT ${KEPT})`,
      values: [],
    },
  ];
}

/** What the query gives. */
export function pastDeployments(rows: readonly Row[]): readonly PastDeployment[] {
  return rows.map(({ at, statements, losses }) => ({
    at: String(at),
    statements: JSON.parse(String(statements)),
    losses: JSON.parse(String(losses)),
  }));
}
