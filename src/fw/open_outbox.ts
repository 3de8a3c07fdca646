/**
 * The outbox of a runtime.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { Outbox } from "../messaging/outbox/outbox.ts";
import { type GiveUpRules, withQueueTables } from "../messaging/outbox/queue_model.ts";
import type { Csn } from "../model/csn.ts";
import { CLIENT_TABLES } from "../odata/kept_for_clients.ts";
import type { DatabaseService } from "../service/database_service.ts";
import type { Environment } from "../config/environment.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { isMultitenant } from "./tenant_databases.ts";

/**
 * The model of a runtime: with the tables of outbox, inbox, and of what clients come back for, if it has a database.
 *
 * @param model the model of the application
 * @param env the configuration
 */
export function modelWithQueues(model: Csn, env: Environment): Csn {
  if (!env.requires.db || env.outbox === false) return model;
  return withQueueTables(model, CLIENT_TABLES);
}

/** What stands below `fw.outbox`. */
interface OutboxSettings extends Partial<GiveUpRules> {
  readonly leaseMs?: number;
}

/**
 * Creates the outbox; it begins to work when it is started.
 *
 * @param runtime the runtime
 * @param db its database
 * @returns undefined if it is switched off, or if the database cannot keep one and nobody asked for it
 * @throws ConfigurationError if the configuration asks for an outbox that the database cannot keep
 */
export async function openOutbox(runtime: RuntimeParts, db: DatabaseService): Promise<Outbox | undefined> {
  const { env, name: application } = runtime;
  const { outbox } = env as { readonly outbox?: boolean | OutboxSettings };
  if (outbox === false) return undefined;
  const multitenancy = isMultitenant(env);
  const { kind, claim } = multitenancy ? { kind: "", claim: true } : await db.database(undefined);
  if (!claim) {
    if (outbox === undefined) return undefined;
    throw new ConfigurationError(`The database "${kind}" keeps no outbox: set "fw.outbox" to false`);
  }
  const { leaseMs, ...rules }: OutboxSettings = typeof outbox === "object" ? outbox : {};
  const queue = new Outbox({
    ...{ db, multitenancy, application, rules, leaseMs },
    storedMessagesMs: runtime.limits.storedMessagesMs,
    log: runtime.log("messaging"),
    connect: (name) => runtime.connect(name),
  });
  return queue;
}
