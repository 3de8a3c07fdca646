/**
 * The dead letters of a project whose server may be running.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../config/limits.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { databaseOpener } from "../fw/open_database.ts";
import { createLogging } from "../log/create_logging.ts";
import { Outbox } from "../messaging/outbox/outbox.ts";
import { withQueueTables } from "../messaging/outbox/queue_model.ts";
import { linkModel } from "../model/link_model.ts";
import { DatabaseService } from "../service/database_service.ts";
import { denoKinds, storesIn } from "./deno_kinds.ts";
import { projectRoot } from "./project_root.ts";
import { readConfiguration } from "./read_configuration.ts";
import { namedTenant } from "./named_tenant.ts";
import { isStored } from "./stored_database.ts";

/** What works with dead letters; nothing is dispatched. */
export type DeadLetters = Pick<Outbox, "deadLetters" | "revive">;

/**
 * Opens the database of a project, and nothing else of it.
 *
 * @param folder root of the project
 * @param tenant whose database, with multitenancy
 * @param run the work
 * @throws ConfigurationError when there is no database that outlives a process, or none of that tenant
 */
export async function withDeadLetters<T>(
  folder: string,
  tenant: string | undefined,
  run: (letters: DeadLetters) => Promise<T>,
): Promise<T> {
  const { env, name } = readConfiguration(folder);
  const { db: entry } = env.requires;
  if (!entry) throw new ConfigurationError(`The project in "${folder}" has no database ("fw.requires.db")`);
  const owner = namedTenant(env, tenant);
  if (!isStored(entry)) {
    throw new ConfigurationError("The database is in the memory of the server: its dead letters end with it");
  }
  const model = linkModel(withQueueTables({ definitions: {} }));
  const open = await databaseOpener({
    env,
    model,
    kinds: { ...denoKinds, ...storesIn(projectRoot(folder)) },
    existing: true,
  });
  const database = await open(owner);
  try {
    const log = createLogging({ levels: { default: "error" } });
    const host = {
      model,
      env,
      limits: DEFAULT_LIMITS,
      production: env.production,
      texts: () => undefined,
      log,
    };
    const db = new DatabaseService({ name: "db", host, database: () => database });
    const application = typeof env.name === "string" ? env.name : name;
    const connect = (service: string) => Promise.reject(new Error(`${service} is not connected`));
    return await run(
      new Outbox({ db, multitenancy: owner !== undefined, application, log: log("messaging"), connect }),
    );
  } finally {
    await database.close();
  }
}
