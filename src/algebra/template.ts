/**
 * Queries as templates: frozen CQN, by whose identity engines and restrictions keep what they make of it, and the tree that it
 * stands for. Who makes trees hands out CQN that is never read again.
 *
 * @module
 */

import type { SelectQuery, SetQuery } from "../cqn/cqn.ts";
import { deepFreeze } from "../util/deep_freeze.ts";
import { keepTree } from "./from_cqn.ts";
import { toQuery } from "./to_cqn.ts";
import type { TreeQuery, TreeSelect } from "./tree.ts";

const TEMPLATES: WeakMap<TreeQuery, SelectQuery | SetQuery> = new WeakMap();

/** The template of a tree, always the same. */
export function templateOf(tree: TreeSelect): SelectQuery;
export function templateOf(tree: TreeQuery): SelectQuery | SetQuery;
export function templateOf(tree: TreeQuery): SelectQuery | SetQuery {
  let template = TEMPLATES.get(tree);
  if (template === undefined) {
    TEMPLATES.set(tree, template = deepFreeze(toQuery(tree)));
    keepTree(template, tree);
  }
  return template;
}
