/**
 * `$compute` → named values (OData 4.01 Part 2, section 5.1.5).
 *
 * @module
 */

import type { QueryOptions } from "../../url/ast.ts";
import { badRequest } from "../plan_error.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { assertSize } from "./query_size.ts";
import type { Scope, Typed } from "../scope.ts";

/**
 * Plans `$compute`.
 *
 * @param options has the items
 * @param scope what their names refer to
 * @returns all computed values of the scope, the new ones among them
 * @throws {ServiceError} 400 for a name that is taken
 */
export function planCompute(options: QueryOptions, scope: Scope): ReadonlyMap<string, Typed> {
  const computed = new Map(scope.computed);
  for (const { expr, name, offset } of options.compute ?? []) {
    if (computed.has(name) || isProperty(name, scope)) {
      throw badRequest(`The name "${name}" is taken`, offset);
    }
    const value = planValue(expr, { ...scope, computed });
    assertSize([value.expr], scope.bindings.limits.queryNodes, offset);
    computed.set(name, value);
  }
  return computed;
}

function isProperty(name: string, { base, entity }: Scope): boolean {
  if (base?.kind === "item") return Object.hasOwn(base.element.$type.elements ?? {}, name);
  return entity.$flat.has(name) || Object.hasOwn(entity.elements, name);
}
