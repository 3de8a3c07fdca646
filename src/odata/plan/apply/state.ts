/**
 * What a sequence of transformations has made so far (Data Aggregation 4.0, 3): instances of the entity, or rows with
 * properties of their own. States are never changed; each transformation gives a new one.
 *
 * @module
 */

import { allOf, isIn, list, numeral, reference, select } from "../../../algebra/build.ts";
import type {
  ColumnName,
  Expr,
  Reference,
  TreeBody,
  TreeOrder,
  TreeSelect,
  TreeSource,
  TreeStep,
} from "../../../algebra/tree.ts";
import { columnPath } from "../../../algebra/walk_tree.ts";
import { stepName } from "../../../cqn/steps.ts";
import { declaringType, discriminatorValues, typeHierarchy } from "../../../model/derived_types.ts";
import type { FlatElement } from "../../../model/linked.ts";
import { structureOf } from "../../../model/nested_structures.ts";
import type { AggregatedProperty } from "../result_shape.ts";
import { isStream } from "../../names.ts";
import type { ExpandItem } from "../../url/ast.ts";
import { visible } from "../options/plan_select.ts";
import { type JoinedPath, type Scope, type Typed, typeOf } from "../scope.ts";
import { typedColumn } from "../options/plan_values.ts";
import { storedKeys } from "../../../model/keys.ts";

/** Whether a state holds each instance once. */
export function isInstances(state: State): state is Instances {
  return state.kind === "rows" && !state.scope.joined?.size && !state.nodes;
}

/** Order and bounds, applied in this order: `orderBy`, `skip`, `top`. */
export interface Cut {
  readonly orderBy?: readonly TreeOrder[];
  readonly top?: number;
  readonly skip?: number;
}

/** Conditions on the rows that a query reads. */
interface Restricted extends Cut {
  readonly where?: Expr | undefined;
  readonly search?: Expr;
  /** Inside of `groupby`: a filter that an aggregate of the same group applies to its values. */
  readonly when?: Expr | undefined;
}

/** Instances of the entity. */
export interface Rows extends Restricted {
  readonly kind: "rows";
  readonly from: TreeSource;
  /** Names of the entity and of `compute`. */
  readonly scope: Scope;
  /** Results of `addnested`. */
  readonly nested?: readonly ExpandItem[];
  /** `rolluprecursive`: properties of the nodes that stand beside the instances, each of which is there several times. */
  readonly nodes?: readonly Property[];
}

/** Instances, each of them once. */
export interface Instances extends Rows {
  readonly from: Reference;
}

/** Rows with properties of their own. */
export interface Table extends Restricted {
  readonly kind: "table";
  readonly from: TreeSource;
  /** The scope of the entity, for bindings and aliases. */
  readonly base: Scope;
  /** Columns beside those of the properties. */
  readonly hidden?: readonly (Expr & ColumnName)[];
  readonly properties: readonly Property[];
  readonly groupBy?: readonly Expr[];
  readonly having?: Expr | undefined;
  /** The rows are groups, or the one group of all. */
  readonly isGrouped?: boolean;
  /** Names of the columns that tell rows apart. */
  readonly keys: readonly string[];
  /** Into how many parts `$part` divides the rows; 1 without. */
  readonly parts: number;
}

/** What a sequence of transformations has made. */
export type State = Rows | Table;

/** A property of the rows of a table. */
export interface Property extends AggregatedProperty {
  readonly value: Typed;
  /** Its instance stands beside the rows under a name of `join`, and is shown where it is expanded. */
  readonly joined?: string;
}

/** The column that says which sequence of `concat` a row is from. */
export const PART = "$part";

/** The scope of the entity that a state was made of. */
export function baseOf(state: State): Scope {
  return state.kind === "rows" ? state.scope : state.base;
}

/** The parts of the query that a state means. */
export function partsOf(state: State): readonly unknown[] {
  const { where, search, orderBy, when } = state;
  const common = [state.from, where, search, orderBy, when];
  if (state.kind === "rows") {
    return [
      ...common,
      ...[...state.scope.computed.values()].map(({ expr }) => expr),
    ];
  }
  const { properties, hidden, groupBy, having } = state;
  return [...common, hidden, groupBy, having, ...properties.map(({ value }) => value.expr)];
}

/** The names that expressions may use behind a state. */
export function scopeOf(state: State): Scope {
  if (state.kind === "rows") return state.scope;
  // collections and the like are no values of expressions
  const values = state.properties.filter(({ value, element }) => value.type !== undefined || !element);
  const computed = new Map(values.map(({ path, value }) => [path.join("/"), value]));
  return { ...state.base, computed, closed: true };
}

/** An expression with a name. */
export function asColumn(expr: Expr, name: string): Expr & ColumnName {
  return { ...expr, as: name };
}

/** The limit of a query, if there are bounds. */
export function limitOf({ top, skip }: Cut): Pick<TreeBody, "limit"> {
  if (top === undefined && skip === undefined) return {};
  return {
    limit: {
      ...(top === undefined ? {} : { rows: numeral(top) }),
      ...(skip === undefined ? {} : { offset: numeral(skip) }),
    },
  };
}

/** Whether bounds have been applied. */
export function isCut({ top, skip }: Cut): boolean {
  return top !== undefined || skip !== undefined;
}

/** A table as query. */
export function selectOf(table: Table): TreeSelect {
  const { from, where, search, groupBy, having, orderBy } = settled(table) as Table;
  return select({
    from,
    columns: columnsOf(table),
    where,
    search,
    ...(groupBy?.length && { groupBy }),
    having,
    ...(orderBy?.length && isCut(table) ? { orderBy } : {}),
    ...limitOf(table),
  });
}

