/**
 * `$select`, `$expand` and `$compute` → columns, and what the rows hold (OData 4.01 Part 2, sections 5.1.3, 5.1.4, 5.1.5).
 *
 * @module
 */

import { allOf, call, reference } from "../../../algebra/build.ts";
import type { Expr, TreeColumn, TreeNested } from "../../../algebra/tree.ts";
import { columnPath } from "../../../algebra/walk_tree.ts";
import { stepName } from "../../../cqn/steps.ts";
import type { LinkedEntity, ResolvedType } from "../../../model/linked.ts";
import { typeHierarchy } from "../../../model/derived_types.ts";
import { mediaElement } from "../../../model/edm_types.ts";
import { nestedStructures } from "../../../model/nested_structures.ts";
import { etagElement } from "../../headers/etag.ts";
import { isStream } from "../../names.ts";
import { memberCountName, referenceOf } from "../../payload/control_information.ts";
import type { ExpandItem, QueryOptions } from "../../url/ast.ts";
import { nestedApply } from "../apply/nested_apply.ts";
import { resolvedType } from "./member_shape.ts";
import type { ExpandShape, MemberShape, ResultShape } from "../result_shape.ts";
import { assertExpandedOne } from "./allowed_options.ts";
import { planCompute, typedColumn } from "./plan_values.ts";
import { badRequest, notImplemented, unknownName } from "../plan_error.ts";
import { planCondition } from "../expressions/plan_expression.ts";
import { nestedLimit, planOrderby } from "./plan_orderby.ts";
import { planSearch, planValidity } from "./row_conditions.ts";
import { planSelect, visible } from "./plan_select.ts";
import { assertWithin, boundsBelow, type ExpandBounds, isWithin } from "./query_size.ts";
import { searchOf } from "../expressions/plan_collection.ts";
import { innerAliases, namedStep, rowOf, type Scope, scopeOfRow, type Typed } from "../scope.ts";
import {
  castEntity,
  castTwice,
  derivedCast,
  navigationNames,
  navigationOf,
  typeCondition,
} from "../service_index.ts";
import { keyNames, storedKeys } from "../../../model/keys.ts";

/** Columns of a query, and what its rows hold. */
export interface PlannedColumns {
  /** Undefined for all elements. */
  readonly columns?: readonly TreeColumn[];
  readonly shape: ResultShape;
  /** Names of `$compute`. */
  readonly computed: Scope["computed"];
}

/** Where columns are planned. */
export interface ColumnContext {
  readonly scope: Scope;
  /** How far `$expand` goes. */
  readonly bounds: ExpandBounds;
}

/**
 * Plans the columns of an entity.
 *
 * @param options `$select`, `$expand`, `$compute`
 * @param context the entity and its names
 * @returns columns and shape
 */
export function planColumns(options: QueryOptions, context: ColumnContext): PlannedColumns {
  const { scope } = context;
  const { entity } = scope;
  const computed = planCompute(options, scope);
  const inner: Scope = { ...scope, computed };
  const { names: selected, navigations, members, columns: own, added: nested } = planSelect(
    options.select,
    inner,
  );
  const columns: TreeColumn[] = selected === undefined
    ? allColumns(entity, computed)
    : selectedColumns(entity, selected, computed).map((column) => own.get(columnName(column)) ?? column);
  columns.push(...countColumns(members, own), ...nested);
  for (const [name, value] of computed) {
    if (selected === undefined || selected.has(name)) columns.push(typedColumn(value, name));
  }
  const expand = planExpand(options.expand, columns, { ...context, scope: inner });
  const added = [...computed].filter(([name]) => !entity.$flat.has(name));
  const shown = added.filter(([name]) => selected === undefined || selected.has(name)).map(([name]) => name);
  const shape: ResultShape = {
    entity,
    ...(selected === undefined ? {} : selectedShape(entity, selected)),
    ...(navigations.size > 0 ? { navigations: [...navigations] } : {}),
    ...(members.size > 0 ? { members } : {}),
    ...computedTypes(new Map(added)),
    expand,
    computed: shown,
  };
  return columns.length === 1 && columns[0] === "*" ? { shape, computed } : { columns, shape, computed };
}

