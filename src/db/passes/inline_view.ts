import { isBound } from "../../algebra/build.ts";
import type { Expr, TreeQuery } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import { hasParameters, isRuntimeView, viewQuery } from "../../model/runtime_view.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Lowering } from "./scope.ts";
import { fromQuery } from "../../algebra/from_cqn.ts";
import { sqlName } from "../sql_name.ts";

const TREES: WeakMap<LinkedEntity, TreeQuery> = new WeakMap();

/** The query of a view; undefined for tables. */
export function viewTree(entity: LinkedEntity): TreeQuery | undefined {
  let tree = TREES.get(entity);
  const query = tree ? undefined : viewQuery(entity);
  if (query) TREES.set(entity, tree = fromQuery(query));
  return tree;
}

const known: WeakMap<LinkedEntity, boolean> = new WeakMap();

/**
 * Whether a view is replaced by its query wherever it is read.
 *
 * @param lowering lowers the query of the view, which tells what it depends on
 * @param entity any entity
 */
export function isInlineView(lowering: Lowering, entity: LinkedEntity): boolean {
  const inline = known.get(entity);
  if (inline !== undefined) return inline;
  known.set(entity, false); // a view does not depend on itself
  const result = viewTree(entity) !== undefined &&
    (isRuntimeView(entity) || hasParameters(entity) || dependsOnRequest(lowering, entity));
  known.set(entity, result);
  return result;
}

/** Whether a view depends on the request: by itself, by views it reads, calculated elements, or conditions of associations. */
function dependsOnRequest({ plain }: Lowering, entity: LinkedEntity): boolean {
  let found = false;
  walkTree(plain().select(viewTree(entity)!, { view: true }).query, (expression) => {
    if (expression.kind === "nested") return;
    if (isBound(expression as Expr)) found = true;
    if (expression.kind === "call" && expression.func === "now") found = true;
  });
  return found;
}

const plainViews: WeakMap<LinkedEntity, LinkedEntity> = new WeakMap();

/**
 * The entity whose table or view has the rows of an entity under the same names: the one behind it where it leaves out
 * columns at most. The database has less to do there.
 *
 * @param lowering lowers the query of the view, which tells what it shows
 * @param entity any entity
 * @returns the entity itself where it is a table, or shows anything else
 */
export function entityBehind(lowering: Lowering, entity: LinkedEntity): LinkedEntity {
  let behind = plainViews.get(entity);
  if (behind === undefined) {
    behind = isPlainView(lowering, entity) ? entityBehind(lowering, entity.$source!) : entity;
    plainViews.set(entity, behind);
  }
  return behind;
}

/** Views that somebody else has made may show anything. */
function isPlainView({ plain }: Lowering, entity: LinkedEntity): boolean {
  const { $source } = entity;
  if (!$source || entity["@cds.persistence.exists"] === true) return false;
  const { query: { SELECT: body }, columns } = plain().select(viewTree(entity)!, { view: true });
  const { from, columns: _columns, ...others } = body;
  if (
    Object.keys(others).length > 0 || from.kind !== "reference" || from.ref[0] !== sqlName($source)
  ) {
    return false;
  }
  return columns.every(({ name, expression }) =>
    expression.kind === "reference" && expression.ref.length === 2 && expression.ref[0] === from.as &&
    expression.ref[1] === name
  );
}
