/**
 * Events that an entity does not allow to anybody (behaviours 5): read-only, insert-only, capabilities.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { isGenerated, isInsertOnly, isReadOnly } from "../../model/exposure.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { ServiceRequest } from "../requests/service_request.ts";

/** Annotations that switch an event off. */
const CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  READ: ["@Capabilities.ReadRestrictions.Readable", "@Capabilities.Readable"],
  CREATE: ["@Capabilities.InsertRestrictions.Insertable", "@Capabilities.Insertable"],
  UPDATE: ["@Capabilities.UpdateRestrictions.Updatable", "@Capabilities.Updatable"],
  UPSERT: [
    "@Capabilities.InsertRestrictions.Insertable",
    "@Capabilities.UpdateRestrictions.Updatable",
    "@Capabilities.Insertable",
    "@Capabilities.Updatable",
  ],
  DELETE: ["@Capabilities.DeleteRestrictions.Deletable", "@Capabilities.Deletable"],
};

/**
 * Refuses an event that the target does not allow.
 *
 * @param req the request
 * @param event its event
 * @param isEndpoint whether it came from outside: handlers reach entities that are exposed for navigation only
 * @throws ServiceError 405
 */
export function assertCapable(req: ServiceRequest, event: string, isEndpoint: boolean): void {
  const { target } = req;
  if (!target) return;
  if (isEndpoint && !req.path.includes("/") && isGenerated(target)) {
    throw notAllowed("ENTITY_IS_AUTOEXPOSED", target, event);
  }
  const refusal = capabilityRefusal(target, event);
  if (refusal) throw refusal;
}

/**
 * Why an entity does not allow an event, whoever asks and wherever the request comes from.
 *
 * @param target the entity
 * @param event the event
 * @returns an error with status 405; undefined if it allows the event
 */
export function capabilityRefusal(target: LinkedEntity, event: string): ServiceError | undefined {
  const code = incapability(target, event);
  return code === undefined ? undefined : notAllowed(code, target, event);
}

/**
 * Refuses to look at the rows of an entity that cannot be read, whatever they are looked at for.
 *
 * @param entity an entity that a query touches
 * @throws ServiceError 405
 */
export function assertReadable(entity: LinkedEntity): void {
  const refusal = capabilityRefusal(entity, "READ");
  if (refusal) throw refusal;
}

/**
 * Why an entity does not allow an event, whoever asks and wherever the request comes from.
 *
 * @param target the entity
 * @param event the event
 * @returns a code; undefined if it allows the event
 */
export function incapability(target: LinkedEntity, event: string): string | undefined {
  if (event !== "READ" && isReadOnly(target)) return "ENTITY_IS_READ_ONLY";
  if (event !== "CREATE" && isInsertOnly(target)) return "ENTITY_IS_INSERT_ONLY";
  const annotations = target as unknown as Readonly<Record<string, unknown>>; // annotations are members
  return CAPABILITIES[event]?.some((name) => annotations[name] === false) ? "ENTITY_IS_NOT_CRUD" : undefined;
}

function notAllowed(code: string, entity: LinkedEntity, event: string): ServiceError {
  return new ServiceError({ status: 405, code, args: [entity.name, event] });
}
