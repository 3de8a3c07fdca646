/**
 * Grants of restrictions that no request ever asks for.
 *
 * @module
 */

import { nearestName } from "../../util/nearest_name.ts";
import type { CsnDefinition } from "../csn.ts";

/** Events of entities, and what stands for several. */
const EVENTS = ["READ", "CREATE", "UPDATE", "DELETE", "UPSERT", "INSERT", "SELECT", "WRITE", "*"];

/**
 * What is suspicious about the grants of a restriction: names that are neither events of entities nor bound operations.
 *
 * @param annotated what may have `@restrict`
 * @param entity the entity that it is about
 * @returns a text for each grant
 */
export function grantProblems(annotated: object, entity: CsnDefinition): string[] {
  const given = (annotated as Readonly<Record<string, unknown>>)["@restrict"];
  if (!Array.isArray(given) || entity.kind !== "entity") return [];
  const known = [...EVENTS, ...Object.keys(entity.actions ?? {})];
  const grants = given.flatMap((privilege) =>
    (privilege as { readonly grant?: unknown } | null)?.grant ?? []
  );
  return grants.flatMap((grant) => {
    if (typeof grant !== "string" || known.includes(grant)) return [];
    const near = nearestName(grant, known);
    return [
      `"${grant}" in @restrict is no event or bound operation${near ? `, did you mean "${near}"?` : ""}`,
    ];
  });
}
