/**
 * Queries of resources with `$apply`, and what their rows hold.
 *
 * @module
 */

import { allOf, call, select } from "../../../algebra/build.ts";
import type { Reference, TreeBody } from "../../../algebra/tree.ts";
import type { ApplyTrafo, ExpandItem, QueryOptions } from "../../url/ast.ts";
import {
  type Bounds,
  clausesOf,
  entityQuery,
  type PlannedQuery,
  type QueryContext,
} from "../options/entity_query.ts";
import { badRequest, notImplemented, unknownName } from "../plan_error.ts";
import type { Resource } from "../paths/resource.ts";
import { searchOf } from "../expressions/plan_collection.ts";
import { expandedGroups } from "./group_expand.ts";
import { planApply } from "./plan_apply.ts";
import { isBehindCut, type Selected, shapedTable, withFilter } from "./shaped_table.ts";
import {
  columnsOf,
  type Cut,
  isCut,
  isInstances,
  type Property,
  type Rows,
  scopeOf,
  selectOf,
  settled,
  type State,
  type Table,
  tableOf,
  uncut,
} from "./state.ts";
import { orderOf } from "./cuts.ts";
import { assertExpandedOne } from "../options/allowed_options.ts";

/**
 * Plans the query of a collection with `$apply`.
 *
 * @param resource what is addressed
 * @param base where it is read
 * @param context options and names
 * @returns query and shape
 * @throws {ServiceError} 400 if the transformations make no sense for the model, 501 if we do not run them
 */
export function planApplied(resource: Resource, base: TreeBody, context: QueryContext): PlannedQuery {
  const { options } = context;
  const trafos = options.apply!.trafos; // the caller asks for it only with $apply
  const last = trafos.at(-1);
  if (last?.kind === "concatTrafo") return concatQuery(resource, base, context);
  if (last?.kind === "nestTrafo" && last.path === undefined) return nestQuery(resource, base, context);
  return applyQuery(resource, base, context);
}

/**
 * Plans `/$count` of a collection with `$apply`.
 *
 * @param base where it is read
 * @param context options and names
 * @returns a query with the column `$count`
 */
export function planAppliedCount(base: TreeBody, context: QueryContext): PlannedQuery {
  const { options, scope } = context;
  if (options.search) throw notImplemented("$search with $apply and /$count", options.offsets.search);
  const source = base.from as Reference; // resources are read by their path
  const state = settled(planApply(options.apply!, scope, source)); // the caller asks for it only with $apply
  const { from, where, search } = withFilter(uncut(state), options);
  const columns = [{ ...call("count", ["*"]), as: "$count" }];
  return { query: select({ ...base, from, columns, where, search, one: true }), paged: false };
}

type Last<K extends ApplyTrafo["kind"]> = Extract<ApplyTrafo, { kind: K }>;

/** The queries of sequences behind the transformations before the last one. */
function branchQueries(
  branches: readonly NonNullable<QueryOptions["apply"]>[],
  [resource, base, context]: readonly [Resource, TreeBody, QueryContext],
): PlannedQuery[] {
  const { options } = context;
  const before = options.apply!.trafos.slice(0, -1);
  return branches.map((branch): PlannedQuery => {
    const apply = { ...branch, trafos: [...before, ...branch.trafos] };
    return applyQuery(resource, base, { ...context, options: { ...options, apply } });
  });
}

const MAKES_GROUPS: ReadonlySet<ApplyTrafo["kind"]> = new Set([
  "aggregateTrafo",
  "groupbyTrafo",
  "concatTrafo",
]);

/** `concat` at the end of `$apply`: sequences that give instances are queries of their own. */
function concatQuery(resource: Resource, base: TreeBody, context: QueryContext): PlannedQuery {
  const { options } = context;
  const { branches } = options.apply!.trafos.at(-1) as Last<"concatTrafo">; // the caller has looked
  if (options.expand && branches.some(({ trafos }) => trafos.some(({ kind }) => MAKES_GROUPS.has(kind)))) {
    throw notImplemented("$expand of groups with concat", options.offsets.expand);
  }
  const isOfAll = isBehindCut(options) || options.skiptoken !== undefined || options.select !== undefined ||
    options.compute !== undefined;
  if (isOfAll) return applyQuery(resource, base, context); // not each branch has all names
  const parts = branchQueries(branches, [resource, base, context]);
  const needsAll = parts.some(({ cut }) => cut !== undefined) ||
    parts.every(({ shape }) => shape?.aggregated);
  if (needsAll) return applyQuery(resource, base, context);
  return { ...parts[0]!, shape: { expand: [], computed: [], entity: resource.entity! }, applied: { parts } };
}

/** `nest` at the end of `$apply`: one row that holds the results of all sequences. */
function nestQuery(resource: Resource, base: TreeBody, context: QueryContext): PlannedQuery {
  const { options } = context;
  const { items, offset } = options.apply!.trafos.at(-1) as Last<"nestTrafo">; // the caller has looked
  if (isBehindCut(options) || options.select || options.compute || options.expand) {
    throw notImplemented("An option behind nest in $apply", offset);
  }
  const queries = branchQueries(items.map(({ apply }) => apply), [resource, base, context]);
  const names = new Set(items.map(({ alias }) => alias));
  if (names.size < items.length) throw badRequest("The names of nest are not distinct", offset);
  if (queries.some(({ cut }) => cut !== undefined)) {
    throw notImplemented("Bounds at the end of a sequence in nest", offset);
  }
  const parts = queries.map((part, index) => ({ ...part, alias: items[index]!.alias }));
  return { ...parts[0]!, shape: { expand: [], computed: [], entity: resource.entity! }, applied: { parts } };
}

