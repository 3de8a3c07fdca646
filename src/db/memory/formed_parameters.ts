/**
 * Parameters that must have values of the elements beside them, whatever rows there are.
 *
 * @module
 */

import type { SelectQuery, Xo } from "../../cqn/cqn.ts";
import { walkQuery, walkXo } from "../../cqn/walk.ts";
import type { FormedReference } from "../passes/stored_form.ts";
import { type Binding, bindingOf } from "../render/binding.ts";

/** Parameters of a lowered query that are compared with elements. */
export function formedParameters(query: SelectQuery): readonly Binding[] {
  const formed: Binding[] = [];
  walkQuery(query, (expression) => add(formed, expression));
  return formed;
}

const KNOWN: WeakMap<readonly Xo[], readonly Binding[]> = new WeakMap();

/** Those of a lowered condition; a frozen one is looked at once. */
export function formedIn(condition: readonly Xo[]): readonly Binding[] {
  const known = KNOWN.get(condition);
  if (known) return known;
  const formed: Binding[] = [];
  walkXo(condition, (expression) => add(formed, expression));
  if (Object.isFrozen(condition)) KNOWN.set(condition, formed);
  return formed;
}

function add(formed: Binding[], expression: object): void {
  if ("form" in expression && "param" in expression) formed.push(bindingOf(expression as FormedReference));
}
