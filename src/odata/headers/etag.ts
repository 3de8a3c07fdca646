/**
 * Entity tags and preconditions (OData Protocol 8.2.4, 8.2.5, 8.3.1, 11.4.1; RFC 9110 13).
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";

/** A parsed `If-Match` or `If-None-Match`: any, or a list of opaque tags without quotes and weakness. */
export type TagCondition = "*" | readonly string[];

/** The preconditions of a request. */
export interface Preconditions {
  readonly ifMatch?: TagCondition;
  readonly ifNoneMatch?: TagCondition;
}

/** The element that holds the version of an entity: annotated `@odata.etag`. */
export function etagElement(entity: LinkedEntity): FlatElement | undefined {
  let found = etagElements.get(entity);
  if (found === undefined) etagElements.set(entity, found = findEtagElement(entity) ?? null);
  return found ?? undefined;
}

const etagElements: WeakMap<LinkedEntity, FlatElement | null> = new WeakMap();

function findEtagElement(entity: LinkedEntity): FlatElement | undefined {
  for (const flat of entity.$flat.values()) {
    if (flat.annotated["@odata.etag"] || flat.annotated["@cds.etag"]) return flat;
  }
  return undefined;
}

/** The weak tag of a version value: `W/"7"`; what a tag may not hold is percent-encoded. */
export function writeTag(value: unknown): string {
  return `W/"${opaqueTag(value)}"`;
}

/**
 * The tag of a row.
 *
 * @param entity the entity of the row
 * @param row the row, if there is one
 * @returns undefined where it has no version
 */
export function tagOf(entity: LinkedEntity, row: Row | null | undefined): string | undefined {
  const element = etagElement(entity);
  const value = element && row ? row[element.name] : undefined;
  return value === undefined || value === null ? undefined : writeTag(value);
}

/** The opaque part of the tag of a version value. */
function opaqueTag(value: unknown): string {
  const text = (value instanceof Date ? value.toISOString() : String(value)).replace(
    /\p{Surrogate}/gu,
    "\ufffd",
  );
  // RFC 9110 8.8.3: etagc = %x21 / %x23-7E / obs-text; we send ASCII only
  return text.replace(/[^\x21\x23-\x24\x26-\x7e]/gu, (char) => encodeURIComponent(char));
}

const NO_PRECONDITIONS: Preconditions = Object.freeze({});

/**
 * The preconditions in the headers of a request.
 *
 * @throws ServiceError 400 when one is malformed
 */
export function readPreconditions(headers: Pick<Headers, "get">): Preconditions {
  const ifMatch = headers.get("if-match");
  const ifNoneMatch = headers.get("if-none-match");
  if (ifMatch === null && ifNoneMatch === null) return NO_PRECONDITIONS;
  return {
    ...(ifMatch === null ? {} : { ifMatch: parseTags(ifMatch, "If-Match") }),
    ...(ifNoneMatch === null ? {} : { ifNoneMatch: parseTags(ifNoneMatch, "If-None-Match") }),
  };
}

function parseTags(header: string, name: string): TagCondition {
  const text = header.trim();
  if (text === "*") return "*";
  const tags: string[] = [];
  const pattern = /\s*(?:[Ww]\/)?"([^"]*)"\s*(?:,|$)/y;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (!match) {
      throw new ServiceError({ status: 400, message: `${name} must be * or a list of quoted tags` });
    }
    tags.push(match[1]!);
  }
  if (tags.length === 0) {
    throw new ServiceError({ status: 400, message: `${name} must be * or a list of quoted tags` });
  }
  return tags;
}

/**
 * The preconditions of a request whose body names a version, too: both must hold (OData Protocol 11.4.3).
 *
 * @param preconditions those of the headers
 * @param tag the tag in the body, or `*`
 * @throws ServiceError 400 when it is malformed, or a list
 */
export function withTag(preconditions: Preconditions, tag: string): Preconditions {
  const { ifMatch } = preconditions;
  const given = parseTags(tag, "@odata.etag");
  if (given !== "*" && given.length > 1) {
    throw new ServiceError({ status: 400, message: "@odata.etag must be * or one quoted tag" });
  }
  if (ifMatch === undefined || ifMatch === "*") return { ...preconditions, ifMatch: given };
  if (given === "*") return preconditions;
  return { ...preconditions, ifMatch: ifMatch.filter((one) => given.includes(one)) };
}

/** Whether a condition names the tag of a version value (weak comparison). */
export function matchesTag(condition: TagCondition, value: unknown): boolean {
  return condition === "*" || condition.includes(opaqueTag(value));
}

/**
 * What the preconditions say about reading a row.
 *
 * @param value version of the row
 * @returns true when the client has this version already (304)
 * @throws ServiceError 412 when `If-Match` names other versions
 */
export function isUnmodified(preconditions: Preconditions, value: unknown): boolean {
  if (preconditions.ifMatch && !matchesTag(preconditions.ifMatch, value)) throw preconditionFailed();
  return preconditions.ifNoneMatch !== undefined && matchesTag(preconditions.ifNoneMatch, value);
}

/**
 * What the preconditions say about reading a row that has a version.
 *
 * @param preconditions those of the request
 * @param entity the entity of the row
 * @param row the row
 * @returns true when the client has this version already (304)
 * @throws ServiceError 412 when `If-Match` names other versions
 */
export function isUnmodifiedRow(preconditions: Preconditions, entity: LinkedEntity, row: Row): boolean {
  const element = etagElement(entity);
  return element !== undefined && isUnmodified(preconditions, row[element.name]);
}

/** The error for a precondition that does not hold. */
export function preconditionFailed(): ServiceError {
  return new ServiceError({ status: 412, message: "Precondition Failed" });
}

/** The error for a missing `If-Match` (RFC 6585 3). */
export function preconditionRequired(): ServiceError {
  return new ServiceError({ status: 428, message: "Precondition Required" });
}
