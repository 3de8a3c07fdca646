/**
 * Options of a URL behind `$apply`, and the shape of the rows.
 *
 * @module
 */

import type { LinkedEntity } from "../../../model/linked.ts";
import type { QueryOptions, SelectItem } from "../../url/ast.ts";
import { allOf } from "../../../algebra/build.ts";
import type { ResultShape } from "../result_shape.ts";
import { unknownName } from "../plan_error.ts";
import { planCondition } from "../expressions/plan_expression.ts";
import { resolvedType } from "../options/member_shape.ts";
import { planOrderby } from "../options/plan_orderby.ts";
import { computed } from "./aggregates.ts";
import { derived, isCut, type Property, scopeOf, type State, type Table } from "./state.ts";

/** A table with the options of the URL, and what is shown of it. */
export interface ShapedTable {
  readonly table: Table;
  readonly shown: readonly Property[];
  /** Properties that are not shown, but tell what is null, or missing, of those that are. */
  readonly telling: readonly Property[];
  readonly shape: ResultShape;
}

/**
 * Applies `$compute`, `$filter`, `$orderby` and `$select` to a table.
 *
 * @param state the table
 * @param options the options
 * @param given the entity that was transformed, and the names of `join` that are expanded
 * @returns the table, and what is shown of it
 */
export function shapedTable(
  state: Table,
  options: QueryOptions,
  { entity, expanded = new Map() }: {
    readonly entity: LinkedEntity | undefined;
    readonly expanded?: ReadonlyMap<string, Selected>;
  },
): ShapedTable {
  const table = withOptions(state, options);
  const names = options.select?.map((item) => item.path.join("/"));
  for (const item of options.select ?? []) assertProperty(item, table);
  const shown = table.properties.filter(({ path, joined }) => {
    if (joined !== undefined && expanded.has(joined)) return isSelected(path.slice(1), expanded.get(joined));
    if (names?.some((name) => name !== "*") && isSelected(path, names.filter((name) => name !== "*"))) {
      return true;
    }
    return joined === undefined && isSelected(path, names);
  });
  const columns = new Set(shown.map(({ name }) => name));
  const needed = new Set(shown.flatMap(({ wholes = [], only }) => [
    ...wholes.flatMap(({ columns }) => columns),
    ...only ? [only.column] : [],
  ]));
  const telling = table.properties.filter(({ name }) => needed.has(name) && !columns.has(name));
  const shape: ResultShape = {
    ...(entity && { entity }),
    expand: [],
    computed: [],
    aggregated: shown.map(({ value, joined: _joined, ...property }) => ({
      ...property,
      type: resolvedType(value),
    })),
  };
  return { table, shown, telling, shape };
}

/** Names of properties that are shown; undefined for all. */
export type Selected = readonly string[] | undefined;

function isSelected(path: readonly string[], names: Selected): boolean {
  return names === undefined || names.includes("*") ||
    path.some((_, index) => names.includes(path.slice(0, index + 1).join("/")));
}

/**
 * The state with the condition of `$filter`.
 *
 * @param state rows without bounds
 * @param options the options
 */
export function withFilter(state: State, { filter }: QueryOptions): State {
  if (filter === undefined) return state;
  const condition = planCondition(filter, scopeOf(state));
  if (state.kind === "table" && state.isGrouped) {
    return { ...state, having: allOf([state.having, condition]) };
  }
  return { ...state, where: allOf([state.where, condition]) };
}

/** `$compute`, `$filter` and `$orderby` behind `$apply`; bounds of `$apply` come before them. */
function withOptions(given: Table, options: QueryOptions): Table {
  let table = isCut(given) && isBehindCut(options) ? derived(given) : given;
  if (options.compute) table = computed(options.compute, table) as Table; // tables stay tables
  table = withFilter(table, options) as Table;
  if (!options.orderby) return table;
  return { ...table, orderBy: planOrderby(options.orderby, scopeOf(table), false) };
}

function assertProperty({ path, offset }: SelectItem, { properties }: Table): void {
  const name = path.join("/");
  if (name === "*" || properties.some(({ path }) => `${path.join("/")}/`.startsWith(`${name}/`))) return;
  const known = properties.map((property) => property.path.join("/"));
  throw unknownName({ name, offset, what: "property", owner: "$apply", known });
}

/**
 * Whether options need rows to which bounds have been applied.
 *
 * @param options the options
 */
export function isBehindCut(options: QueryOptions): boolean {
  return (["filter", "search", "orderby", "count", "top", "skip"] as const).some((name) =>
    options[name] !== undefined
  );
}
