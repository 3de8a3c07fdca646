/**
 * A project folder as tests run it.
 *
 * @module
 */

import * as compiler from "../deno/compiler.ts";
import { holdCompiler, readModelWith } from "../deno/load_model.ts";
import { assembleProject, findSources } from "../deno/load_project.ts";
import { isStored } from "../deno/stored_database.ts";
import type { Runtime } from "../fw/runtime.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { mergeDeep } from "../util/merge_deep.ts";
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
}

/**
 * The runtime of a project, which starts with its first request. Profiles are `development` and `test` unless a variable
 * names others; the log shows errors only; a SQLite file is replaced by a database in memory, unless `env` says where
 * the database is.
 *
 * @param project what is tested
 * @throws ConfigurationError when the project is wrong
 */
export function testedProject({ folder, env = {}, identities = [], modelFiles }: TestedProject): Runtime {
  const given = mergeDeep(identityEnvironment(identities), { log: { levels: { default: "error" } }, ...env });
  const find = (env: Readonly<Record<string, unknown>>) =>
    findSources(folder, {
      env,
      modelFiles,
      profiles: ["development", "test"],
      ...(identities.length > 0 ? { fetch: identityFetch(identities) } : {}),
    });
  const found = find(given);
  const sources = hasFile(found.configuration.env) && !hasFile(given)
    ? find(mergeDeep(given, IN_MEMORY))
    : found;
  // names of the client are taken apart at once, so there is nothing to wait for: the compiler comes with this module
  return assembleProject(sources, readModelWith(holdCompiler(compiler))).runtime;
}

/** Whether the database is a file, as far as this configuration says. */
function hasFile({ requires }: Readonly<Record<string, unknown>>): boolean {
  const db = isPlainObject(requires) ? requires.db : undefined;
  return isPlainObject(db) && db.kind !== "postgres" && isStored(db);
}
