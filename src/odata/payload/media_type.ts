/**
 * Types of streams, and the elements that annotations refer to.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement } from "../../model/linked.ts";

/** The media type of a stream of a row: the literal of `@Core.MediaType`, or the value of the element it names. */
export function mediaTypeOf(row: Row, element: LinkedElement): unknown {
  const annotation = element["@Core.MediaType"];
  const reference = referenceOf(annotation);
  return reference === undefined ? annotation : row[reference];
}

/** The flat name that an annotation value refers to (`{"=": "mediaType"}`), if it does. */
export function referenceOf(annotation: unknown): string | undefined {
  if (typeof annotation !== "object" || annotation === null || !("=" in annotation)) return undefined;
  const path = annotation["="];
  return typeof path === "string" ? path.replaceAll(".", "_") : undefined;
}
