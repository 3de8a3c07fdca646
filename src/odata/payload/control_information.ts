/**
 * Control information of rows with `odata.metadata=full` (JSON Format 4.6).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { DerivedType } from "../../model/derived_types.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { mediaElement } from "../../model/media_element.ts";
import { entityTypeName } from "../names.ts";
import { canonicalUrl } from "./key_predicate.ts";
import { mediaTypeOf } from "./media_type.ts";

/** The type of a row, as member of its JSON object. */
export function rowTypeAnnotation(entity: LinkedEntity, type?: DerivedType): string {
  const name = type ? `${entity.$service?.name}.${type.name}` : entityTypeName(entity);
  return `"@odata.type":${JSON.stringify(`#${name}`)}`;
}

/** Type, id, edit link and navigation links of a row, as members of its JSON object. */
export function rowControlInformation(row: Row, entity: LinkedEntity, type?: DerivedType): string[] {
  const parts = [rowTypeAnnotation(entity, type)];
  const url = canonicalUrl(entity, row);
  if (url === undefined) return parts;
  parts.push(`"@odata.id":${JSON.stringify(url)}`, `"@odata.editLink":${JSON.stringify(url)}`);
  for (const association of entity.associations) {
    if (association.$target?.$service !== entity.$service) continue;
    const link = `${url}/${association.name}`;
    parts.push(
      `${JSON.stringify(`${association.name}@odata.associationLink`)}:${JSON.stringify(`${link}/$ref`)}`,
      `${JSON.stringify(`${association.name}@odata.navigationLink`)}:${JSON.stringify(link)}`,
    );
  }
  return parts;
}

/**
 * What payloads tell of the stream of a media entity (JSON Format 4.6.14).
 *
 * @param row the row
 * @param entity its entity
 * @param full whether links are written, too
 */
export function mediaInformation(row: Row, entity: LinkedEntity, full: boolean): string[] {
  const element = mediaElement(entity);
  if (!element) return [];
  const type = mediaTypeOf(row, element);
  const parts = typeof type === "string" ? [`"@odata.mediaContentType":${JSON.stringify(type)}`] : [];
  const url = canonicalUrl(entity, row);
  if (!full || url === undefined) return parts;
  const link = JSON.stringify(`${url}/$value`);
  return [...parts, `"@odata.mediaReadLink":${link}`, `"@odata.mediaEditLink":${link}`];
}
