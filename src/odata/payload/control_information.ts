/**
 * Control information of rows with `odata.metadata=full` (JSON Format 4.6).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { DerivedType } from "../../model/derived_types.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { entityTypeName } from "../names.ts";
import { canonicalUrl } from "./key_predicate.ts";

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
