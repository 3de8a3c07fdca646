/**
 * `fw tenant list|subscribe|upgrade|unsubscribe`
 *
 * @module
 */

import { withTenants } from "../deno/project_tenants.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { ListedTenant } from "../fw/tenants/tenant_list.ts";
import type { TenantOperations, TenantOutcome } from "../fw/tenants/tenant_operations.ts";
import { isTenantId } from "../util/is_tenant_id.ts";
import { type Command, unknownWord, UsageError } from "./parse_command.ts";
import { counted } from "../util/counted.ts";

/** What `fw help tenant` prints. */
export const TENANT_HELP = `Usage: fw tenant <what> [options]

With multitenancy, tokens of tenants that have not subscribed are refused (403). A tenant has a database of its own.

  fw tenant list [folder]               list the tenants, and which are to be upgraded
  fw tenant subscribe <id> [folder]     make the database of a tenant, and admit its users
  fw tenant upgrade [folder]            bring the databases of all tenants to the model, several at a time
  fw tenant unsubscribe <id> [folder]   admit its users no more, and remove its database for good

  --tenant ID      upgrade: this one only
  --jobs N         upgrade: how many at a time (default 4)
  --allow-loss     upgrade: drop tables and columns that the model no longer has
  --keep-data      unsubscribe: leave the database as it is
  --profile NAME   whose configuration

An upgrade that was interrupted goes on where it ended; a tenant that cannot be upgraded does not stop the others.

Examples: fw tenant subscribe t1
          fw tenant upgrade --jobs 8 --profile production`;

type Options = Command["options"];

/** Works with tenants. */
export async function tenantCommand(
  { words: [action = "list", ...others], options }: Command,
): Promise<number> {
  const takesId = action === "subscribe" || action === "unsubscribe";
  const id = takesId ? others.shift() : undefined;
  const [folder = Deno.cwd(), ...more] = others;
  if (!Object.hasOwn(ACTIONS, action) || more.length > 0 || (takesId && id === undefined)) {
    throw mistakeIn(action, takesId && id === undefined);
  }
  if (id !== undefined) assertTenant(id);
  return await withTenants(folder, (operations) => ACTIONS[action]!(operations, options, id ?? ""));
}

function mistakeIn(action: string, lacksId: boolean): UsageError {
  if (lacksId) return new UsageError(`fw tenant ${action} needs the id of a tenant`);
  if (Object.hasOwn(ACTIONS, action)) return new UsageError(`fw tenant ${action} takes other words`);
  return unknownWord("action", action, Object.keys(ACTIONS));
}

function assertTenant(id: string): void {
  if (isTenantId(id)) return;
  throw new ConfigurationError(
    `"${id}" is no name of a tenant: up to 64 letters, digits, "_", "." and "-" are expected`,
  );
}

const ACTIONS: Readonly<
  Record<string, (operations: TenantOperations, options: Options, id: string) => Promise<number>>
> = {
  list: async (operations) => {
    const tenants = await operations.list.all();
    for (const tenant of tenants) console.log(lineOf(tenant, operations.isUpToDate(tenant)));
    if (tenants.length === 0) console.log("No tenants");
    return 0;
  },
  subscribe: async (operations, _options, id) => {
    const isNew = await operations.subscribe(id);
    console.log(
      isNew
        ? `Tenant ${id} has subscribed`
        : `Tenant ${id} had subscribed already; its database is up to date`,
    );
    return 0;
  },
  upgrade: async (operations, { tenant, jobs, "allow-loss": isLossy }) => {
    const outcomes = await operations.upgrade({
      tenants: typeof tenant === "string" ? [tenant] : undefined,
      concurrency: concurrencyOf(jobs),
      mode: isLossy === true ? "lossy" : "lossless",
      onProgress: (outcome, done, all) => console.log(`${done}/${all} ${progressOf(outcome)}`),
    });
    const failed = outcomes.filter(({ error }) => error).length;
    if (failed > 0) console.error(`${failed} of ${outcomes.length} tenants could not be upgraded`);
    else console.log(outcomes.length === 0 ? "No tenants" : "All tenants are up to date");
    return failed > 0 ? 1 : 0;
  },
  unsubscribe: async (operations, options, id) => {
    const keepData = options["keep-data"] === true;
    if (!await operations.unsubscribe(id, { keepData })) {
      console.error(`Tenant ${id} has not subscribed`);
      return 1;
    }
    console.log(`Tenant ${id} has unsubscribed; its database ${keepData ? "stays" : "is removed"}`);
    return 0;
  },
};

function concurrencyOf(jobs: string | true | undefined): number | undefined {
  if (jobs === undefined) return undefined;
  if (typeof jobs === "string" && /^[1-9]\d{0,3}$/.test(jobs)) return Number(jobs);
  throw new ConfigurationError(`Expected a number after --jobs, but found "${jobs}"`);
}

function progressOf({ tenant, statements, error }: TenantOutcome): string {
  if (error) return `${tenant}: ${error.message}`;
  if (statements === undefined) return `${tenant} is up to date`;
  return `${tenant} is upgraded with ${counted(statements, "statement")}`;
}

function lineOf({ tenant, status, subscribedAt = "", lastError }: ListedTenant, isUpToDate: boolean): string {
  const state = status === "ready" && !isUpToDate ? "to be upgraded" : status;
  const error = lastError === undefined ? "" : `  ${lastError.split("\n", 1)[0]}`;
  return `${tenant.padEnd(20)}  ${state.padEnd(14)}  ${subscribedAt.slice(0, 19)}${error}`;
}
