/**
 * What an entity of a service offers to everybody by the model alone, whoever asks (behaviours 5).
 *
 * @module
 */

import type { LinkedEntity } from "./linked.ts";

/** The annotation of elements that the framework alone works with. */
export const INTERNAL = "@fw.internal";

/**
 * The annotation of parts: the associations that lead to what they are parts of. Who may do something to the whole may do it
 * to its parts, unless these say otherwise.
 */
export const PART_BY = "@fw.part.by";

/**
 * Whether an entity is in its service only because another one has an association or composition to it: exposed
 * automatically, or generated for the parts or texts of an entity that the service defines itself. Clients reach it
 * by navigation only.
 *
 * @param entity an entity of a service
 */
export function isGenerated(entity: LinkedEntity): boolean {
  if (entity["@cds.autoexposed"] === true) return entity["@cds.autoexpose"] !== true;
  const at = entity.name.lastIndexOf(".");
  const { $service: service } = entity;
  if (!service || at <= service.name.length) return false;
  const whole = entity.name.slice(service.name.length + 1, at);
  const composition = service.entities[whole]?.compositions[entity.name.slice(at + 1)];
  return composition?.$target === entity;
}

/**
 * Whether an entity is read-only: annotated so, or exposed only because it is a code list behind an association.
 *
 * @param entity an entity of a service
 */
export function isReadOnly(entity: LinkedEntity): boolean {
  return isAnnotated(entity, "@readonly") ||
    (entity["@cds.autoexposed"] === true && entity["@cds.autoexpose"] === true);
}

/**
 * Whether entities can only be created.
 *
 * @param entity an entity of a service
 */
export function isInsertOnly(entity: LinkedEntity): boolean {
  return isAnnotated(entity, "@insertonly");
}

/** Annotated by itself, or by its service unless it says otherwise. */
function isAnnotated(entity: LinkedEntity, name: "@readonly" | "@insertonly"): boolean {
  return (entity[name] ?? entity.$service?.[name]) === true;
}
