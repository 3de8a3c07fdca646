/**
 * Brings the tables and views of a database to what a model wants.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { DeployOptions, DeployReport } from "../../service/database.ts";
import type { TableOptions } from "../ddl/table_ddl.ts";
import {
  type DeploymentOptions,
  type DeploymentPlan,
  planDeployment,
  type PlannedStatement,
} from "./plan_deployment.ts";
import type { TableCatalog } from "./table_catalog.ts";

/** What depends on the database. */
export type DeployDialect = TableOptions & Pick<DeploymentOptions, "statements">;

/**
 * Creates what is missing and changes what differs, as long as no row loses anything; what only the database has stays.
 *
 * @param catalog the database, inside a transaction
 * @param target the linked model, and what depends on the database
 * @param options what may get lost; whether only to tell
 * @throws ConfigurationError where rows would lose something, or cannot be brought to what the model says
 */
export async function deployTables(
  catalog: TableCatalog,
  { model, ...dialect }: DeployDialect & { readonly model: LinkedModel },
  { mode = "keep", dryRun = false }: DeployOptions = {},
): Promise<Omit<DeployReport, "filled">> {
  const surplus = mode === "keep" ? "keep" : "drop";
  const plan = await planDeployment(catalog, model, { ...dialect, surplus, dryRun });
  if (!dryRun) {
    assertPossible(plan, mode);
    for (const statement of plan.statements) await run(catalog, statement);
  }
  const { losses, obstacles, statements } = plan;
  return { losses, obstacles, statements: statements.filter(({ values }) => !values).map(({ sql }) => sql) };
}

/** Rows that violate a new key or constraint make a statement fail. */
async function run(catalog: TableCatalog, { sql, values }: PlannedStatement): Promise<void> {
  try {
    await catalog.run(sql, values);
  } catch (cause) {
    const { message, cause: reason } = cause as Error;
    const said = reason instanceof Error ? reason.message : message;
    throw new ConfigurationError(`The database refused a change (${said}): ${sql}`, undefined, { cause });
  }
}

function assertPossible({ losses, obstacles }: DeploymentPlan, mode: DeployOptions["mode"]): void {
  if (obstacles.length > 0) {
    throw new ConfigurationError(
      `The database cannot be brought to what the model says: ${obstacles.join("; ")}. ` +
        "Give the element a default, or change the database by hand",
    );
  }
  if (losses.length > 0 && mode !== "lossy") {
    throw new ConfigurationError(
      `Bringing the database to what the model says would lose ${losses.join("; ")}. ` +
        '"fw deploy --allow-loss" does it; "@fw.renamedFrom" says that something has another name only',
    );
  }
}
