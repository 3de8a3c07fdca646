/**
 * Nesting of `any`, `all`, `$filter(…)` and `$count(…)`: each is evaluated for each row of those outside of it.
 *
 * @module
 */

import type { Limits } from "../../../config/limits.ts";
import type { AstNode, CountStep, ODataRelativeUri } from "../ast.ts";
import { walkTree } from "../walk_tree.ts";
import { limitError } from "../syntax_error.ts";

/**
 * Checks the nesting of conditions about related rows.
 *
 * @param url the tree
 * @param limits `lambdaDepth`
 * @throws {ServiceError} 400 beyond the limit
 */
export function checkLambdaDepth(url: ODataRelativeUri, limits: Limits): void {
  walkTree(url, (node, ancestors) => {
    if (!isAboutRows(node)) return;
    const depth = ancestors.filter(isAboutRows).length + 1;
    if (depth > limits.lambdaDepth) {
      throw limitError(
        "Conditions about related rows are nested too deeply",
        limits.lambdaDepth,
        node.offset,
      );
    }
  });
}

/**
 * Whether a step of a path holds a condition about the rows that the path leads to.
 *
 * @param node the step
 */
export function isAboutRows(node: AstNode): boolean {
  const { kind } = node;
  return kind === "anyExpr" || kind === "allExpr" || kind === "filterStep" ||
    (kind === "countStep" && (node as CountStep).options !== undefined); // nodes of this kind are `$count`
}
