/**
 * Views that show the rows of a table as they are, all of them and under the same names.
 *
 * @module
 */

import type { LinkedEntity } from "../../model/linked.ts";
import { sqlName } from "../sql_name.ts";
import type { Lowering } from "./scope.ts";
import { viewTree } from "./inline_view.ts";

const known: WeakMap<LinkedEntity, LinkedEntity> = new WeakMap();

/**
 * The entity whose table or view has the rows of an entity under the same names: the one behind it where it leaves out
 * columns at most. The database has less to do there.
 *
 * @param lowering lowers the query of the view, which tells what it shows
 * @param entity any entity
 * @returns the entity itself where it is a table, or shows anything else
 */
export function entityBehind(lowering: Lowering, entity: LinkedEntity): LinkedEntity {
  let behind = known.get(entity);
  if (behind === undefined) {
    behind = isPlainView(lowering, entity) ? entityBehind(lowering, entity.$source!) : entity;
    known.set(entity, behind);
  }
  return behind;
}

/** Views that somebody else has made may show anything. */
function isPlainView({ plain }: Lowering, entity: LinkedEntity): boolean {
  const query = viewTree(entity);
  if (!query || !entity.$source || entity["@cds.persistence.exists"] === true) return false;
  const { query: { SELECT: body }, columns } = plain().select(query, { view: true });
  const { from, columns: _columns, ...others } = body;
  if (
    Object.keys(others).length > 0 || from.kind !== "reference" || from.ref[0] !== sqlName(entity.$source)
  ) {
    return false;
  }
  return columns.every(({ name, expression }) =>
    expression.kind === "reference" && expression.ref.length === 2 && expression.ref[0] === from.as &&
    expression.ref[1] === name
  );
}
