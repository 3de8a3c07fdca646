/**
 * Query options on values that operations return and that are no entities (OData Protocol 11.5.4.1): the values become
 * the source of a query, whose conditions and order see them as those on collections of values do.
 *
 * @module
 */

import type { Column, SelectBody } from "../../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import type { QueryOptions } from "../../url/ast.ts";
import { clausesOf } from "./entity_query.ts";
import { memberShape } from "./member_shape.ts";
import type { ResultPlan } from "../plan.ts";
import { notImplemented } from "../plan_error.ts";
import { planCondition } from "../expressions/plan_expression.ts";
import { insideOf, type InsideScope } from "../expressions/plan_item.ts";
import { planOrderby } from "./plan_orderby.ts";
import { planSearch } from "./plan_search.ts";
import { nothing } from "./plan_structure.ts";
import { searched, withComputed } from "./plan_values.ts";
import { withPosition } from "../paths/positions.ts";
import { GIVEN_ROWS } from "../paths/resource.ts";
import type { Scope } from "../scope.ts";
import { typedColumn } from "../expressions/typed_column.ts";

/** The step that stands for given values, whatever they are. */
const GIVEN_VALUES = "$rows";

/** What values are planned with. */
export interface ValueContext {
  readonly options: QueryOptions;
  /** The scope of an entity; values have none around them. */
  readonly scopeOf: (entity: LinkedEntity) => Scope;
}

/**
 * Plans the options of values.
 *
 * @param returned the type of a value, and whether many are returned
 * @param context options and names
 * @returns the query of the values, and what is shown of them
 * @throws {ServiceError} 501 for options that make other values of them
 */
export function planValueResult(
  returned: { readonly element: LinkedElement; readonly many: boolean },
  { options, scopeOf }: ValueContext,
): ResultPlan {
  const { element, many } = returned;
  for (const name of ["apply", "expand"] as const) {
    if (options[name] === undefined) continue;
    throw notImplemented(`$${name} for values that an operation returns`, options.offsets[name]);
  }
  const place = insideOf(element, scopeOf(nothing()));
  const inside = withComputed(options, { ...place, scope: { ...place.scope, it: place.place } });
  const values = memberShape(element, options, inside.own);
  const names = element.$type.elements ? [...values.computed?.keys() ?? []] : [];
  const columns = names.map((name): Column => typedColumn(inside.own.get(name)!, name));
  const clauses = many ? clausesOfValues(options, inside) : {};
  const isPlain = names.length === 0 && !clauses.where && !clauses.orderBy;
  const shown = values.select || values.computed ? { values } : {};
  if (isPlain) return { own: [], ...shown };
  const rows = { ref: [GIVEN_ROWS], param: true as const };
  const from = { ref: [{ id: GIVEN_VALUES, rows }], as: inside.name };
  return { query: withPosition({ from, ...clauses }, columns), own: names, ...shown };
}

function clausesOfValues(options: QueryOptions, { scope, place }: InsideScope): Partial<SelectBody> {
  const conditions = [
    options.filter && planCondition(options.filter, scope),
    options.search && searched(planSearch(options.search), place),
  ].filter((condition) => condition !== undefined);
  const where = conditions.flatMap((xpr, at) => [...(at > 0 ? ["and"] : []), { xpr }]);
  const orderBy = planOrderby(options.orderby, scope, false);
  return clausesOf(options, { where: where.length > 0 ? where : undefined, search: undefined, orderBy });
}
