/**
 * Opening the primary database.
 *
 * @module
 */

import { databaseScheme } from "../config/defaults.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { createMemoryDatabase } from "../db/memory/memory_database.ts";
import type { BinaryForms, Database, DatabaseOptions } from "../service/database.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { holdingBytes } from "../util/bytes.ts";
import { mergeDeep } from "../util/is_plain_object.ts";
import { nearestName } from "../util/nearest_name.ts";
import { observedDatabase } from "./observed_parts.ts";
import type { Kinds } from "./kinds.ts";
import type { Environment } from "../config/environment.ts";
import type { LinkedModel } from "../model/linked.ts";
import { persistentEntities } from "../db/ddl/render_ddl.ts";
import { viewQuery } from "../model/runtime_view.ts";

/** What of a runtime is needed. */
interface DatabaseHost {
  readonly env: Pick<Environment, "requires"> & { readonly features?: unknown };
  readonly model: LinkedModel;
  readonly modelOf?: DatabaseOptions["modelOf"];
  readonly kinds: Kinds;
  readonly existing?: DatabaseOptions["existing"];
  readonly limits?: DatabaseOptions["limits"];
  /** Sees what statements do. */
  readonly telemetry?: Telemetry;
  /** Is told of each statement. */
  readonly watch?: DatabaseOptions["watch"];
  /** Takes what the engine cannot hold. */
  readonly warn?: (text: string) => void;
}

/** Opens the engine of a tenant; without multitenancy there is one for `undefined`. */
export type OpenDatabase = (tenant: string | undefined) => Promise<Database>;

/** Bytes where there is no Node.js. */
const OF_THE_WEB: BinaryForms = {
  bytes: (bytes) => bytes,
  stream: (bytes) => holdingBytes(ReadableStream.from([bytes]), bytes),
};

/** Whether code that runs queries gets bytes as bytes. */
export function givesBytes(env: Pick<Environment, "requires">): boolean {
  const { features } = env as { readonly features?: { readonly base64_binaries?: boolean } }; // as the schema has it
  return features?.base64_binaries === false;
}

/**
 * Loads the kind of engine that `requires.db` names.
 *
 * @param host model and configuration
 * @returns opens one
 * @throws ConfigurationError for a kind that the table of kinds does not hold, and for a URL that is none of its kind
 */
export async function databaseOpener(host: DatabaseHost): Promise<OpenDatabase> {
  const { env, model, modelOf, existing, limits, kinds, watch } = host;
  const options = env.requires.db ?? {};
  const { ieee754compatible: exactNumbers } = (env.features ?? {}) as {
    readonly ieee754compatible?: boolean;
  };
  const binaries = givesBytes(env) ? kinds.binaries ?? OF_THE_WEB : undefined;
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
  if (options.replicas !== undefined && kind !== "postgres") {
    throw new ConfigurationError(
      `"fw.requires.db.replicas" are replicas of PostgreSQL, but "fw.requires.db.kind" is "${kind}"`,
    );
  }
  const ownOf = tenantEntries(options);
  const create = await load();
  let { warn } = host;
  const shared = new Map<string, unknown>();
  return async (tenant) => {
    const own = ownOf(tenant);
    const database = await create({
      ...{ model, modelOf, existing, limits, exactNumbers, binaries, watch, warn: host.warn },
      options: own ? mergeDeep(own.credentials ? withoutReplicas(options) : options, own) : options,
      // a database that is configured for a tenant is nobody else's
      ...(tenant === undefined || own?.credentials ? {} : { tenant }),
      ...(tenant === undefined ? {} : { shared }),
    });
    warnOfDecimals(database, model, warn);
    warn = undefined; // the engines of all tenants hold the same
    return host.telemetry ? observedDatabase(database, host.telemetry) : database;
  };
}

/**
 * What the configuration says of the databases of single tenants: `fw.requires.db.tenants`.
 *
 * @throws ConfigurationError where two of them would share one
 */
function tenantEntries(
  { tenants = {}, credentials }: Readonly<Record<string, unknown>>,
): (tenant: string | undefined) => Readonly<Record<string, unknown>> | undefined {
  const entries = new Map(
    Object.entries(tenants as Readonly<Record<string, Readonly<Record<string, unknown>>>>),
  );
  const owners = new Map([[JSON.stringify(credentials), "all others"]]);
  for (const [tenant, entry] of entries) {
    if (entry.credentials === undefined) continue;
    const key = JSON.stringify(entry.credentials);
    const other = owners.get(key);
    if (other !== undefined) {
      throw new ConfigurationError(
        `"fw.requires.db.tenants.${tenant}.credentials" are those of ${other}: tenants must not share a database`,
      );
    }
    owners.set(key, `tenant "${tenant}"`);
  }
  return (tenant) => tenant === undefined ? undefined : entries.get(tenant);
}

/** Options without the replicas of another database: a tenant with a database of its own does not share them. */
function withoutReplicas(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...options, replicas: undefined };
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

/**
 * The elements of tables that are declared with more digits than columns hold.
 *
 * @param model the model
 * @param digits how many columns hold
 * @returns names like `shop.Orders.total`
 */
function wideDecimals(model: LinkedModel, digits: number): readonly string[] {
  const tables = persistentEntities(model).filter((entity) => viewQuery(entity) === undefined);
  return tables.flatMap((entity) =>
    [...entity.$flat.values()]
      .filter(({ element: { $type } }) => $type.builtin === "cds.Decimal" && ($type.precision ?? 0) > digits)
      .map(({ name }) => `${entity.name}.${name}`)
  );
}