/** The columns of a table. */
export function columnsOf({ properties, hidden = [] }: Table): readonly (Expr & ColumnName)[] {
  return [...properties.map(({ name, value }) => typedColumn(value, name)), ...hidden];
}

/** The table as source of a new one, whose columns have names only; its order stays. */
export function derived(table: Table): Table {
  const order = (table.orderBy ?? []).map(({ sort, nulls, ...term }, index) => ({
    column: asColumn(term as Expr, `$order${table.hidden?.length ?? 0}_${index}`),
    sort,
    nulls,
  }));
  const hidden = [...table.hidden ?? [], ...order.map(({ column }) => column)];
  const { base, keys, parts } = table;
  return {
    kind: "table",
    from: selectOf({ ...table, hidden }),
    base,
    keys,
    parts,
    properties: table.properties.map((property) => ({
      ...property,
      value: { ...property.value, expr: reference([property.name]) },
    })),
    hidden: hidden.map((column) => reference([nameOf(column)])),
    orderBy: order.map(({ column, sort, nulls }): TreeOrder => ({
      ...reference([nameOf(column)]),
      ...(sort && { sort }),
      ...(nulls && { nulls }),
    })),
  };
}

function nameOf(column: Expr & ColumnName): string {
  return column.as ?? stepName(columnPath(column)[0]!); // hidden columns have a name
}

/** The state with the conditions of its group among all others. */
export function settled<S extends State>(state: S): S {
  if (state.when === undefined) return state;
  const { when, ...others } = state;
  return { ...others, where: allOf([state.where, when]) } as unknown as S;
}

/** Instances without bounds: they are found by the keys that a query with the bounds gives. */
export function uncut(state: State): State {
  if (state.kind === "table") return isCut(state) || state.isGrouped ? derived(state) : state;
  if (!isCut(state)) return state;
  const keys = keyNames(state);
  if (keys.length === 0) return derived(tableOf(state));
  const { from, where, search, orderBy, top, skip, ...others } = settled(state);
  const columns = keys.map((name) => reference([name]));
  const order = orderBy?.length ? orderBy : undefined;
  const query = select({ from, columns, where, search, orderBy: order, ...limitOf({ top, skip }) });
  return { ...others, from, ...(orderBy && { orderBy }), where: keyIn(keys, query) };
}

/** Names of the keys of the instances; none when `join` or `rolluprecursive` repeats them. */
export function keyNames({ scope, nodes }: Rows): readonly string[] {
  if (scope.joined?.size || nodes) return [];
  return storedKeys(scope.entity).map(({ name }) => name);
}

/** The condition that the key of an instance is among the rows of a query. */
export function keyIn(keys: readonly string[], query: TreeSelect): Expr {
  const refs = keys.map((name) => reference([name]));
  return isIn(refs.length === 1 ? refs[0]! : list(refs), query);
}

/** Instances as rows with their properties, those of joined instances among them. */
export function tableOf(state: State): Table {
  if (state.kind === "table") return state;
  const { scope, kind: _kind, nested: _nested, nodes = [], ...others } = settled(state);
  const own = flatProperties(scope.entity, { ref: [], path: [] }).filter(({ name }) =>
    !scope.computed.has(name)
  );
  const beside = [...scope.joined ?? []].flatMap(([alias, { ref, target }]) =>
    joinedProperties(alias, { ref, target })
  );
  const computed = [...scope.computed].map(([name, value]): Property => ({ name, path: [name], value }));
  return {
    ...others,
    kind: "table",
    base: { ...scope, computed: new Map(), joined: new Map() },
    properties: [...own, ...beside, ...computed, ...nodes],
    keys: [
      ...scope.entity.$flatKeys.map(({ name }) => name),
      ...[...scope.joined ?? []].flatMap(([alias, { target }]) =>
        target.$flatKeys.map(({ name }) => `${alias}_${name}`)
      ),
      ...nodes.map(({ name }) => name),
    ],
    parts: 1,
  };
}

/**
 * The properties of an entity that rows of a table can have.
 *
 * @param entity the entity
 * @param at the reference and the path to it
 */
export function flatProperties(
  entity: Scope["entity"],
  at: { readonly ref: readonly TreeStep[]; readonly path: readonly string[] },
): Property[] {
  const flats = [...visible(entity)].filter((flat) => !flat.virtual && !isStream(flat.element));
  const columnOf = ({ name }: FlatElement) => [...at.path, name].join("_");
  const hierarchy = typeHierarchy(entity);
  return flats.map((flat): Property => {
    const structure = structureOf(entity, flat);
    const type = typeOf(flat);
    const derived = hierarchy && declaringType(flat.annotated);
    return {
      name: columnOf(flat),
      path: [...at.path, ...structure ? flat.path : [flat.name]],
      value: { expr: reference([...at.ref, flat.name]), nullable: true, type },
      element: flat.element,
      ...(structure && {
        wholes: [{ depth: at.path.length + 1, columns: structure.leaves.map(columnOf) }],
      }),
      ...(derived && {
        only: {
          column: columnOf(hierarchy.discriminator),
          values: discriminatorValues(hierarchy, derived),
        },
      }),
    };
  });
}

/** The properties of an instance that `join` puts beside others, which is null where there is none. */
function joinedProperties(alias: string, { ref, target }: Pick<JoinedPath, "ref" | "target">): Property[] {
  const columns = storedKeys(target).map(({ name }) => `${alias}_${name}`);
  return flatProperties(target, { ref, path: [alias] }).map((property) => ({
    ...property,
    joined: alias,
    wholes: [{ depth: 1, columns }, ...property.wholes ?? []],
  }));
}
