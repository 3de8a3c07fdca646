/**
 * `$apply` on the related instances of each row: in `$expand`, and as `addnested` (Data Aggregation 4.0, 3.5.2 and 6.1).
 *
 * @module
 */

import { column, compare, join, reference, select } from "../../../algebra/build.ts";
import type { TreeColumn, TreeSelect } from "../../../algebra/tree.ts";
import type { QueryOptions } from "../../url/ast.ts";
import type { ResultShape } from "../result_shape.ts";
import { notImplemented } from "../plan_error.ts";
import { planOrderby } from "../options/plan_orderby.ts";
import { planSearch } from "../options/row_conditions.ts";
import { namedRows, type Scope } from "../scope.ts";
import { planApply } from "./plan_apply.ts";
import { shapedTable, withFilter } from "./shaped_table.ts";
import {
  isCut,
  isInstances,
  limitOf,
  type Rows,
  selectOf,
  settled,
  type Table,
  tableOf,
  uncut,
} from "./state.ts";
import { orderOf } from "./cuts.ts";
import { storedKeys } from "../../../model/keys.ts";

/** The rows around, and the related ones. */
export interface NestedPlace {
  /** The navigation property. */
  readonly name: string;
  /** The scope of the rows around. */
  readonly outer: Scope;
  /** The scope of the related instances. */
  readonly scope: Scope;
}

/** The rows of each row around. */
export interface NestedRows {
  readonly query: TreeSelect;
  readonly shape: ResultShape;
}

/** Plans the columns of instances; handed in, because columns hold nested results themselves. */
export type PlanInstances = (
  options: QueryOptions,
  scope: Scope,
) => {
  readonly columns?: readonly TreeColumn[];
  readonly shape: ResultShape;
  /** Names of `compute` and `$compute`. */
  readonly computed: Scope["computed"];
};

/**
 * Plans `$apply` on related instances.
 *
 * @param given the options, `$apply` among them
 * @param place the rows around, and the related ones
 * @param columns plans the columns of instances
 * @returns a query that refers to the rows around, and what its rows hold
 */
export function nestedApply(given: QueryOptions, place: NestedPlace, columns: PlanInstances): NestedRows {
  const { apply, ...options } = given;
  const { name, outer, scope } = place;
  const owner = outer.row.name ??= outer.bindings.rowName();
  const keys = storedKeys(outer.entity);
  if (keys.length === 0) throw notImplemented("$apply below entities without key", given.offsets.apply);
  const same = keys.map(({ name }) => compare(reference([name]), "=", column(owner, name)));
  // the row around is there, whenever the related ones are valid
  const from = reference([{ id: outer.entity.name, where: join("and", same), history: true }, name]);
  const state = settled(planApply(apply!, scope, from)); // the caller asks for it only with $apply
  const { query, shape } = isInstances(state)
    ? instances(state, options, columns)
    : table(tableOf(state), options, scope);
  return { query: namedRows(query, from, scope.row), shape };
}

function instances(given: Rows, options: QueryOptions, columns: PlanInstances): NestedRows {
  const state = isCut(given) ? uncut(given) : given;
  if (state.kind === "table") return table(state, options, given.scope);
  const planned = columns(
    { ...options, expand: [...options.expand ?? [], ...state.nested ?? []] },
    state.scope,
  );
  const scope = { ...state.scope, computed: planned.computed };
  const filtered = withFilter({ ...state, scope }, options) as Rows; // instances stay instances
  const search = options.search && planSearch(options.search);
  if (search && state.search) throw notImplemented("$search with search in $apply", options.offsets.search);
  const orderBy = options.orderby ? planOrderby(options.orderby, scope, false) : state.orderBy ?? [];
  return {
    query: select({
      from: state.from,
      columns: planned.columns ?? ["*"],
      where: filtered.where,
      search: search ?? state.search,
      orderBy: orderOf(state, orderBy),
      ...limitOf(options),
    }),
    shape: planned.shape,
  };
}

function table(given: Table, options: QueryOptions, { entity }: Scope): NestedRows {
  for (const name of ["expand", "search"] as const) {
    if (options[name] !== undefined) throw notImplemented(`$${name} with $apply`, options.offsets[name]);
  }
  const whole = isCut(given) ? uncut(given) as Table : given;
  const { table, shown, telling, shape } = shapedTable(whole, options, { entity });
  const { SELECT } = selectOf({ ...table, properties: [...shown, ...telling] });
  return { query: select({ ...SELECT, orderBy: orderOf(table), ...limitOf(options) }), shape };
}