function computedTypes(computed: Scope["computed"]): Pick<ResultShape, "types"> {
  const types = new Map<string, ResolvedType>();
  for (const [name, value] of computed) {
    const resolved = resolvedType(value);
    if (resolved) types.set(name, resolved);
  }
  return types.size > 0 ? { types } : {};
}

function columnName(column: TreeColumn): string {
  const [step] = column === "*" ? [] : columnPath(column);
  return step === undefined ? "" : stepName(step);
}

function countColumns(
  members: ReadonlyMap<string, MemberShape>,
  columns: ReadonlyMap<string, TreeColumn>,
): TreeColumn[] {
  return [...members].filter(([, { count }]) => count).map(([name]) => columns.get(memberCountName(name))!);
}

/**
 * The columns of a payload that shows everything: streams are read by their own URL.
 *
 * @param computed values that may take the place of its own
 */
export function allColumns(entity: LinkedEntity, computed?: Scope["computed"]): TreeColumn[] {
  const flats = [...entity.$flat.values()];
  const shown = [...visible(entity)].filter(({ element, name }) =>
    !isStream(element) && !computed?.has(name)
  );
  if (shown.length === flats.length) return ["*"];
  return shown.filter((flat) => !flat.virtual).map((flat) => reference([flat.name]));
}

/** Names of `$select` with what is always there: keys and the version. */
function shownNames(entity: LinkedEntity, selected: ReadonlySet<string>): readonly string[] {
  const names = new Set(selected);
  for (const key of storedKeys(entity)) names.add(key.name);
  const etag = etagElement(entity);
  if (etag !== undefined) names.add(etag.name);
  return [...names];
}

/** What rows of a `$select` show, and what they hold beside. */
function selectedShape(
  entity: LinkedEntity,
  selected: ReadonlySet<string>,
): Pick<ResultShape, "select" | "hidden"> {
  const select = shownNames(entity, selected);
  const types = select.map((name) => storedType(entity, name)).filter((name) => name !== undefined);
  const hidden = new Set(types.filter((name) => !select.includes(name)));
  return { select, ...(hidden.size > 0 && { hidden }) };
}

/** The element that holds the media type of a stream. */
function storedType({ $flat }: LinkedEntity, name: string): string | undefined {
  const element = $flat.get(name)?.element;
  return element && isStream(element) ? referenceOf(element["@Core.MediaType"]) : undefined;
}

function selectedColumns(
  entity: LinkedEntity,
  selected: ReadonlySet<string>,
  computed: ReadonlyMap<string, Typed>,
): TreeColumn[] {
  const names = new Set<string>();
  for (const name of shownNames(entity, selected)) {
    if (computed.has(name)) continue;
    const structure = nestedStructures(entity).get(name.split("/", 1)[0]!);
    if (structure) {
      // all of it tells whether there is one
      for (const leaf of structure.leaves) names.add(leaf.name);
      continue;
    }
    const flat = entity.$flat.get(name)!; // names were checked
    const stored = isStream(flat.element) ? storedType(entity, name) : name;
    if (stored !== undefined && entity.$flat.get(stored)?.virtual === false) names.add(stored);
  }
  const discriminator = typeHierarchy(entity)?.discriminator;
  if (discriminator) names.add(discriminator.name);
  return [...names].map((name) => reference([name]));
}

function planExpand(
  items: readonly ExpandItem[] | undefined,
  columns: TreeColumn[],
  context: ColumnContext,
): readonly ExpandShape[] {
  const shapes: ExpandShape[] = [];
  const { entity } = context.scope;
  for (const item of items ?? []) {
    const name = expandedName(item, entity);
    const names = name === "*" ? [...navigationNames(entity)] : [name];
    for (const navigation of names) {
      // A name that is given itself wins over `*`; twice counts once.
      const listed = items!.some((other) =>
        other !== item && other.path[navigationAt(other, entity)] === navigation
      );
      const shown = item.alias ?? navigation;
      if ((name === "*" && listed) || shapes.some((shape) => shape.name === shown)) continue;
      const casts = item.path.slice(navigationAt(item, entity) + 1);
      const { column, shape } = planExpandItem({ ...item, path: [navigation, ...casts] }, context);
      columns.push(column);
      shapes.push({ ...shape, ...expandedCast(item, entity) });
    }
  }
  return shapes;
}

