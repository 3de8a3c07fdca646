/**
 * Length of the lists behind `in`.
 *
 * @module
 */

import type { Limits } from "../../../config/limits.ts";
import type { ODataRelativeUri } from "../ast.ts";
import { walkTree } from "../walk_tree.ts";
import { limitError } from "./limit_error.ts";

/**
 * Checks all lists of a URL.
 *
 * @param url the tree
 * @param limits `inList`
 * @throws {ServiceError} 400 beyond the limit
 */
export function checkInList(url: ODataRelativeUri, limits: Limits): void {
  walkTree(url, (node) => {
    if (node.kind !== "listExpr" && node.kind !== "array") return;
    const { items, offset } = node as unknown as { items: readonly unknown[]; offset: number }; // both kinds have them
    if (items.length > limits.inList) throw limitError("The list is too long", limits.inList, offset);
  });
}
