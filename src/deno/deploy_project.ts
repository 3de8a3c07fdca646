/**
 * Bringing the database of a project to what its model says.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { databaseOpener } from "../fw/open_database.ts";
import type { Database, DeployOptions, DeployReport, PastDeployment } from "../service/database.ts";
import { fileIn } from "./deno_kinds.ts";
import { loadData } from "./load_data.ts";
import { loadProject, type Project } from "./load_project.ts";
import { namedTenant } from "./project_tenants.ts";
import { projectRoot } from "./project_root.ts";
import { isStored } from "../fw/stored_database.ts";

/** What is deployed where. */
export interface DeployTarget extends DeployOptions {
  /** The database instead of the configured one: `sqlite:<file>` or `postgres://…`. */
  readonly to?: string;
  /** Whose database, with multitenancy. */
  readonly tenant?: string;
}

/**
 * Deploys the model of a project, and its initial data into empty tables.
 *
 * @param folder root of the project
 * @param target where, and what may get lost
 * @returns what was done, or would be
 * @throws ConfigurationError without a database that outlives the process, and where rows would lose something
 */
export async function deployProject(folder: string, target: DeployTarget = {}): Promise<DeployReport> {
  const { to, tenant, ...options } = target;
  return await withDatabase(folder, { to, tenant, mayMake: !options.dryRun }, async (database, project) => {
    const { runtime, dataFiles } = project;
    const { remarks } = runtime.env;
    const data = loadData(dataFiles, runtime.deployedModel, { remarks });
    remarks.say(runtime.log("config"));
    return await database.deploy(data, options);
  });
}

/**
 * The deployments that the database of a project has seen, the latest first.
 *
 * @param folder root of the project
 * @param target which database
 * @throws ConfigurationError without a database that outlives the process
 */
export async function deploymentsOf(
  folder: string,
  { to, tenant }: Pick<DeployTarget, "to" | "tenant"> = {},
): Promise<readonly PastDeployment[]> {
  return await withDatabase(
    folder,
    { to, tenant, mayMake: false },
    (database) => database.deployments?.() ?? Promise.resolve([]),
  );
}

/** Which database of a project is opened, and whether it may be made. */
export interface DatabaseChoice extends Pick<DeployTarget, "to" | "tenant"> {
  /** Without it, a file that is not there is an empty database, which nothing is written to. */
  readonly mayMake: boolean;
}

/**
 * Opens the database of a project; its runtime does not start.
 *
 * @param folder root of the project
 * @param choice which one
 * @param run the work
 * @throws ConfigurationError without a database that outlives the process
 */
export async function withDatabase<T>(
  folder: string,
  { to, tenant, mayMake }: DatabaseChoice,
  run: (database: Database, project: Project) => Promise<T>,
): Promise<T> {
  const env = to === undefined ? {} : { requires: { db: databaseOf(to) } };
  const project = await loadProject(folder, { env });
  const { runtime, folder: root } = project;
  const { db } = runtime.env.requires;
  if (!db || !isStored(db)) {
    throw new ConfigurationError(
      `The project in "${folder}" names no database that outlives the process: configure "fw.requires.db", ` +
        'or name one by --to, like "sqlite:db.sqlite" or "postgres://user@host/database"',
    );
  }
  const owner = namedTenant(runtime.env, tenant);
  const { deployedModel: model, kinds } = runtime;
  const warn = (text: string) => runtime.log("db").warn(text);
  const requires = { db: mayMake ? db : await withoutNewFile(db, root, owner) };
  const open = await databaseOpener({ env: { requires }, model, kinds, warn });
  const database = await open(owner);
  try {
    return await run(database, project);
  } finally {
    await database.close();
  }
}

type DatabaseEntry = Readonly<Record<string, unknown>>;

/** A file that is not there is an empty database, which nothing is written to. */
async function withoutNewFile(
  db: DatabaseEntry,
  root: string,
  owner: string | undefined,
): Promise<DatabaseEntry> {
  if (db.kind === "postgres") return db;
  const { databaseFile } = await import("../db/sqlite/sqlite_database.ts");
  const file = fileIn(root, databaseFile(db, owner));
  const isThere = await Deno.stat(file).then(() => true, () => false);
  return isThere ? db : { ...db, credentials: { url: ":memory:" } };
}

function databaseOf(to: string): DatabaseEntry {
  if (/^postgres(?:ql)?:\/\//.test(to)) return { kind: "postgres", credentials: { url: to } };
  const file = /^sqlite:(.+)$/s.exec(to)?.[1];
  if (file !== undefined) {
    const url = file === ":memory:" ? file : projectRoot(file);
    return { kind: "sqlite", credentials: { url } };
  }
  throw new ConfigurationError(`Expected "sqlite:<file>" or "postgres://…" after --to, but found "${to}"`);
}
