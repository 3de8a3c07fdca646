/**
 * Values of `@Core.Immutable` elements in rows that may be there already: a new row has them, a stored one keeps its own.
 *
 * @module
 */

import type { Query, Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { linksOf } from "../../model/links.ts";
import { hasKeys, idOf, keyConditions, keyNames } from "../authorization/permitted_rows.ts";

/** A row with values that it may only have if it is new. */
export interface ImmutableValues {
  readonly entity: LinkedEntity;
  /** The row; the values are taken out of it if it is stored. */
  readonly row: Row;
  /** What is known of it, with its keys. */
  readonly known: Row;
  /** Flat names of the elements. */
  readonly names: readonly string[];
}

/**
 * Takes the values of immutable elements out of rows that are stored. Rows of which this cannot be told count as stored.
 *
 * @param found the rows
 * @param db the database, if there is one
 */
export async function dropImmutable(
  found: readonly ImmutableValues[],
  db: { run(query: Query): Promise<unknown> } | undefined,
): Promise<void> {
  const isTold = ({ entity, known }: ImmutableValues) =>
    db !== undefined && entity["@cds.persistence.skip"] !== true && hasKeys(entity, known);
  for (const one of found) if (!isTold(one)) drop(one);
  for (const [entity, rows] of Map.groupBy(found.filter(isTold), (one) => one.entity)) {
    const columns = keyNames(entity).map((name) => ({ ref: [name] }));
    const stored = new Set<string>();
    for (const where of keyConditions(entity, rows.map(({ known }) => known))) {
      const query = { SELECT: { from: { ref: [entity.name] }, history: true, columns, where } };
      for (const row of await db!.run(query) as readonly Row[]) stored.add(idOf(entity, row));
    }
    for (const one of rows) if (stored.has(idOf(entity, one.known))) drop(one);
  }
}

function drop({ row, names }: ImmutableValues): void {
  for (const name of names) delete row[name];
}

/**
 * What is known of a child: its values, and those that the row around gives it.
 *
 * @param composition the composition to it
 * @param child the child
 * @param parent what is known of the row around
 */
export function knownChild(composition: LinkedElement, child: Row, parent: Row): Row {
  const known: Row = { ...child };
  for (const { source, target } of linksOf(composition).pairs) {
    if (parent[source] !== undefined) known[target] = parent[source];
  }
  return known;
}
