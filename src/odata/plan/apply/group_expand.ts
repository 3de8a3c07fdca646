/**
 * `$expand` of groups: a group that holds the key of a related entity is one of instances that all lead to it (Data
 * Aggregation 4.0, 3.2.3.1). Related entities are read by these keys when the groups are known
 * (`resources/read_groups.ts`).
 *
 * @module
 */

import { reference, select } from "../../../algebra/build.ts";
import type { ColumnName, Expr, TreeColumn, TreeNested, TreeSelect } from "../../../algebra/tree.ts";
import { columnPath } from "../../../algebra/walk_tree.ts";
import type { ExpandItem } from "../../url/ast.ts";
import type { ExpandShape } from "../result_shape.ts";
import type { GroupExpand } from "../plan.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { type ColumnContext, planExpandItem } from "../options/plan_columns.ts";
import { navigationNames, navigationOf } from "../service_index.ts";
import { asColumn, type Property, type Table } from "./state.ts";

/** Related entities of groups. */
export interface ExpandedGroups {
  readonly groups: readonly GroupExpand<TreeSelect>[];
  readonly shapes: readonly ExpandShape[];
  /** Columns with the keys, beside those that are shown. */
  readonly columns: readonly (Expr & ColumnName)[];
}

/**
 * Plans `$expand` of groups.
 *
 * @param items the items
 * @param table the groups
 * @param context the scope of the instances, and how far `$expand` goes
 * @throws {ServiceError} 400 for navigation properties whose key the groups do not have, 501 for collections
 */
export function expandedGroups(
  items: readonly ExpandItem[],
  table: Table,
  context: ColumnContext,
): ExpandedGroups {
  const { entity } = context.scope;
  const found = new Map<string, Expanded>();
  for (const item of items) {
    const [name, more] = item.path;
    if (more !== undefined) throw notImplemented("This path in $expand of groups", item.offset);
    const names = name === "*"
      ? [...navigationNames(entity)].filter((one) => keysOf(one, table, context) !== undefined)
      : [name];
    for (const one of names) {
      const isNamed = name !== "*" || !items.some(({ path }) => path[0] === one);
      if (isNamed) found.set(one, expandedGroup({ ...item, path: [one] }, table, context));
    }
  }
  const all = [...found.values()];
  const columns = new Map(all.flatMap(({ keys }) => keys.map(({ column }) => [column.name, column])));
  return {
    groups: all.map(({ group }) => group),
    shapes: all.map(({ shape }) => shape),
    columns: [...columns.values()].map(({ name, value }) => asColumn(value.expr, name)),
  };
}

interface KeyProperty {
  /** The property of the groups. */
  readonly column: Property;
  /** Flat name of the property of the related entity. */
  readonly target: string;
}

interface Expanded {
  readonly group: GroupExpand<TreeSelect>;
  readonly shape: ExpandShape;
  readonly keys: readonly KeyProperty[];
}

/** The properties of groups that make the key of a related entity; undefined if one is missing. */
function keysOf(
  name: string,
  { properties }: Table,
  { scope: { entity } }: ColumnContext,
): readonly KeyProperty[] | undefined {
  const foreign = navigationOf(entity, name)?.element.$foreignKeys ?? [];
  const keys = foreign.map((key) => {
    const column = properties.find(({ path }) =>
      path.join("/") === `${name}/${key.target}` || path.join("/") === key.name
    );
    return column && { column, target: key.target };
  });
  return keys.length > 0 && keys.every((key) => key !== undefined) ? keys : undefined;
}

function expandedGroup(item: ExpandItem, table: Table, context: ColumnContext): Expanded {
  const { scope } = context;
  const [name] = item.path;
  const navigation = navigationOf(scope.entity, name!);
  if (navigation?.element.is2many) throw notImplemented("A collection in $expand of groups", item.offset);
  // no instance stands for a group
  const planned = planExpandItem(item, { ...context, scope: { ...scope, it: { kind: "none" } } });
  const keys = keysOf(name!, table, context);
  if (keys === undefined) throw badRequest(`The groups have no key of "${name}"`, item.offset);
  if (table.properties.some(({ path }) => path.join("/") === name)) {
    throw badRequest(`The name "${name}" is taken`, item.offset);
  }
  const { ref: [step] = [], expand = ["*"], where, validity } = planned.column as TreeNested; // it is to one
  const as = typeof step === "object" ? step.as : undefined;
  const missing = keys.filter(({ target }) => !expand.some((column) => isOf(column, target)));
  const columns = [...expand, ...missing.map(({ target }) => reference([target]))];
  const from = { ...reference([navigation!.target.name]), ...(as !== undefined && { as }) };
  return {
    keys,
    shape: planned.shape,
    group: {
      name: name!,
      keys: keys.map(({ column: { name, parts }, target }) => ({
        column: name,
        target,
        ...(parts && { parts }),
      })),
      query: select({ from, columns, localized: true, bounded: true, where, validity }),
    },
  };
}

function isOf(column: TreeColumn, name: string): boolean {
  if (column === "*") return true;
  const steps = columnPath(column);
  return steps.length === 1 && steps[0] === name;
}
