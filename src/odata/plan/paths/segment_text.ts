/**
 * Segments as text of messages.
 *
 * @module
 */

import type { PathSegment } from "../../url/ast.ts";

/**
 * The name of a segment, without what stands in parentheses.
 *
 * @param segment the segment
 * @returns `Books`, `$filter`
 */
export function textOf(segment: PathSegment): string {
  if (segment.kind === "filterInPath") return "$filter";
  return segment.kind === "crossjoin" ? "$crossjoin" : segment.name;
}
