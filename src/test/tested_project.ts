/**
 * A project folder as tests run it.
 *
 * @module
 */

import * as compiler from "../deno/compiler.ts";
import { holdCompiler, readModelWith } from "../deno/load_model.ts";
import { assembleProject, findSources, plugIn, type ProjectSources } from "../deno/load_project.ts";
import { isStored } from "../fw/stored_database.ts";
import { changeable } from "../config/changeable.ts";
import type { Environment } from "../config/environment.ts";
import { projectPlace } from "../fw/project_place.ts";
import type { Runtime } from "../fw/runtime.ts";
import { isPlainObject, mergeDeep } from "../util/is_plain_object.ts";
import type { Identity } from "./identity/identity.ts";
import { identityEnvironment, identityFetch } from "./identity/identity_environment.ts";

/** Files of databases hold rows of somebody, which tests would change and `data.reset()` would delete. */
const IN_MEMORY = {
  requires: { db: { kind: "sqlite", credentials: { url: ":memory:", database: ":memory:" } } },
};

/** What is tested. */
export interface TestedProject {
  /** Root of the project. */
  readonly folder: string;
  /** Configuration that wins over all other sources. */
  readonly env?: Readonly<Record<string, unknown>>;
  /** The identity services that users come from. */
  readonly identities?: readonly Identity[];
  /** Paths of the model files; default: those of the project. */
  readonly modelFiles?: readonly string[];
  /** The whole configuration, as `testedEnvironment` gives it. */
  readonly environment?: Environment;
}

/**
 * The runtime of a project, which starts with its first request. Profiles are `development` and `test` unless a variable
 * names others; the log shows errors only; a SQLite file is replaced by a database in memory, unless `env` says where
 * the database is.
 *
 * @param project what is tested
 * @throws ConfigurationError when the project is wrong
 */
export function testedProject(project: TestedProject): Runtime {
  const sources = sourcesOf(project);
  // names of the client are taken apart at once, so there is nothing to wait for: the compiler comes with this module
  return assembleProject(sources, readModelWith(holdCompiler(compiler))).runtime;
}

/**
 * Loads the plugins of a project, which its runtime has then.
 *
 * @param project what is tested
 * @throws ConfigurationError when the project is wrong
 */
export async function plugInTested(project: TestedProject): Promise<void> {
  await plugIn(sourcesOf(project));
}

/**
 * The configuration of a project, which tests may change before the project starts with it, and while it runs.
 *
 * @param folder root of the project
 * @throws ConfigurationError when the configuration is wrong
 */
export function testedEnvironment(folder: string): Environment {
  const { env } = sourcesOf({ folder, modelFiles: [] }).configuration; // which has no need of a model
  return changeable(
    env,
    (name, at) =>
      name === "fw" || name === "cds" || typeof name !== "string"
        ? testedEnvironment(at ?? projectPlace.root ?? folder)
        : env.for(name),
  );
}

function sourcesOf(
  { folder, env = {}, identities = [], modelFiles, environment }: TestedProject,
): ProjectSources {
  const given = mergeDeep(identityEnvironment(identities), { log: { levels: { default: "error" } }, ...env });
  const find = (env: Readonly<Record<string, unknown>>) =>
    findSources(folder, {
      env,
      environment,
      modelFiles,
      profiles: ["development", "test"],
      fetch: identityFetch(identities),
    });
  const found = find(given);
  return hasFile(found.configuration.env) && !hasFile(given) ? find(mergeDeep(given, IN_MEMORY)) : found;
}

/** Whether the database is a file, as far as this configuration says. */
function hasFile({ requires }: Readonly<Record<string, unknown>>): boolean {
  const db = isPlainObject(requires) ? requires.db : undefined;
  return isPlainObject(db) && db.kind !== "postgres" && isStored(db);
}
