/**
 * What a PUT sets that it does not mention (OData Protocol 11.4.3.1).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { isStream } from "../names.ts";

/** Defaults, or null, of all elements that clients may write. */
export function replacementDefaults(entity: LinkedEntity): Row {
  const row: Row = {};
  for (const flat of entity.$flat.values()) {
    if (!isKept(flat)) row[flat.name] = defaultOf(flat);
  }
  return row;
}

/** Keys, streams and what the server sets stay as they are. */
function isKept(flat: FlatElement): boolean {
  const { annotated, element } = flat;
  return flat.key || flat.virtual || isStream(element) || element.value !== undefined ||
    SERVER_SIDE.some((annotation) =>
      annotated[annotation] !== undefined && annotated[annotation] !== false
    ) ||
    annotated["@odata.etag"] !== undefined;
}

const SERVER_SIDE = [
  "@readonly",
  "@Core.Computed",
  "@Core.Immutable",
  "@odata.discriminator",
  "@cds.on.insert",
  "@cds.on.update",
] as const;

function defaultOf(flat: FlatElement): unknown {
  const value = flat.annotated.default;
  return value && "val" in value ? value.val : null;
}
