/**
 * From a projection to the table behind it.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";

/** The table behind a projection, and how its rows look there. */
export interface BaseEntity {
  readonly entity: LinkedEntity;
  /** Renames the members of a row of the projection. */
  readonly toBase: (row: Row) => Row;
}

/**
 * Follows projections to the table.
 *
 * @throws ServiceError 405 for a view that cannot be written
 */
export function baseEntity(entity: LinkedEntity): BaseEntity {
  const names = new Map<string, string>();
  let current = entity;
  while (current.$select) {
    const { $select: select, $source: source } = current;
    if (!source || select.groupBy || select.distinct) {
      throw new ServiceError({ status: 405, code: "ENTITY_IS_READ_ONLY", args: [entity.name] });
    }
    addRenames(names, current);
    current = source;
  }
  return { entity: current, toBase: (row) => names.size === 0 ? row : rename(row, names) };
}

/** Columns `{ref: [a], as: b}` of a projection: `b` is `a` one level below. */
function addRenames(names: Map<string, string>, projection: LinkedEntity): void {
  for (const column of projection.$select?.columns ?? []) {
    if (column === "*" || !("ref" in column) || !column.ref || !column.as) continue;
    const target = column.ref.map(String).join("_");
    const outer = [...names].find(([, inner]) => inner === column.as)?.[0] ?? column.as;
    names.set(outer, target);
    const keys = projection.elements[column.as]?.$foreignKeys ?? [];
    for (const { name } of keys) names.set(name, target + name.slice(column.as.length));
  }
}

function rename(row: Row, names: ReadonlyMap<string, string>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [names.get(name) ?? name, value]));
}
