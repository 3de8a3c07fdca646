/**
 * Depth and number of items of `$expand`.
 *
 * @module
 */

import type { Limits } from "../../../config/limits.ts";
import type { QueryOptions } from "../ast.ts";
import { limitError } from "./limit_error.ts";

/**
 * Checks `$expand` at all levels.
 *
 * @param options query options
 * @param limits `expandDepth`, `expandItems`
 * @throws {ServiceError} 400 beyond a limit
 */
export function checkExpand(options: QueryOptions, limits: Limits): void {
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
