/**
 * Opening the primary database.
 *
 * @module
 */

import { databaseScheme } from "../config/database_kind.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { createMemoryDatabase } from "../db/memory/memory_database.ts";
import { wideDecimals } from "../db/wide_decimals.ts";
import type { Database, DatabaseOptions } from "../service/database.ts";
import { nearestName } from "../util/nearest_name.ts";
import type { Kinds } from "./kinds.ts";
import type { Environment } from "../config/environment.ts";
import type { LinkedModel } from "../model/linked.ts";

/** What of a runtime is needed. */
interface DatabaseHost {
  readonly env: Pick<Environment, "requires">;
  readonly model: LinkedModel;
  readonly modelOf?: DatabaseOptions["modelOf"];
  readonly kinds: Kinds;
  readonly existing?: DatabaseOptions["existing"];
  readonly limits?: DatabaseOptions["limits"];
  /** Takes what the engine cannot hold. */
  readonly warn?: (text: string) => void;
}

/** Opens the engine of a tenant; without multitenancy there is one for `undefined`. */
export type OpenDatabase = (tenant: string | undefined) => Promise<Database>;

/**
 * Loads the kind of engine that `requires.db` names.
 *
 * @param host model and configuration
 * @returns opens one
 * @throws ConfigurationError for a kind that the table of kinds does not hold, and for a URL that is none of its kind
 */
export async function databaseOpener(host: DatabaseHost): Promise<OpenDatabase> {
  const { env, model, modelOf, existing, limits, kinds } = host;
  const options = env.requires.db ?? {};
  const databases: NonNullable<Kinds["databases"]> = {
    memory: () => createMemoryDatabase,
    ...kinds.databases,
  };
  const kind = typeof options.kind === "string" ? options.kind : kinds.defaultDatabase ?? "memory";
  const load = databases[kind];
  if (!load) {
    const nearest = nearestName(kind, Object.keys(databases));
    const hint = nearest ? `; did you mean "${nearest}"?` : "";
    const known = Object.keys(databases).join(", ");
    throw new ConfigurationError(
      `"fw.requires.db.kind" is "${kind}", but only ${known} can be used here${hint}`,
    );
  }
  assertFile(kind, options);
  const create = await load();
  let { warn } = host;
  return async (tenant) => {
    const database = await create({
      ...{ model, modelOf, options, existing, limits },
      ...(tenant === undefined ? {} : { tenant }),
    });
    warnOfDecimals(database, model, warn);
    warn = undefined; // the engines of all tenants hold the same
    return database;
  };
}

/** SQLite would take the URL of another database for the name of a file. */
function assertFile(kind: string, options: Readonly<Record<string, unknown>>): void {
  const scheme = databaseScheme(options);
  if (kind !== "sqlite" || scheme === undefined || scheme === "file") return;
  throw new ConfigurationError(
    `"fw.requires.db.credentials.url" begins with "${scheme}://", but "fw.requires.db.kind" is "sqlite", which expects ` +
      "the name of a file",
  );
}

/** How many elements a warning names. */
const NAMED = 5;

function warnOfDecimals(
  { decimalDigits, kind }: Database,
  model: LinkedModel,
  warn: DatabaseHost["warn"],
): void {
  if (decimalDigits === undefined || !warn) return;
  const names = wideDecimals(model, decimalDigits);
  if (names.length === 0) return;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  warn(
    `Decimals with more than ${decimalDigits} digits are rounded by ${kind}: ${
      names.slice(0, NAMED).join(", ")
    }${more}`,
  );
}
