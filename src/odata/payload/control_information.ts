/**
 * Control information of rows with `odata.metadata=full` (JSON Format 4.6).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { entityTypeName } from "../names.ts";
import { canonicalUrl } from "./key_predicate.ts";

/** Type, id, edit link and navigation links of a row, as members of its JSON object. */
export function rowControlInformation(row: Row, entity: LinkedEntity): string[] {
  const parts = [`"@odata.type":${JSON.stringify(`#${entityTypeName(entity)}`)}`];
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
