/**
 * Resource + options → query template, and what its rows hold.
 *
 * @module
 */

import type {
  Column,
  Expression,
  OrderTerm,
  RefExpression,
  SelectBody,
  SelectQuery,
  Xo,
} from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { etagElement } from "../headers/etag.ts";
import { referenceOf } from "../payload/media_type.ts";
import type { ApplyTrafo, QueryOptions, SelectItem } from "../url/ast.ts";
import { computed, planApply } from "./apply/plan_apply.ts";
import {
  type Cut,
  derived,
  isCut,
  type Rows,
  scopeOf,
  selectOf,
  settled,
  type State,
  type Table,
  tableOf,
  uncut,
} from "./apply/state.ts";
import { orderOf } from "./apply/windows.ts";
import { conjunction } from "./conjunction.ts";
import { planColumns } from "./plan_columns.ts";
import { planOrderby } from "./plan_orderby.ts";
import { badRequest, notImplemented, unknownName } from "./plan_error.ts";
import { planCondition } from "./plan_expression.ts";
import { urlKeys } from "./plan_keys.ts";
import { memberCountName } from "../payload/member_count.ts";
import { nestedJson } from "./plan_item.ts";
import { planSearch } from "./plan_search.ts";
import { searchOf } from "./search_of.ts";
import { planMemberCount, planMembers } from "./plan_values.ts";
import type { PlanPart, ResultShape } from "./plan.ts";
import type { Resource } from "./resource.ts";
import type { Scope } from "./scope.ts";
import { LIMIT_PARAMS } from "./template.ts";

/** Bounds that take the place of `$top` and `$skip`. */
type Bounds = Pick<QueryOptions, "top" | "skip">;

/** A planned query. */
export interface PlannedQuery {
  readonly query: SelectQuery;
  readonly shape?: ResultShape;
  /** The sequences of `concat`. */
  readonly parts?: readonly PlanPart[];
  /** Bounds that `$apply` puts on the rows in place of `$top` and `$skip`. */
  readonly cut?: Bounds;
  /** The rows come in pages. */
  readonly paged: boolean;
}

/** What a query is planned from. */
export interface QueryContext {
  readonly options: QueryOptions;
  readonly scope: Scope;
  /** Levels of `$expand` allowed. */
  readonly levels: number;
  /** GET and HEAD; other methods read back what they wrote. */
  readonly reads: boolean;
}

/**
 * Plans the query of a resource of an entity.
 *
 * @param resource what is addressed
 * @param from its reference
 * @param context options and names
 * @returns query, shape and whether it is paged
 */
export function planQuery(resource: Resource, from: RefExpression, context: QueryContext): PlannedQuery {
  const { options } = context;
  if (options.temporal !== undefined) {
    throw notImplemented("Temporal options", Object.values(options.offsets)[0]);
  }
  if (options.deltatoken !== undefined) throw notImplemented("$deltatoken", options.offsets.deltatoken);
  if (options.index !== undefined) {
    throw badRequest("$index needs an ordered collection", options.offsets.index);
  }
  const base: SelectBody = { from, localized: true };
  switch (resource.kind) {
    case "count":
      return resource.property === undefined
        ? countQuery(base, context)
        : memberCountQuery(resource, base, context);
    case "property":
      return propertyQuery(resource, base, context);
    case "value":
    case "stream":
      return propertyQuery(resource, base, context);
    case "media":
      return { query: { SELECT: { ...base, one: true } }, paged: false };
    case "ref":
      return refQuery(resource, base, context);
    case "each":
      return eachQuery(resource, base, context);
    case "operation":
      return { query: { SELECT: resource.collection ? { from } : { from, one: true } }, paged: false };
    default:
      if (options.apply === undefined) return entityQuery(resource, base, context);
      return options.apply.trafos.at(-1)?.kind === "concatTrafo"
        ? concatQuery(resource, base, context)
        : applyQuery(resource, base, context);
  }
}

