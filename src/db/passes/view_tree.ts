/**
 * The queries of views as trees.
 *
 * @module
 */

import { fromQuery } from "../../algebra/from_cqn.ts";
import type { TreeQuery } from "../../algebra/tree.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { viewQuery } from "../../model/view_query.ts";

const TREES: WeakMap<LinkedEntity, TreeQuery> = new WeakMap();

/** The query of a view; undefined for tables. */
export function viewTree(entity: LinkedEntity): TreeQuery | undefined {
  let tree = TREES.get(entity);
  const query = tree ? undefined : viewQuery(entity);
  if (query) TREES.set(entity, tree = fromQuery(query));
  return tree;
}