/** The derived type before a navigation property. */
function expandedCast(item: ExpandItem, entity: LinkedEntity): Pick<ExpandShape, "cast"> {
  const casts = item.path.slice(0, navigationAt(item, entity)).map((name) => derivedCast(name, entity))
    .filter((cast) => cast !== undefined);
  const last = casts.at(-1);
  return last ? { cast: last.values } : {};
}

/** Where the navigation property stands in the path of an item: behind type casts, before one at most. */
function navigationAt({ path }: ExpandItem, entity: LinkedEntity): number {
  const at = path.findIndex((name) => navigationOf(entity, name) !== undefined);
  return at < 0 ? path.length - 1 : at;
}

/** The navigation property among type casts. */
function expandedName(item: ExpandItem, entity: LinkedEntity): string {
  const { path, offset } = item;
  const at = navigationAt(item, entity);
  if (path.slice(at + 2).length > 0 || navigationOf(entity, path[at + 1] ?? "")) {
    throw badRequest(`"${path.join("/")}" is no navigation property`, offset);
  }
  if (at > 1) throw castTwice(offset);
  for (const cast of path.slice(0, at)) castEntity(entity, { name: cast, offset });
  const name = path[at]!; // a path has a step
  if (name === "$value" && !mediaElement(entity)) throw badRequest("The entity has no media stream", offset);
  const element = Object.hasOwn(entity.elements, name) ? entity.elements[name] : undefined;
  if (name === "$value" || (element && isStream(element))) {
    throw notImplemented("A stream in $expand", offset);
  }
  return name;
}

/** The condition that expanded rows are of the type behind the navigation property. */
function castCondition({ path: [, name], offset }: ExpandItem, target: LinkedEntity): Expr | undefined {
  if (name === undefined) return undefined;
  const cast = derivedCast(name, target);
  if (!cast) castEntity(target, { name, offset });
  return cast && typeCondition(cast);
}

/** An expanded navigation property: a nested column, or the number of rows, and what the rows hold. */
export interface PlannedExpand {
  readonly column: TreeColumn;
  readonly shape: ExpandShape;
}

/**
 * Plans one item of `$expand`.
 *
 * @param item the item: a navigation property, maybe with a type cast behind
 * @param context the rows that hold it
 */
export function planExpandItem(item: ExpandItem, context: ColumnContext): PlannedExpand {
  const { scope } = context;
  const [name] = item.path;
  const navigation = navigationOf(scope.entity, name);
  if (navigation === undefined) {
    const known = navigationNames(scope.entity);
    throw unknownName({
      name,
      offset: item.offset,
      what: "navigation property",
      owner: scope.entity.name,
      known,
    });
  }
  const { element, target } = navigation;
  const bounds = boundsBelow(context.bounds, element);
  if (item.suffix !== "$count") assertWithin(bounds, { name, offset: item.offset });
  const options = levelled(item, target, bounds);
  const type = derivedCast(item.path[1] ?? "", target)?.name;
  const inner: ColumnContext = {
    scope: { ...innerScope(target, options, scope), type },
    bounds,
  };
  const cast = castCondition(item, target);
  const validity = planValidity(options, inner.scope);
  const common = { name, element, count: options.count === true, ref: item.suffix === "$ref" };
  if (!element.is2many) assertExpandedOne(options);
  if (options.apply) {
    if (!element.is2many || item.suffix) throw badRequest("$apply needs a collection", options.offsets.apply);
    if (cast) throw notImplemented("$apply behind a type cast in $expand", options.offsets.apply);
    const { query, shape } = nestedApply(
      options,
      { name, outer: scope, scope: inner.scope },
      (own, of) => planColumns(own, { ...inner, scope: of }),
    );
    const shown = item.alias ?? name;
    const column: TreeNested = {
      kind: "nested",
      ref: [name],
      as: shown,
      expand: ["*"],
      query,
      count: common.count,
      ...(validity && { validity }),
    };
    return { column, shape: { ...common, name: shown, countOnly: false, shape } };
  }
  if (item.suffix === "$count") {
    if (!element.is2many) throw badRequest(`"${name}" is not a collection`, item.offset);
    const shape: ExpandShape = {
      ...common,
      countOnly: true,
      shape: { entity: target, expand: [], computed: [] },
    };
    return { column: countColumn(name, { options, scope: inner.scope, cast }), shape };
  }
  const planned = common.ref ? keyColumns(target) : planColumns(options, inner);
  const scoped = { ...inner.scope, computed: planned.computed };
  const clauses = nestedClauses({ options, scope: scoped, cast }, element.is2many);
  const ref = [namedStep(name, inner.scope.row)];
  const column: TreeNested = {
    kind: "nested",
    ref,
    expand: planned.columns ?? ["*"],
    ...clauses,
    ...(validity && { validity }),
  };
  return { column, shape: { ...common, countOnly: false, shape: planned.shape } };
}