const NARROWING = ["filter", "search", "apply", "top", "skip", "skiptoken", "orderby", "count"] as const;

/** What is read back of the rows that were changed. The path says which rows these are, and nothing else. */
function eachQuery(resource: Resource, base: SelectBody, context: QueryContext): PlannedQuery {
  const { offsets } = context.options;
  for (const name of NARROWING) {
    if (context.options[name] === undefined) continue;
    throw badRequest(`$${name} cannot be combined with $each; "/$filter(…)" in the path can`, offsets[name]);
  }
  return entityQuery(resource, base, { ...context, reads: false });
}

function countQuery(base: SelectBody, { options, scope }: QueryContext): PlannedQuery {
  if (options.apply !== undefined) throw notImplemented("$apply with /$count", options.offsets.apply);
  const where = options.filter === undefined ? undefined : planCondition(options.filter, scope);
  const search = options.search === undefined ? undefined : planSearch(options.search);
  const columns: Column[] = [{ func: "count", args: ["*"], as: "$count" }];
  return {
    query: { SELECT: { ...base, columns, one: true, ...(where && { where }), ...(search && { search }) } },
    paged: false,
  };
}

/** The number of members of a collection of values. */
function memberCountQuery(
  resource: Resource,
  base: SelectBody,
  { options, scope }: QueryContext,
): PlannedQuery {
  const { name, element, inside } = resource.property!; // the caller asks behind properties
  const items = element.$type.items!; // only collections are counted
  const path = inside ?? [];
  if (path.some((step) => typeof step === "number" && step < 0)) {
    throw badRequest("Members inside of collections are counted by their position from the start");
  }
  const array: Expression = path.length === 0 ? { ref: [name] } : nestedJson({
    kind: "item",
    element,
    value: { ref: [name] },
    path,
  });
  const count = planMemberCount({ array, items }, { options, filters: resource.filters }, scope);
  const columns = [{ ...count, as: "$count" } as Column];
  return { query: { SELECT: { ...base, columns, one: true } }, paged: false };
}

/** The part of a collection of values that options ask for. */
function memberColumns(resource: Resource, { options, scope, reads }: QueryContext): Column[] {
  const { name, element, inside } = resource.property!; // the caller asks behind properties
  const { items } = scope.entity.$flat.get(name)?.element.$type ?? {};
  if (!items || !reads) return [];
  const used = inside === undefined ? options : { offsets: {} };
  const collection = { array: { ref: [name] }, items };
  const given = { options: used, filters: resource.filters };
  const members = planMembers(collection, given, scope);
  const columns: Column[] = members ? [{ ...members, as: name } as Column] : [];
  if (element.$type.items && used.count) {
    columns.push({ ...planMemberCount(collection, given, scope), as: memberCountName(name) } as Column);
  }
  return columns;
}

function propertyQuery(resource: Resource, base: SelectBody, context: QueryContext): PlannedQuery {
  const { property, entity } = resource;
  const names = new Set<string>();
  const { flat, element, inside, name, leaves = [] } = property!; // the kinds that come here have one
  if (inside) names.add(name);
  for (const leaf of leaves) names.add(leaf.name);
  if (flat !== undefined && !flat.virtual) names.add(flat.name);
  const add = (name: string | undefined) => {
    if (name !== undefined && entity?.$flat.get(name)?.virtual === false) names.add(name);
  };
  for (const annotation of ["@Core.MediaType", "@Core.ContentDisposition.Filename"] as const) {
    add(referenceOf(element[annotation]));
  }
  add(entity && etagElement(entity)?.name);
  const own = memberColumns(resource, context);
  const replaced = own.some((column) => typeof column === "object" && column.as === name);
  if (replaced) names.delete(name);
  const columns: Column[] = [...[...names].map((one) => ({ ref: [one] })), ...own];
  const some = columns.length > 0 ? { columns } : {};
  return { query: { SELECT: { ...base, ...some, one: true } }, paged: false };
}

