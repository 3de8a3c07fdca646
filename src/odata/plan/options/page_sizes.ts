/**
 * How many rows a page has: `fw.query.limit`, and `@cds.query.limit` of an entity or its service.
 *
 * @module
 */

import type { LinkedEntity } from "../../../model/linked.ts";

/** `fw.query.limit`: rows of a page without and with `$top`. */
export interface QueryLimit {
  readonly default?: number;
  readonly max?: number;
}

/**
 * The rows of a page of an entity.
 *
 * @param entity the entity; undefined for rows of none
 * @param queryLimit what the configuration says
 * @param pageSize the limit of all pages
 */
export function pageSizes(
  entity: LinkedEntity | undefined,
  queryLimit: QueryLimit,
  pageSize: number,
): { readonly maxRows: number; readonly defaultRows: number } {
  const maxRows = entityLimit(entity, "max") ?? queryLimit.max ?? pageSize;
  return {
    maxRows,
    defaultRows: Math.min(entityLimit(entity, "default") ?? queryLimit.default ?? maxRows, maxRows),
  };
}

function entityLimit(entity: LinkedEntity | undefined, name: "default" | "max"): number | undefined {
  for (const owner of [entity, entity?.$service]) {
    const annotated = owner?.[`@cds.query.limit.${name}`] ?? owner?.["@cds.query.limit"];
    if (typeof annotated === "number") return annotated === 0 ? Number.MAX_SAFE_INTEGER : annotated;
  }
  return undefined;
}