/** `$levels=n` expands the same navigation again below itself. */
function levelled(item: ExpandItem, target: LinkedEntity, bounds: ExpandBounds): QueryOptions {
  const options: QueryOptions = item.options ?? { offsets: {} };
  const { levels, ...others } = options;
  if (levels === undefined) return options;
  const most = bounds.limits.expandDepth - bounds.depth + 1;
  if (levels !== "max" && levels > most) throw badRequest(`$levels is limited to ${most} here`, item.offset);
  const again = navigationOf(target, item.path[0]);
  const isLast = levels === "max" ? again && !isWithin(boundsBelow(bounds, again.element)) : levels <= 1;
  if (!again || isLast) return others;
  const below: ExpandItem = {
    ...item,
    options: { ...others, levels: levels === "max" ? levels : levels - 1 },
  };
  return { ...others, expand: [...(others.expand ?? []), below] };
}

function innerScope(entity: LinkedEntity, options: QueryOptions, scope: Scope): Scope {
  const { it = rowOf(scope) } = scope;
  return { ...scopeOfRow(entity, scope), aliases: innerAliases(scope, options), it };
}

function keyColumns(entity: LinkedEntity): PlannedColumns {
  const names = keyNames(entity);
  const shape: ResultShape = { entity, select: names, expand: [], computed: [] };
  return { columns: names.map((name) => reference([name])), shape, computed: new Map() };
}

/** What nested rows are chosen by. */
interface NestedRows {
  readonly options: QueryOptions;
  readonly scope: Scope;
  /** The condition of a type cast. */
  readonly cast: Expr | undefined;
}

function countColumn(name: string, { options, scope, cast }: NestedRows): TreeColumn {
  const { entity, row } = scope;
  const where = allOf([
    cast,
    options.filter && planCondition(options.filter, scope),
    options.search && searchOf(planSearch(options.search), entity),
  ]);
  const step = namedStep(where === undefined ? name : { id: name, where }, row);
  return { ...call("count", [reference([step])]), as: name };
}

function nestedClauses({ options, scope, cast }: NestedRows, many: boolean): Partial<TreeNested> {
  const where = allOf([cast, options.filter && planCondition(options.filter, scope)]);
  if (!many) return where === undefined ? {} : { where };
  const limited = options.top !== undefined || options.skip !== undefined;
  const orderBy = planOrderby(options.orderby, scope, limited);
  return {
    ...(where === undefined ? {} : { where }),
    ...(options.search === undefined ? {} : { search: planSearch(options.search) }),
    ...(orderBy.length === 0 ? {} : { orderBy }),
    ...(limited ? { limit: nestedLimit(options, scope.bindings) } : {}),
    ...(options.count === true ? { count: true } : {}),
  };
}
