/**
 * The dead letters of a runtime, and the endpoint at which those with a role deal with them.
 *
 * @module
 */

import { currentContext } from "../context/store.ts";
import { ServiceError } from "../errors/service_error.ts";
import { redact } from "../log/redact.ts";
import { toDataMember } from "../messaging/message_json.ts";
import { type GivenUpMessage, GivenUpMessages, type GivenUpOptions } from "../messaging/given_up_messages.ts";
import { MessagingService } from "../messaging/messaging_service.ts";
import type { RouteContext, RouteHandler } from "./app_router.ts";
import { managementPath, managementRoles, type ManagementSettings } from "./management.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { isMultitenant } from "./tenant_databases.ts";

const KEY = "fw.dead_letters";
const DEFAULT_PATH = "/dead-letters";
/** Dead letters of an answer at most. */
const MAX_LISTED = 1_000;
/**
 * The dead letters of a runtime: of its outbox, and of the messaging services that are connected.
 *
 * @param runtime the runtime
 * @param options who is told of channels that cannot be asked
 */
export function deadLettersOf(
  runtime: RuntimeParts,
  { onFailure }: Pick<GivenUpOptions, "onFailure"> = {},
): GivenUpMessages {
  return new GivenUpMessages({
    onFailure,
    outbox: runtime.queue,
    multitenancy: isMultitenant(runtime.env),
    sources: () =>
      Object.values(runtime.services).flatMap((service) => {
        if (!(service instanceof MessagingService)) return [];
        const { name, channel, deadLetters: letters, options: { tenantHeader } } = service;
        const header = typeof tenantHeader === "string" ? { tenantHeader } : {};
        return [{
          ...{ name, letters, ...header },
          ...channel.backlog && { backlog: () => service.backlog() },
        }];
      }),
  });
}

/**
 * Adds the routes for dead letters, where the configuration names a role for them: without one there is no endpoint.
 *
 * @param runtime the runtime
 * @throws ConfigurationError for a path that is none, or roles that everybody has
 */
export function addDeadLetterRoutes(runtime: RuntimeParts): void {
  const { dead_letters: settings } = runtime.env as { readonly dead_letters?: ManagementSettings };
  if (settings === undefined) return;
  const roles = managementRoles(KEY, settings, "see and replay messages of others");
  addLetterRoutes(runtime, managementPath(KEY, settings, DEFAULT_PATH), roles);
}

/**
 * Adds the routes for dead letters at a path.
 *
 * @param runtime the runtime
 * @param path where they are
 * @param roles one of which their users need
 */
export function addLetterRoutes(runtime: RuntimeParts, path: string, roles: readonly string[]): void {
  const guarded = (handle: (given: Given) => Promise<Response>): RouteHandler => (context) => {
    const user = currentContext()?.user;
    if (!roles.some((role) => user?.is(role))) {
      throw new ServiceError({ status: 403, cause: new Error(`Dead letters need: ${roles.join(", ")}`) });
    }
    const { tenant } = currentContext()!;
    return handle({ context, letters: deadLettersOf(runtime), tenant });
  };
  runtime.app.get(path, guarded(list));
  // counts are those of all tenants
  if (!isMultitenant(runtime.env)) runtime.app.get(`${path}/states`, guarded(states));
  runtime.app.post(`${path}/replay`, guarded(replayAll));
  runtime.app.get(`${path}/:id`, guarded(show));
  runtime.app.delete(`${path}/:id`, guarded(discard));
  runtime.app.post(`${path}/:id/replay`, guarded(replay));
}

/** What a route works with. */
interface Given {
  readonly context: RouteContext;
  readonly letters: GivenUpMessages;
  readonly tenant: string | undefined;
}

async function list({ letters, tenant, context }: Given): Promise<Response> {
  const found = await letters.list({ tenant, limit: limitOf(context.req.query("limit")) });
  return Response.json({ value: found.map(summary) });
}

/** What waits in outbox and channels. */
async function states({ letters }: Given): Promise<Response> {
  return Response.json({ value: await letters.states() });
}

async function show(given: Given): Promise<Response> {
  const found = await find(given);
  const { headers, data, query, request, kind, id, user, tenant } = found.work ?? {};
  return Response.json({
    ...summary(found),
    ...{ kind, correlationId: id, user, tenant, storedAt: found.timestamp },
    ...{ headers: redact(headers), ...data === undefined ? {} : toDataMember(data), query, request },
  });
}

async function replay(given: Given): Promise<Response> {
  const { ID: id } = await find(given);
  return Response.json({ replayed: await given.letters.replay({ tenant: given.tenant, id }) });
}

async function replayAll({ letters, tenant }: Given): Promise<Response> {
  return Response.json({ replayed: await letters.replay({ tenant }) });
}

async function discard(given: Given): Promise<Response> {
  const { ID: id } = await find(given);
  if (!await given.letters.discard({ tenant: given.tenant, id })) throw new ServiceError({ status: 404 });
  return new Response(null, { status: 204 });
}

/** The letter that the path names in full. */
async function find({ context, letters, tenant }: Given): Promise<GivenUpMessage> {
  const id = context.req.param("id") ?? "";
  const [found] = await letters.list({ tenant, id });
  if (found?.ID !== id) throw new ServiceError({ status: 404 });
  return found;
}

function summary({ ID, target, task, attempts, lastAttemptTimestamp, lastError, work }: GivenUpMessage) {
  const event = work?.event ?? work?.request?.event ?? task ?? undefined;
  return { id: ID, service: target, event, attempts, lastAttemptAt: lastAttemptTimestamp, lastError };
}

function limitOf(given: string | undefined): number {
  if (given === undefined) return MAX_LISTED;
  if (/^\d{1,6}$/.test(given)) return Math.min(MAX_LISTED, Number(given));
  throw new ServiceError({ status: 400, message: `limit must be a whole number, but is "${given}"` });
}
