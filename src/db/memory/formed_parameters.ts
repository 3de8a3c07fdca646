/**
 * Parameters that must have values of the elements beside them, whatever rows there are.
 *
 * @module
 */

import type { Expr } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import { type Binding, bindingOf } from "../render/binding.ts";

const KNOWN: WeakMap<Expr, readonly Binding[]> = new WeakMap();

/** Parameters of a lowered query or condition that are compared with elements. */
export function formedParameters(lowered: Expr): readonly Binding[] {
  let formed = KNOWN.get(lowered);
  if (formed) return formed;
  const found: Binding[] = [];
  walkTree(lowered, (expression) => {
    if (expression.kind === "parameter" && expression.form) found.push(bindingOf(expression));
  });
  KNOWN.set(lowered, formed = found);
  return formed;
}
