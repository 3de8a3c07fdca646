/**
 * Search text → search terms of CQN.
 *
 * @module
 */

import type { Xo } from "../../../cqn/cqn.ts";
import type { SearchExpr } from "../../url/ast.ts";

/**
 * Plans `$search`.
 *
 * @param search the parsed text
 * @returns terms with `and`, `or`, `not`; groups are nested
 */
export function planSearch(search: SearchExpr): Xo[] {
  switch (search.kind) {
    case "searchWord":
    case "searchPhrase":
      return [{ val: search.text }];
    case "searchNegateExpr":
      return ["not", ...grouped(search.expr)];
    case "searchAndExpr":
      return [...grouped(search.left, "searchAndExpr"), "and", ...grouped(search.right, "searchAndExpr")];
    case "searchOrExpr":
      return [...grouped(search.left, "searchOrExpr"), "or", ...grouped(search.right, "searchOrExpr")];
    default:
      return search satisfies never;
  }
}

/** In parentheses unless it is a single term or a chain of the same operator. */
function grouped(search: SearchExpr, chain?: SearchExpr["kind"]): Xo[] {
  const xpr = planSearch(search);
  return xpr.length < 3 || search.kind === chain ? xpr : [{ xpr }];
}