function refQuery(resource: Resource, base: SelectBody, context: QueryContext): PlannedQuery {
  const entity = resource.entity!; // only entities have references
  const columns: Column[] = urlKeys(entity).map(({ name }) => ({ ref: [name] }));
  const shape: ResultShape = {
    entity,
    select: urlKeys(entity).map(({ name }) => name),
    expand: [],
    computed: [],
  };
  if (!resource.collection) {
    return { query: { SELECT: { ...base, columns, one: true } }, shape, paged: false };
  }
  const clauses = collectionClauses(context.options, context.scope, context.reads);
  return { query: { SELECT: { ...base, columns, ...clauses } }, shape, paged: context.reads };
}

function entityQuery(resource: Resource, base: SelectBody, context: QueryContext): PlannedQuery {
  const { options, scope, levels, reads } = context;
  const { columns, shape, computed } = planColumns(options, { scope, levels });
  const some = columns === undefined ? {} : { columns };
  if (!resource.collection) {
    return { query: { SELECT: { ...base, ...some, one: true } }, shape, paged: false };
  }
  const clauses = collectionClauses(options, { ...scope, computed }, reads);
  return { query: { SELECT: { ...base, ...some, ...clauses } }, shape, paged: reads };
}

function collectionClauses(options: QueryOptions, scope: Scope, reads: boolean): Partial<SelectBody> {
  if (!reads) return {};
  const where = options.filter === undefined ? undefined : planCondition(options.filter, scope);
  const search = options.search === undefined ? undefined : planSearch(options.search);
  return clausesOf(options, { where, search, orderBy: planOrderby(options.orderby, scope, true) });
}

interface Clauses {
  readonly where: readonly Xo[] | undefined;
  readonly search: readonly Xo[] | undefined;
  readonly orderBy: readonly OrderTerm[];
}

function clausesOf(options: QueryOptions, { where, search, orderBy }: Clauses): Partial<SelectBody> {
  const offset = options.skip !== undefined || options.skiptoken !== undefined;
  return {
    ...(where && { where }),
    ...(search && { search }),
    ...(orderBy.length > 0 && { orderBy }),
    limit: {
      rows: { ref: [LIMIT_PARAMS.rows], param: true },
      ...(offset && { offset: { ref: [LIMIT_PARAMS.offset], param: true } }),
    },
    ...(options.count === true && { count: true }),
  };
}

/** `concat` at the end of `$apply`: each sequence is a query of its own behind the transformations before. */
function concatQuery(resource: Resource, base: SelectBody, context: QueryContext): PlannedQuery {
  const { options } = context;
  const trafos = options.apply!.trafos; // the caller asks for it only with $apply
  const before = trafos.slice(0, -1);
  const last = trafos.at(-1)! as Extract<ApplyTrafo, { kind: "concatTrafo" }>;
  const parts = last.branches.map((branch): PlannedQuery => {
    const apply = { ...branch, trafos: [...before, ...branch.trafos] };
    return applyQuery(resource, base, { ...context, options: { ...options, apply } });
  });
  if (isBehindConcat(options) || parts.some(({ cut }) => cut !== undefined)) {
    return applyQuery(resource, base, context);
  }
  return { ...parts[0]!, shape: { expand: [], computed: [], entity: resource.entity! }, parts };
}

/** Options that need the rows of all sequences together. */
function isBehindConcat(options: QueryOptions): boolean {
  return isBehindCut(options) ||
    (["skiptoken", "select", "compute"] as const).some((name) => options[name] !== undefined);
}

function applyQuery(resource: Resource, base: SelectBody, context: QueryContext): PlannedQuery {
  const { options, scope } = context;
  if (!resource.collection) throw badRequest("$apply needs a collection", options.offsets.apply);
  const from = base.from as RefExpression; // resources are read by their path
  const state = settled(planApply(options.apply!, scope, from)); // the caller asks for it only with $apply
  return state.kind === "rows" && !state.scope.joined?.size
    ? instancesQuery(resource, { base, context, state })
    : tableQuery(resource, { base, context, state: tableOf(state) });
}

