/**
 * Rows that are gone, in delta payloads (JSON Format 4.01, clause 15.3).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { ODataVersion } from "../headers/version.ts";
import { entitySetName } from "../names.ts";
import { canonicalUrl } from "./key_predicate.ts";
import { stringify } from "./write_value.ts";

/**
 * A deleted entity as JSON object: the form of the protocol version.
 *
 * @param entity the entity
 * @param keys its keys
 * @param options `reason`: `changed` for a row that is there, but not among those asked for
 */
export function writeRemoved(
  entity: LinkedEntity,
  keys: Row,
  { version, reason }: { readonly version: ODataVersion; readonly reason: "deleted" | "changed" },
): string {
  const id = canonicalUrl(entity, keys);
  return version === "4.0"
    ? stringify({ "@odata.context": `#${entitySetName(entity)}/$deletedEntity`, id, reason })
    : stringify({ "@odata.removed": { reason }, "@odata.id": id });
}
