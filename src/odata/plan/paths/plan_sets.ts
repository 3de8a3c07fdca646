/**
 * Resources that span entity sets: `$all` and `$crossjoin(A,B)` (OData 4.01 Part 2, sections 4.14 and 4.15).
 *
 * @module
 */

import { column, parameter, reference, select } from "../../../algebra/build.ts";
import type { TreeColumn, TreeOrder, TreeSelect, TreeSource } from "../../../algebra/tree.ts";
import { columnPath } from "../../../algebra/walk_tree.ts";
import { stepName } from "../../../cqn/steps.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import type { Crossjoin, ExpandItem, QueryOptions } from "../../url/ast.ts";
import type { JoinedSet, ReadSet } from "../plan.ts";
import type { ExpandBounds } from "../options/query_size.ts";
import { planColumns } from "../options/plan_columns.ts";
import { planOrderby } from "../options/plan_orderby.ts";
import { badRequest, unknownName } from "../plan_error.ts";
import { planCondition } from "../expressions/plan_expression.ts";
import type { PlannedQuery } from "../options/entity_query.ts";
import { planQuery } from "../options/plan_query.ts";
import { allRows } from "./resource.ts";
import type { RowName, RowPlace, Scope } from "../scope.ts";
import { assertFewJoined } from "../expressions/member_walk.ts";
import type { ServiceIndex } from "../service_index.ts";
import { LIMIT_PARAMS } from "../shapes/template.ts";
import { storedKeys } from "../../../model/keys.ts";

/** What sets are planned with. */
export interface SetsContext {
  readonly index: ServiceIndex;
  readonly options: QueryOptions;
  /** How far `$expand` goes. */
  readonly bounds: ExpandBounds;
  /** The scope of the rows of an entity. */
  readonly scope: (entity: LinkedEntity, row: RowName) => Scope;
  /** Gives the rows of a query their name, where conditions need it. */
  readonly named: (planned: PlannedQuery, row: RowName) => PlannedQuery;
}

/** Planned sets that are joined. */
export interface PlannedJoin extends Pick<PlannedQuery, "query"> {
  readonly sets: readonly JoinedSet[];
}

/**
 * Plans `$all`: one query for each set and singleton, with the same conditions.
 *
 * @param context options and names
 * @returns the sets with their queries
 */
export function planAll(context: SetsContext): readonly ReadSet<TreeSelect>[] {
  const { options, index, bounds } = context;
  return [...index.entitySets].map(([name, entity]): ReadSet<TreeSelect> => {
    const resource = allRows(entity);
    const row: RowName = {};
    const from = reference(resource.ref);
    const all: QueryOptions = { ...options, count: true, skip: options.skip ?? 0 };
    const scope = context.scope(entity, row);
    const planned = planQuery(resource, from, { options: all, scope, bounds, reads: true });
    const { query, shape } = context.named(planned, row);
    return { name, entity, query, shape };
  });
}

/**
 * Plans `$crossjoin(A,B)`: one query over all pairs of rows.
 *
 * @param segment the segment
 * @param context options and names
 * @returns the sets with the names of their columns, and the query
 * @throws {ServiceError} 404 for unknown sets
 */
