/**
 * Headers that the framework adds to messages and reads from them (`messaging` 1, 5).
 *
 * @module
 */

import { correlationId } from "../context/context_from_request.ts";
import { EventContext } from "../context/event_context.ts";
import { User } from "../context/user.ts";
import type { ServiceEvent } from "../service/requests/service_event.ts";
import { cloudEventHeaders } from "./cloud_events.ts";
import { type EventDefinition, partitionKey } from "./event_topic.ts";
import type { Message } from "./channel.ts";
import { isTenantId } from "../util/is_tenant_id.ts";

/** What a configuration entry says about headers. */
export interface HeaderOptions {
  /** Format of the headers. */
  readonly format: "cloudevents" | "json";
  /** Stable source of events. */
  readonly source: string;
  /** Header that carries the tenant, if any. */
  readonly tenantHeader: string | undefined;
  /** Headers that take the current trace along (W3C Trace Context; attributes of a CloudEvent, too). */
  readonly trace?: Readonly<Record<string, string>>;
}

/** Where the correlation id travels: as attribute of a CloudEvent, else as the header of HTTP. */
const CORRELATION = { cloudevents: "correlationid", json: "x-correlation-id" } as const;

/** Header that tells messages apart which are no CloudEvents. */
export const MESSAGE_ID = "x-message-id";

/**
 * The message for an emitted event: what the emitter gave, correlation id, key and tenant, and the attributes of a
 * CloudEvent if configured. Never user, roles or claims.
 *
 * @param req the event
 * @param options the configuration
 * @param definition definition of the event
 */
export function toMessage(req: ServiceEvent, options: HeaderOptions, definition?: EventDefinition): Message {
  const { format, source, tenantHeader, trace } = options;
  const headers: Record<string, unknown> = { ...trace, ...req.messageHeaders };
  headers[CORRELATION[format]] ??= req.id;
  const key = partitionKey(headers, req.data, definition);
  if (key !== undefined) headers.partitionkey = key;
  if (tenantHeader !== undefined && req.tenant !== undefined) headers[tenantHeader] ??= req.tenant;
  if (format === "json") headers[MESSAGE_ID] ??= crypto.randomUUID();
  return {
    topic: req.event,
    data: req.data,
    headers: format === "cloudevents" ? cloudEventHeaders(headers, attributesOf(req, source)) : headers,
    key,
    tenant: req.tenant,
  };
}

/** Attributes of a CloudEvent where the emitter gave none. */
function attributesOf({ event, data }: ServiceEvent, source: string) {
  return {
    ...{ id: crypto.randomUUID(), type: event, source, time: new Date().toISOString() },
    ...data instanceof Uint8Array ? { datacontenttype: "application/octet-stream" } : {},
  };
}

/**
 * The context for the handlers of a message: of its sender, if the channel knows one, else privileged; with the correlation
 * id that the message carries, and the tenant of the one header that is configured for it.
 *
 * @param message the message
 * @param options the configuration
 */
export function contextOf(
  { headers, sender }: Message,
  { tenantHeader }: Partial<Pick<HeaderOptions, "tenantHeader">>,
): EventContext {
  const carried = (name: string) => {
    const value = headers[name] ?? (name === "x-correlation-id" ? headers.correlationid : undefined);
    return typeof value === "string" ? value : null;
  };
  const tenant = tenantHeader === undefined ? undefined : headers[tenantHeader];
  return new EventContext({
    id: correlationId({ get: carried }),
    user: sender ?? User.privileged,
    tenant: isTenantId(tenant) ? tenant : undefined,
  });
}

/**
 * What is wrong with the tenant of a message: without knowing it, handlers would run for nobody in place of somebody.
 *
 * @param message the message
 * @param options the configuration
 * @returns undefined if the message names a tenant or none
 */
export function tenantFault(
  { headers }: Message,
  { tenantHeader }: Pick<HeaderOptions, "tenantHeader">,
): string | undefined {
  const tenant = (tenantHeader === undefined ? undefined : headers[tenantHeader]) ?? undefined;
  return tenant === undefined || isTenantId(tenant) ? undefined : `${tenantHeader} is no id of a tenant`;
}
