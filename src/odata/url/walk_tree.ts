/**
 * A walk over all nodes of a syntax tree.
 *
 * @module
 */

import type { AstNode } from "./ast.ts";

/**
 * Visits each node before those below it.
 *
 * @param tree a tree or a part of one
 * @param visit is given the node and the nodes above it, outermost first
 */
export function walkTree(tree: object, visit: (node: AstNode, ancestors: readonly AstNode[]) => void): void {
  const ancestors: AstNode[] = [];
  function step(value: unknown): void {
    if (typeof value !== "object" || value === null || value instanceof Error) return;
    if (Array.isArray(value)) {
      for (const item of value) step(item);
      return;
    }
    const isNode = "kind" in value && "offset" in value;
    if (isNode) {
      const node = value as AstNode; // nodes are the objects with kind and offset
      visit(node, ancestors);
      ancestors.push(node);
    }
    for (const member of Object.values(value)) if (typeof member === "object") step(member);
    if (isNode) ancestors.pop();
  }
  step(tree);
}