export function planCrossjoin(segment: Crossjoin, context: SetsContext): PlannedJoin {
  const { options } = context;
  const joined = segment.entitySets.map((name) => joinedSet(name, segment, context));
  assertFewJoined(joined.length, context.scope(joined[0]!.place.entity, {}).bindings, segment.offset);
  const [first] = joined;
  const places = new Map(joined.map(({ name, place }) => [name, place]));
  if (places.size < joined.length) throw badRequest("Each entity set is joined once", segment.offset);
  // Each path starts with the name of a set.
  const none = { kind: "none" as const };
  const scope: Scope = { ...context.scope(first.place.entity, {}), variables: places, base: none, it: none };
  const where = options.filter && planCondition(options.filter, scope);
  const planned = joined.map((set) => expandedSet(set, scope, context));
  const orderBy: TreeOrder[] = [
    ...planOrderby(options.orderby, scope, false),
    ...joined.flatMap(({ place, alias }) =>
      storedKeys(place.entity).map(({ name }): TreeOrder => ({ ...column(alias, name), sort: "asc" }))
    ),
  ];
  const query = select({
    from: joined.map(({ place, alias }): TreeSource => ({ ...reference([place.entity.name]), as: alias }))
      .reduce((left, right): TreeSource => ({ kind: "join", join: "cross", args: [left, right] })),
    localized: true,
    bounded: true,
    columns: planned.flatMap(({ columns }) => columns),
    where,
    orderBy,
    limit: { rows: parameter(LIMIT_PARAMS.rows), offset: parameter(LIMIT_PARAMS.offset) },
    ...(options.count && { count: true }),
  });
  return { sets: planned.map(({ set }) => set), query };
}

interface NamedSet {
  readonly name: string;
  readonly alias: string;
  readonly place: RowPlace;
}

function joinedSet(name: string, segment: Crossjoin, { index, scope }: SetsContext): NamedSet {
  const entity = index.entitySets.get(name);
  if (entity === undefined) {
    const known = index.entitySets.keys();
    const owner = index.service.name;
    throw unknownName({ name, offset: segment.offset, what: "entity set", owner, known, status: 404 });
  }
  const row = { name: scope(entity, {}).bindings.rowName() };
  return { name, alias: row.name, place: { kind: "row", entity, row } };
}

/** The columns of a set: its keys, or all that `$expand` asks for; their names start with that of the row. */
function expandedSet(
  { name, alias, place }: NamedSet,
  scope: Scope,
  { options, bounds }: SetsContext,
): { readonly set: JoinedSet; readonly columns: readonly TreeColumn[] } {
  const { entity } = place;
  const item = options.expand?.find(({ path }) => path[0] === name || path[0] === "*");
  checkExpand(options.expand, scope);
  const prefix = `${alias}.`;
  const named = (one: string): TreeColumn => ({ ...column(alias, one), as: `${prefix}${one}` });
  const keys = storedKeys(entity).map((key) => named(key.name));
  if (item === undefined) return { set: { name, entity, prefix }, columns: keys };
  const own: Scope = { ...scope, entity, base: place, it: place, row: {} };
  const { columns = ["*" as const], shape } = planColumns(item.options ?? { offsets: {} }, {
    scope: own,
    bounds: { ...bounds, isShared: true }, // a row is in several pairs
  });
  const all = columns.flatMap((one): TreeColumn[] => {
    if (one !== "*") return [prefixed(one, alias, prefix)];
    return [...entity.$flat.values()].filter(({ virtual }) => !virtual).map((flat) => named(flat.name));
  });
  return { set: { name, entity, prefix, shape }, columns: all };
}

function checkExpand(items: readonly ExpandItem[] | undefined, { variables }: Scope): void {
  for (const { path: [name, ...rest], offset, suffix } of items ?? []) {
    if (name === "*" || variables!.has(name) && rest.length === 0 && suffix === undefined) continue;
    const known = [...variables!.keys()];
    throw unknownName({
      name: [name, ...rest].join("/"),
      offset,
      what: "entity set",
      owner: "$crossjoin",
      known,
    });
  }
}

/** A column of the entity as one of the join: what is no expression is behind the name of the row. */
function prefixed(given: Exclude<TreeColumn, "*">, alias: string, prefix: string): TreeColumn {
  const ref = columnPath(given);
  const [first] = ref;
  const as = prefix + (given.as ?? (first === undefined ? "" : stepName(first)));
  if (first === undefined || first === alias) return { ...given, as };
  return { ...given, ref: [alias, ...ref], as } as TreeColumn; // what has a path keeps its kind
}