interface Applied<S extends State> {
  readonly base: SelectBody;
  readonly context: QueryContext;
  readonly state: S;
}

/** Rows with properties that `$apply` made. */
function tableQuery(resource: Resource, { base, context, state }: Applied<Table>): PlannedQuery {
  const { options } = context;
  for (const name of ["expand", "search"] as const) {
    if (options[name] !== undefined) throw notImplemented(`$${name} with $apply`, options.offsets[name]);
  }
  const table = withOptions(state, options);
  const names = options.select?.map((item) => item.path.join("/"));
  for (const item of options.select ?? []) assertProperty(item, table);
  const shown = table.properties.filter(({ path }) =>
    names === undefined || path.some((_, index) => names.includes(path.slice(0, index + 1).join("/")))
  );
  const shape: ResultShape = {
    ...(resource.entity && { entity: resource.entity }),
    expand: [],
    computed: [],
    aggregated: shown.map(({ name, path, element, parts }) => ({
      name,
      path,
      ...(element && { element }),
      ...(parts && { parts }),
    })),
  };
  const cut = isCut(table) ? boundsOf(table) : undefined;
  const { limit: _limit, orderBy: _orderBy, ...select } = selectOf({ ...table, properties: shown }).SELECT;
  const orderBy = orderOf(table);
  const clauses = clausesOf({ ...options, ...cut }, { where: undefined, search: undefined, orderBy });
  return {
    query: { SELECT: { ...base, ...select, ...clauses } },
    shape,
    paged: true,
    ...(cut && { cut }),
  };
}

/** `$compute`, `$filter` and `$orderby` behind `$apply`; bounds of `$apply` come before them. */
function withOptions(given: Table, options: QueryOptions): Table {
  let table = isCut(given) && isBehindCut(options) ? derived(given) : given;
  if (options.compute) table = computed(options.compute, table) as Table; // tables stay tables
  if (options.filter) {
    const condition = planCondition(options.filter, scopeOf(table));
    const clause = table.isGrouped ? "having" : "where";
    table = { ...table, [clause]: conjunction(table[clause], condition) };
  }
  if (!options.orderby) return table;
  return { ...table, orderBy: planOrderby(options.orderby, scopeOf(table), false) };
}

function assertProperty({ path, offset }: SelectItem, { properties }: Table): void {
  const name = path.join("/");
  if (name === "*" || properties.some(({ path }) => path.join("/").startsWith(name))) return;
  const known = properties.map((property) => property.path.join("/"));
  throw unknownName({ name, offset, what: "property", owner: "$apply", known });
}

function isBehindCut(options: QueryOptions): boolean {
  return (["filter", "search", "orderby", "count", "top", "skip"] as const).some((name) =>
    options[name] !== undefined
  );
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
    options: { ...options, ...bounds },
    scope: rows.scope,
  });
  const { SELECT } = planned.query;
  const terms = options.search && rows.search ? searchOf(SELECT.search!, scopeOf(rows).entity) : undefined;
  const where = conjunction(rows.where, SELECT.where, terms);
  const search = rows.search ?? SELECT.search;
  const orderBy = options.orderby ? SELECT.orderBy : [...rows.orderBy ?? [], ...SELECT.orderBy ?? []];
  const clauses = { ...(where && { where }), ...(search && { search }), ...(orderBy && { orderBy }) };
  return {
    ...planned,
    query: { SELECT: { ...SELECT, ...clauses } },
    ...(bounds && { cut: bounds }),
  };
}

/**
 * The entity that an operation returns one or many of, if it does.
 *
 * @param resource an operation
 * @returns the entity
 */
export function returnedEntity(resource: Resource): LinkedEntity | undefined {
  const returns = resource.operation?.definition.returns;
  return (returns?.$type.items ?? returns)?.$target;
}
