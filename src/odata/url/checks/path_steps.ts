/**
 * The length of paths: each step may cost a join or a subquery.
 *
 * @module
 */

import type { Limits } from "../../../config/limits.ts";
import type { MemberExpr, ODataRelativeUri } from "../ast.ts";
import { walkTree } from "../walk_tree.ts";
import { limitError } from "./limit_error.ts";

/**
 * Checks the number of segments, and of steps of each path in an expression.
 *
 * @param url the tree
 * @param limits `pathSteps`
 * @throws {ServiceError} 400 beyond the limit
 */
export function checkPathSteps(url: ODataRelativeUri, { pathSteps }: Limits): void {
  const segment = url.path[pathSteps];
  if (segment !== undefined) throw limitError("The path is too long", pathSteps, segment.offset);
  walkTree(url, (node) => {
    if (node.kind !== "memberExpr") return;
    const step = (node as MemberExpr).steps[pathSteps]; // nodes of this kind are paths
    if (step !== undefined) throw limitError("The path is too long", pathSteps, step.offset);
  });
}
