/**
 * The control information of entities in bodies that changes what is written: ids and versions (JSON Format 4.01, clause 4.6).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { etagElement } from "../headers/etag.ts";
import type { JsonValue } from "./parse_json.ts";
import type { Reading } from "./reading.ts";

const KINDS: Readonly<Record<string, "ETag" | "link">> = {
  "@odata.etag": "ETag",
  "@etag": "ETag",
  "@odata.id": "link",
  "@id": "link",
};

/**
 * Reads an id or a version; what ids stand for is read with the row.
 *
 * @param name name of an annotation
 * @param value its value
 * @param at the row it stands in
 * @returns false for other annotations
 */
export function readControl(
  name: string,
  value: JsonValue,
  { row, entity, reading }: { readonly row: Row; readonly entity: LinkedEntity; readonly reading: Reading },
): boolean {
  const kind = KINDS[name];
  if (kind === undefined || value === null) return kind !== undefined;
  const { options: { violations, takeVersion }, place } = reading;
  if (typeof value !== "string") violations.wrongType(value, kind, place.path || entity.name);
  else if (kind === "ETag" && (place.isTop || etagElement(entity))) takeVersion?.(row, value);
  return true;
}
