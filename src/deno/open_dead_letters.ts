/**
 * The dead letters of a project whose server may be running.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { DEFAULT_LIMITS } from "../config/limits.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { openChannels } from "../fw/open_channels.ts";
import { databaseOpener } from "../fw/open_database.ts";
import { isMultitenant } from "../fw/tenant_databases.ts";
import type { Kinds } from "../fw/kinds.ts";
import { createLogging } from "../log/create_logging.ts";
import type { Channel } from "../messaging/channel.ts";
import { consumerGroup } from "../messaging/consumer_group.ts";
import { GivenUpMessages, type LetterSource } from "../messaging/given_up_messages.ts";
import { Outbox } from "../messaging/outbox/outbox.ts";
import { withQueueTables } from "../messaging/outbox/queue_model.ts";
import { linkModel } from "../model/link_model.ts";
import { DatabaseService } from "../service/database_service.ts";
import { denoKinds, storesIn } from "./deno_kinds.ts";
import { projectRoot } from "./project_root.ts";
import { readConfiguration } from "./read_configuration.ts";
import { namedTenant } from "./project_tenants.ts";
import { isStored } from "../fw/stored_database.ts";

/** What is opened. */
export interface DeadLetterOptions {
  /** Whose, with multitenancy. */
  readonly tenant: string | undefined;
  /** Told where there is nothing to look at, and why. */
  readonly note: (text: string) => void;
  /** Told what cannot be looked at although there may be something. */
  readonly fail: (text: string) => void;
}

interface Project {
  readonly env: Environment;
  readonly application: string;
  readonly kinds: Kinds;
}

/**
 * Opens the database and the channels of a project, and nothing else of it: nothing is dispatched or received.
 *
 * @param folder root of the project
 * @param options whose dead letters
 * @param run the work
 * @throws ConfigurationError when there is neither a database nor a channel that outlives a process
 */
export async function withDeadLetters<T>(
  folder: string,
  options: DeadLetterOptions,
  run: (letters: GivenUpMessages) => Promise<T>,
): Promise<T> {
  const { env, name } = readConfiguration(folder);
  const application = typeof env.name === "string" ? env.name : name;
  const project = { env, application, kinds: { ...denoKinds, ...storesIn(projectRoot(folder)) } };
  const tenant = namedTenant(env, options.tenant);
  const { sources, close } = await openSources(project, options);
  try {
    const reason = whyNotStored(env, folder);
    if (reason !== undefined && sources.length === 0) throw new ConfigurationError(reason);
    if (reason !== undefined) options.note(reason);
    const given = { ...options, tenant, ...sources.length === 0 ? { note: options.fail } : {} };
    return await withOutbox(reason === undefined ? project : undefined, given, (outbox) =>
      run(
        new GivenUpMessages({
          ...{ outbox, sources: () => sources, multitenancy: isMultitenant(env) },
          onFailure: (source, error) => options.fail(`${source}: ${(error as Error).message}`),
        }),
      ));
  } finally {
    await close();
  }
}

/** The channels of messaging services. */
async function openSources(
  { env, application, kinds }: Project,
  { note, fail }: DeadLetterOptions,
): Promise<{ readonly sources: readonly LetterSource[]; readonly close: () => Promise<void> }> {
  const log = createLogging({ levels: { default: "silent" } })("messaging");
  const { requires, production } = env;
  const web = { route: () => {}, fetch };
  const registry = openChannels({
    requires,
    application,
    kinds,
    production,
    limits: DEFAULT_LIMITS,
    log,
    web,
  });
  const sources: LetterSource[] = [];
  const opened: Channel[] = [];
  for (const [name, options] of Object.entries(requires)) {
    if (!options || !registry.isChannel(name)) continue;
    let channel: Channel;
    try {
      channel = await registry.get(name);
    } catch (error) {
      fail(`${name}: ${(error as Error).message}`);
      continue;
    }
    opened.push(channel);
    const group = consumerGroup({ name, options, application, requires });
    const letters = channel.deadLetters?.(group);
    const { tenantHeader } = options;
    const header = typeof tenantHeader === "string" ? { tenantHeader } : {};
    const backlog = channel.backlog && (async () => await channel.backlog!(group));
    sources.push({ name, letters, ...header, ...backlog && { backlog } });
    if (!letters && channel.kind === "enterprise-messaging") {
      note(
        `${name}: without "fw.requires.${name}.deadLetterQueue" the broker keeps dead letters where it likes`,
      );
    }
  }
  return { sources, close: async () => void await Promise.all(opened.map((channel) => channel.close())) };
}

/** Why the outbox cannot be looked at, if so. */
function whyNotStored({ requires: { db } }: Environment, folder: string): string | undefined {
  if (!db) return `The project in "${folder}" has no database ("fw.requires.db")`;
  return isStored(db)
    ? undefined
    : "The database is in the memory of the server, and its dead letters end with it: the console shows them while it runs; " +
      'for a database in a file, "fw add sqlite"';
}

/** Opens the outbox of a tenant; a project that never ran has none yet. */
async function withOutbox<T>(
  project: Project | undefined,
  { tenant, note }: DeadLetterOptions,
  run: (outbox: Pick<Outbox, "deadLetters" | "revive" | "discard" | "states"> | undefined) => Promise<T>,
): Promise<T> {
  if (!project) return run(undefined);
  const { env, application, kinds } = project;
  const model = linkModel(withQueueTables({ definitions: {} }));
  const open = await databaseOpener({ env, model, kinds, existing: true });
  let database;
  try {
    database = await open(tenant);
  } catch (error) {
    note(missingOutbox(error, tenant));
    return run(undefined);
  }
  const opened = database;
  try {
    const log = createLogging({ levels: { default: "error" } });
    const { production } = env;
    const host = { model, env, limits: DEFAULT_LIMITS, production, texts: () => undefined, log };
    const db = new DatabaseService({ name: "db", host, database: () => opened });
    const connect = (service: string) => Promise.reject(new Error(`${service} is not connected`));
    const multitenancy = isMultitenant(env);
    const outbox = new Outbox({ db, multitenancy, application, log: log("messaging"), connect });
    try {
      await outbox.deadLetters({ tenant, limit: 1 });
    } catch (error) {
      note(missingOutbox(error, tenant));
      return await run(undefined);
    }
    return await run(outbox);
  } finally {
    await database.close();
  }
}

/** @throws what is not the lack of a table */
function missingOutbox(error: unknown, tenant: string | undefined): string {
  const message = error instanceof Error ? error.message : "";
  if (!/no such table|relation .* does not exist|unable to open/i.test(message)) throw error;
  return tenant === undefined
    ? "The database has no outbox: start the application once"
    : `Tenant "${tenant}" has no outbox: it has no database yet, or the application never opened it`;
}
