/**
 * The expressions of calculated elements (csn-cqn 3).
 *
 * @module
 */

import { literal } from "../../algebra/build.ts";
import { fromExpression } from "../../algebra/from_cqn.ts";
import type { Expr } from "../../algebra/tree.ts";
import { mapPaths } from "../../algebra/walk_tree.ts";
import type { Expression } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { symbolValue } from "./symbol_value.ts";
import { stepName } from "../../cqn/steps.ts";

/**
 * The expression of a calculated element, with paths that start at the entity. Those of an element of a structure
 * start among the elements beside it.
 *
 * @param flat the element
 * @param entity has the element
 */
export function calculation({ element, path }: FlatElement, entity: LinkedEntity): Expr {
  const { stored: _stored, ...value } = element.value!; // the caller has looked for it
  const given = value as Expression;
  if ("#" in given) return literal(symbolValue(given["#"], element.$type.enum));
  const expression = fromExpression(given);
  const around = path.slice(0, -1);
  const beside = around.reduce<LinkedElements | undefined>(
    (elements, step) => elements?.[step]?.$type.elements,
    entity.elements,
  );
  if (around.length === 0 || !beside) return expression;
  return mapPaths(expression, (ref) => {
    const first = stepName(ref[0]!);
    if (first === "$self") return ref.slice(1);
    return beside[first] ? [...around, ...ref] : ref;
  });
}
