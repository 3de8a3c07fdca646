/**
 * Deployment of a model to a database that speaks SQL.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { DatabaseOptions, DeployOptions, DeployReport } from "../service/database.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { type DeployDialect, type DeployedTables, deployTables } from "./evolution/deploy_tables.ts";
import type { TableCatalog } from "./evolution/table_catalog.ts";

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
