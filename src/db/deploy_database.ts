/**
 * Deployment of a model to a database that speaks SQL.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { DatabaseOptions, DeployOptions, DeployReport, ReviewedPlan } from "../service/database.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { DEPLOYED, DEPLOYMENTS, type TableCatalog } from "./evolution/table_catalog.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { contentTag } from "../util/content_tag.ts";
import { type LaterStep, statementsOf } from "./evolution/diff_schemas.ts";
import type { TableOptions } from "./ddl/table_ddl.ts";
import { historyStatements } from "./evolution/deployment_history.ts";
import {
  type DeploymentOptions,
  type DeploymentPlan,
  planDeployment,
  type PlannedStatement,
} from "./evolution/plan_deployment.ts";

/** What a database is to become. */
export type DeployTarget = DeployDialect & { readonly model: LinkedModel };

/**
 * What a database is to become by its configuration.
 *
 * @param given the model; `assert_integrity: "db"`: the database checks foreign keys
 * @param dialect the SQL of the database
 */
export function deployTarget(
  { model, options }: Pick<DatabaseOptions, "model" | "options">,
  dialect: Pick<DeployDialect, "dialect" | "statements">,
): DeployTarget {
  return { ...dialect, model, foreignKeys: options.assert_integrity === "db" };
}

/** The steps of a deployment. */
export interface Deployment {
  /** The database. */
  readonly catalog: TableCatalog;
  /** What it is to become. */
  readonly target: DeployTarget;
  /** What else is done once tables and views are there. */
  readonly changed?: () => MaybePromise<unknown>;
  /** Fills empty tables; gives the names of their entities. */
  readonly fill: (data: ReadonlyMap<string, readonly Row[]>) => Promise<readonly string[]>;
}

/**
 * Brings tables and views to what a model says, then fills tables that are empty.
 *
 * @param deployment the steps
 * @param data initial rows by entity name
 * @param options what may get lost; whether only to tell
 * @throws ConfigurationError where rows would lose something, or cannot be brought to what the model says
 */
export async function deployDatabase(
  { catalog, target, changed, fill }: Deployment,
  data: ReadonlyMap<string, readonly Row[]> = new Map(),
  options?: DeployOptions,
): Promise<DeployReport & Pick<DeployedTables, "later">> {
  const changes = await deployTables(catalog, target, options);
  if (options?.dryRun) return { ...changes, filled: [] };
  await changed?.();
  return { ...changes, filled: await fill(data) };
}

/** What depends on the database. */
type DeployDialect = TableOptions & Pick<DeploymentOptions, "statements">;

/** What was done, and what is to be done behind the transaction. */
interface DeployedTables extends Omit<DeployReport, "filled"> {
  readonly later: readonly LaterStep[];
}

/**
 * Creates what is missing and changes what differs, as long as no row loses anything; what only the database has stays.
 *
 * @param catalog the database, inside a transaction
 * @param target the linked model, and what depends on the database
 * @param options what may get lost; whether only to tell
 * @throws ConfigurationError where rows would lose something, or cannot be brought to what the model says
 */
async function deployTables(
  catalog: TableCatalog,
  { model, ...dialect }: DeployDialect & { readonly model: LinkedModel },
  { mode = "keep", dryRun = false, online = false, expected, onStep }: DeployOptions = {},
): Promise<DeployedTables> {
  const surplus = mode === "keep" ? "keep" : "drop";
  const state = dryRun || expected ? await stateOf(catalog) : undefined;
  const plan = await planDeployment(catalog, model, { ...dialect, surplus, dryRun, online });
  const { losses, obstacles, later } = plan;
  const now = plan.statements.filter(({ values }) => !values);
  const statements = [...now.map(({ sql }) => sql), ...later.flatMap(statementsOf)];
  if (!dryRun) {
    if (expected) assertReviewed(expected, { state, statements, losses });
    assertPossible(plan, mode);
    let step = 0;
    for (const statement of plan.statements) {
      if (!statement.values) onStep?.(statement.sql, ++step, statements.length);
      await run(catalog, statement);
    }
    if (statements.length > 0) {
      const done = { at: new Date().toISOString(), statements, losses };
      for (const statement of historyStatements(done)) await run(catalog, statement);
    }
  }
  return { losses, obstacles, statements, later, ...state !== undefined && { state } };
}

/** Changes with all that a deployment looks at but rows. */
async function stateOf(catalog: TableCatalog): Promise<string> {
  const tables = await Promise.all(
    (await catalog.tables()).map(async (table) => ({
      ...table,
      columns: table.isView
        ? []
        : (await catalog.columns(table.name)).map((one) => JSON.stringify(one)).sort(),
    })),
  );
  const known = tables.filter(({ name }) => name !== DEPLOYMENTS).sort((a, b) => a.name < b.name ? -1 : 1);
  const deployed = known.some(({ name }) => name === DEPLOYED) ? await catalog.deployed() : undefined;
  return contentTag(JSON.stringify([known, deployed]));
}

function assertReviewed(
  expected: ReviewedPlan,
  { state, statements, losses }: Partial<ReviewedPlan>,
): void {
  if (expected.state !== state) {
    throw new ConfigurationError(
      "The database has changed since the plan was made: make a new one and review it",
    );
  }
  const isSame =
    JSON.stringify([expected.statements, expected.losses]) === JSON.stringify([statements, losses]);
  if (isSame) return;
  throw new ConfigurationError(
    "The plan is not what would be done now: the model or the rows have changed since, or the file; make a new one and review it",
  );
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
