/**
 * The queries of views.
 *
 * @module
 */

import type { SelectQuery, SetQuery } from "../cqn/cqn.ts";
import type { LinkedEntity } from "./linked.ts";

/**
 * The query of a view or projection.
 *
 * @param entity any entity
 * @returns undefined for tables
 */
export function viewQuery(entity: LinkedEntity): SelectQuery | SetQuery | undefined {
  return entity.$select ? { SELECT: entity.$select } : entity.query;
}
