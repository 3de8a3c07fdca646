/**
 * Derived types of rows in bodies (JSON Format 4.6.3).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { typeHierarchy } from "../../model/derived_types.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { JsonValue } from "./parse_json.ts";
import type { Reading } from "./reading.ts";

/**
 * Sets the derived type of a row, which `@odata.type` decides on.
 *
 * @param value the object
 * @param entity the entity
 * @param given the row, and how it is read
 */
export function readType(
  value: { readonly [name: string]: JsonValue },
  entity: LinkedEntity,
  { row, reading }: { readonly row: Row; readonly reading: Reading },
): void {
  const hierarchy = typeHierarchy(entity);
  const given = value["@odata.type"] ?? value["@type"];
  if (!hierarchy || given === undefined) return;
  const name = String(given).replace(/^.*#/, "").replace(`${entity.$service?.name}.`, "");
  const type = hierarchy.types.get(name);
  if (type) row[hierarchy.discriminator.name] = type.value;
  else reading.options.violations.wrongType(given, entity.name, "@odata.type");
}
