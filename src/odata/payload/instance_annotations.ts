/**
 * Annotations that handlers give with rows: `@My.Term`, `name@My.Term#qualifier` (JSON Format 20).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { type AnnotationsList, isWanted } from "../headers/annotations_list.ts";
import { stringify } from "./write_value.ts";

const ANNOTATION =
  /^(|[\p{L}_][\p{L}\p{N}_]*)@((?:[\p{L}_][\p{L}\p{N}_]*\.)+[\p{L}_][\p{L}\p{N}_]*)(?:#([\p{L}_][\p{L}\p{N}_]*))?$/u;

/**
 * The annotations of a row that the client wants, as members of its JSON object. Nothing in the namespace `odata` is one:
 * that is control information, which the framework writes.
 *
 * @param row the row
 * @param wanted what the client wants
 * @param isShown whether the payload shows a property
 */
export function instanceAnnotations(
  row: Row,
  wanted: AnnotationsList,
  isShown: (name: string) => boolean,
): string[] {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(row)) {
    if (!name.includes("@") || value === undefined) continue;
    const [, property, term, qualifier] = ANNOTATION.exec(name) ?? [];
    if (term === undefined || /^odata\./i.test(term) || (property !== "" && !isShown(property!))) continue;
    if (isWanted(wanted, term, qualifier)) parts.push(`${JSON.stringify(name)}:${stringify(value)}`);
  }
  return parts;
}