function applyQuery(resource: Resource, base: TreeBody, context: QueryContext): PlannedQuery {
  const { options, scope } = context;
  if (!resource.collection) throw badRequest("$apply needs a collection", options.offsets.apply);
  const from = base.from as Reference; // resources are read by their path
  const state = settled(planApply(options.apply!, scope, from)); // the caller asks for it only with $apply
  return isInstances(state)
    ? instancesQuery(resource, { base, context, state })
    : tableQuery(resource, { base, context, state: tableOf(state) });
}

interface Applied<S extends State> {
  readonly base: TreeBody;
  readonly context: QueryContext;
  readonly state: S;
}

/** Rows with properties that `$apply` made. */
function tableQuery(resource: Resource, { base, context, state }: Applied<Table>): PlannedQuery {
  const { options, scope, bounds } = context;
  if (options.search) throw notImplemented("$search with $apply", options.offsets.search);
  const { aliases, others } = expandedAliases(options.expand, state);
  const { entity } = resource;
  const { table, shown, telling, shape } = shapedTable(state, options, { entity, expanded: aliases });
  const expanded = others && expandedGroups(others, table, { scope, bounds });
  const names = new Set([...shown, ...telling].map(({ name }) => name));
  const keys = expanded?.columns.filter(({ as }) => !names.has(as!)) ?? []; // they have names
  const cut = isCut(table) ? boundsOf(table) : undefined;
  const { limit: _limit, orderBy: _orderBy, ...body } = selectOf({
    ...table,
    properties: shown,
    hidden: [...table.hidden ?? [], ...columnsOf({ ...table, properties: telling, hidden: keys })],
  }).SELECT;
  const orderBy = orderOf(table);
  const clauses = clausesOf({ ...options, ...cut }, { where: undefined, search: undefined, orderBy });
  return {
    query: select({ ...base, ...body, ...clauses }),
    shape: expanded ? { ...shape, expand: expanded.shapes } : shape,
    paged: true,
    applied: expanded && { groups: expanded.groups },
    cut,
  };
}

function boundsOf({ top, skip }: Cut): Bounds {
  return { ...(top !== undefined && { top }), ...(skip !== undefined && { skip }) };
}

/** `$apply` that only restricts, orders or extends the instances. */
function instancesQuery(resource: Resource, { base, context, state }: Applied<Rows>): PlannedQuery {
  const { apply: _apply, ...options } = context.options;
  const rows = isCut(state) && isBehindCut(options) ? uncut(state) : state;
  if (rows.kind === "table") return tableQuery(resource, { base, context, state: rows });
  const bounds = isCut(rows) ? boundsOf(rows) : undefined;
  const planned = entityQuery(resource, base, {
    ...context,
    options: { ...options, ...bounds, expand: [...options.expand ?? [], ...rows.nested ?? []] },
    scope: rows.scope,
  });
  const { SELECT } = planned.query;
  const terms = options.search && rows.search ? searchOf(SELECT.search!, scopeOf(rows).entity) : undefined;
  const where = allOf([rows.where, SELECT.where, terms]);
  const search = rows.search ?? SELECT.search;
  const orderBy = options.orderby ? SELECT.orderBy : [...rows.orderBy ?? [], ...SELECT.orderBy ?? []];
  const { keyset, numeric, page, ...others } = planned;
  const pages = rows.orderBy?.length && !options.orderby ? {} : { keyset, numeric, page };
  return {
    ...others,
    ...pages,
    query: select({ ...SELECT, where, search, orderBy }),
    cut: bounds,
  };
}

/** What `$expand` shows of the names of `join`, and the items about other names. */
interface ExpandedAliases {
  readonly aliases: ReadonlyMap<string, Selected>;
  readonly others: readonly ExpandItem[] | undefined;
}

/**
 * `$expand` of names of `join`, which are navigation properties of the rows (3.4.1).
 *
 * @param items the items of `$expand`
 * @param table the rows
 * @throws {ServiceError} 400 for options of collections, 501 for others than `$select`
 */
function expandedAliases(
  items: readonly ExpandItem[] | undefined,
  { properties }: Table,
): ExpandedAliases {
  const names = new Set(properties.map(({ joined }) => joined));
  names.delete(undefined);
  const aliases = new Map<string, Selected>();
  if (names.size === 0) return { aliases, others: items };
  const others = items?.filter((item) => {
    const { path: [name = "", more], suffix, offset, options } = item;
    if (name === "*") { for (const alias of names) if (!aliases.has(alias!)) aliases.set(alias!, undefined); }
    if (!names.has(name)) return true;
    if (more !== undefined || suffix) throw notImplemented(`This path in $expand of "${name}"`, offset);
    if (options) assertSelectOnly(options, name);
    const { select } = options ?? {};
    for (const { path, offset } of select ?? []) assertMember([name, ...path], properties, offset);
    aliases.set(name, select?.map(({ path }) => path.join("/")));
    return false;
  });
  return { aliases, others: others?.length ? others : undefined };
}

function assertSelectOnly(options: QueryOptions, name: string): void {
  assertExpandedOne(options);
  const other = Object.keys(options.offsets).find((option) => option !== "select");
  if (other) throw notImplemented(`$${other} in $expand of "${name}"`, options.offsets[other]);
}

function assertMember(path: readonly string[], properties: readonly Property[], offset: number): void {
  const text = path.join("/");
  if (path.at(-1) === "*" || properties.some((one) => `${one.path.join("/")}/`.startsWith(`${text}/`))) {
    return;
  }
  const known = properties.filter(({ path: [first] }) => first === path[0]).map((one) =>
    one.path.slice(1).join("/")
  );
  throw unknownName({ name: path.slice(1).join("/"), offset, what: "property", owner: path[0]!, known });
}
