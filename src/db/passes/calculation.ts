/**
 * The expressions of calculated elements (csn-cqn 3).
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
import { mapRefs } from "../../cqn/map_refs.ts";
import type { FlatElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { symbolValue } from "./symbol_value.ts";
import { stepName } from "./scope.ts";

/**
 * The expression of a calculated element, with paths that start at the entity. Those of an element of a structure
 * start among the elements beside it.
 *
 * @param flat the element
 * @param entity has the element
 */
export function calculation({ element, path }: FlatElement, entity: LinkedEntity): Expression {
  const { stored: _stored, ...value } = element.value!; // the caller has looked for it
  const expression = value as Expression;
  if ("#" in expression) return symbolValue(expression["#"], element.$type.enum);
  const around = path.slice(0, -1);
  const beside = around.reduce<LinkedElements | undefined>(
    (elements, step) => elements?.[step]?.$type.elements,
    entity.elements,
  );
  if (around.length === 0 || !beside) return expression;
  const [result] = mapRefs([expression], (ref) => {
    const first = stepName(ref[0] as string); // paths hold steps only
    if (first === "$self") return ref.slice(1);
    return beside[first] ? [...around, ...ref] : ref;
  });
  return result as Expression;
}
