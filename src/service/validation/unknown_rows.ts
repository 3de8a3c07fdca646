/**
 * Rows of a body that may be stored already or not, which only the database knows: a stored one keeps the values of its
 * `@Core.Immutable` elements, a new one must have all that are mandatory.
 *
 * @module
 */

import type { Query, RefExpression, Row } from "../../cqn/cqn.ts";
import type { ErrorProperties } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { linksOf } from "../../model/links.ts";
import { idOf, keyConditions } from "../authorization/permitted_rows.ts";
import { hasKeys, keyNames } from "../../model/keys.ts";
import { everyOf } from "../../cqn/conjunction.ts";

/** A row for which it makes a difference. */
export interface UnknownRow {
  readonly entity: LinkedEntity;
  readonly row: Row;
  /** What is known of it, with its keys. */
  readonly known: Row;
  /** Flat names of immutable elements that it has values of. */
  readonly immutable: readonly string[];
  /** What is wrong with it if it is new. */
  readonly missing: readonly ErrorProperties[];
}

/**
 * Takes the values of immutable elements out of rows that are stored. Rows of which it cannot be told count as stored.
 *
 * @param rows the rows
 * @param db the database, if there is one
 * @returns what is wrong with those that are new
 */
export async function settleRows(
  rows: readonly UnknownRow[],
  db: { run(query: Query): Promise<unknown> } | undefined,
): Promise<readonly ErrorProperties[]> {
  const isTold = ({ entity, known }: UnknownRow) =>
    db !== undefined && entity["@cds.persistence.skip"] !== true && hasKeys(entity, known);
  const stored = new Set<string>();
  for (const [entity, some] of Map.groupBy(rows.filter(isTold), (one) => one.entity)) {
    const columns = keyNames(entity).map((name) => ({ ref: [name] }));
    for (const where of keyConditions(entity, some.map(({ known }) => known))) {
      const query = { SELECT: { from: { ref: [entity.name] }, history: true, columns, where } };
      for (const row of await db!.run(query) as readonly Row[]) stored.add(idOf(entity, row));
    }
  }
  return rows.flatMap((one) => {
    if (isTold(one) && !stored.has(idOf(one.entity, one.known))) return one.missing;
    for (const name of one.immutable) delete one.row[name];
    return [];
  });
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

/**
 * The row of a child that may be there already.
 *
 * @param entity its entity
 * @param child the child
 * @returns undefined without all keys
 */
export function storedRow(entity: LinkedEntity, child: Row): RefExpression | undefined {
  const keys = entity.$flatKeys.filter(({ virtual }) => !virtual);
  const where = everyOf(keys, ({ name }) => [{ ref: [name] }, "=", { val: child[name] as string }]);
  return where.some((token) => typeof token === "object" && "val" in token && token.val === undefined)
    ? undefined
    : { ref: [{ id: entity.name, where }] };
}
