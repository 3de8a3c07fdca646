/** Conditions of restrictions as CQL. */

import { fromExpression } from "../../../src/algebra/from_cqn.ts";
import { toCqnExpression } from "../../../src/algebra/to_cqn.ts";
import type { Expr } from "../../../src/algebra/tree.ts";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import { printExpression } from "../../../src/cqn/print_query.ts";

export function condition(text: string): Expr {
  return fromExpression({ xpr: parseExpression(text) });
}

export function conditionText(tree: Expr): string {
  return printExpression(toCqnExpression(tree));
}
