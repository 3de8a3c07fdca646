/**
 * Checks of a syntax tree that need no model: bounds on what a client can grow.
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import type { ODataRelativeUri } from "./ast.ts";
import { checkAliases } from "./checks/aliases.ts";
import { checkExpand } from "./checks/expand.ts";
import { checkInList } from "./checks/in_list.ts";
import { checkLambdaDepth } from "./checks/lambda_depth.ts";
import { checkPathSteps } from "./checks/path_steps.ts";

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
