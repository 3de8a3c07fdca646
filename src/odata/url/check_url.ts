/**
 * Checks of a syntax tree that need no model: bounds on what a client can grow.
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import type { MemberExpr, ODataRelativeUri, QueryOptions } from "./ast.ts";
import { checkAliases } from "./checks/aliases.ts";
import { checkLambdaDepth } from "./checks/lambda_depth.ts";
import { walkTree } from "./walk_tree.ts";
import { limitError } from "./syntax_error.ts";

/**
 * Checks a tree against the limits; depth and number of nodes were checked while parsing, but for what aliases add.
 *
 * @param url the tree
 * @param limits bounds in effect
 * @throws {ServiceError} 400 naming the limit
 */
export function checkUrl(url: ODataRelativeUri, limits: Limits): void {
  checkExpand(url.options, limits);
  checkInList(url, limits);
  checkLambdaDepth(url, limits);
  checkPathSteps(url, limits);
  checkAliases(url, limits);
}

/**
 * Checks `$expand` at all levels.
 *
 * @param options query options
 * @param limits `expandDepth`, `expandItems`
 * @throws {ServiceError} 400 beyond a limit
 */
function checkExpand(options: QueryOptions, limits: Limits): void {
  let items = 0;
  function visit({ expand }: QueryOptions, depth: number): void {
    for (const item of expand ?? []) {
      if (++items > limits.expandItems) {
        throw limitError("Too many items of $expand", limits.expandItems, item.offset);
      }
      if (depth > limits.expandDepth) {
        throw limitError("$expand is nested too deeply", limits.expandDepth, item.offset);
      }
      if (item.options !== undefined) visit(item.options, depth + 1);
    }
  }
  visit(options, 1);
}

/**
 * Checks all lists of a URL.
 *
 * @param url the tree
 * @param limits `inList`
 * @throws {ServiceError} 400 beyond the limit
 */
function checkInList(url: ODataRelativeUri, limits: Limits): void {
  walkTree(url, (node) => {
    if (node.kind !== "listExpr" && node.kind !== "array") return;
    const { items, offset } = node as unknown as { items: readonly unknown[]; offset: number }; // both kinds have them
    if (items.length > limits.inList) throw limitError("The list is too long", limits.inList, offset);
  });
}

/**
 * Checks the number of segments, and of steps of each path in an expression.
 *
 * @param url the tree
 * @param limits `pathSteps`
 * @throws {ServiceError} 400 beyond the limit
 */
function checkPathSteps(url: ODataRelativeUri, { pathSteps }: Limits): void {
  const segment = url.path[pathSteps];
  if (segment !== undefined) throw limitError("The path is too long", pathSteps, segment.offset);
  walkTree(url, (node) => {
    if (node.kind !== "memberExpr") return;
    const step = (node as MemberExpr).steps[pathSteps]; // nodes of this kind are paths
    if (step !== undefined) throw limitError("The path is too long", pathSteps, step.offset);
  });
}
