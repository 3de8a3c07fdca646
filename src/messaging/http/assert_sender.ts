/**
 * Who may send events, and whose: their handlers run with the rights of the sender, in the tenant that the events name.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { Message } from "../channel.ts";

/** The role that senders need where no other is configured. */
export const SENDER_ROLE = "event-sender";

/**
 * Refuses senders without any of the roles that the webhook requires.
 *
 * @param roles as in `@requires`
 * @param context the sender's
 * @throws ServiceError 403
 */
export function assertSender(roles: readonly string[], context: EventContext | undefined): void {
  if (roles.some((role) => context?.user.is(role))) return;
  throw new ServiceError({ status: 403, cause: new Error(`Senders of events need: ${roles.join(", ")}`) });
}

/**
 * Refuses events of other tenants than that of the sender. Other instances and parts of the application send for all
 * tenants.
 *
 * @param messages the events
 * @param tenantHeader the attribute that names the tenant, if there is one
 * @param context the sender's
 * @throws ServiceError 403
 */
export function assertOwnTenant(
  messages: readonly Message[],
  tenantHeader: string | undefined,
  context: EventContext | undefined,
): void {
  if (tenantHeader === undefined || context?.tenant === undefined) return;
  if (context.user.is("internal-user")) return;
  const named = messages.map(({ headers }) => headers[tenantHeader]);
  if (named.some((tenant) => tenant !== undefined && tenant !== context.tenant)) {
    throw new ServiceError({ status: 403, cause: new Error("Events of another tenant were sent") });
  }
}
