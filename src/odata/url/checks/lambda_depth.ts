/**
 * Nesting of `any` and `all`.
 *
 * @module
 */

import type { Limits } from "../../../config/limits.ts";
import type { ODataRelativeUri } from "../ast.ts";
import { walkTree } from "../walk_tree.ts";
import { limitError } from "./limit_error.ts";

/**
 * Checks the nesting of lambda expressions.
 *
 * @param url the tree
 * @param limits `lambdaDepth`
 * @throws {ServiceError} 400 beyond the limit
 */
export function checkLambdaDepth(url: ODataRelativeUri, limits: Limits): void {
  walkTree(url, (node, ancestors) => {
    if (node.kind !== "anyExpr" && node.kind !== "allExpr") return;
    const depth = ancestors.filter(({ kind }) => kind === "anyExpr" || kind === "allExpr").length + 1;
    if (depth > limits.lambdaDepth) {
      throw limitError("any and all are nested too deeply", limits.lambdaDepth, node.offset);
    }
  });
}
