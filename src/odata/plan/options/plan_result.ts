/**
 * Query options of operations: they apply to what is returned (OData Protocol 11.5.4.1). The rows that a handler gives
 * become the source of a query, so that conditions, order and expanded rows mean what they mean everywhere.
 *
 * @module
 */

import type { Returned } from "./allowed_options.ts";
import { allOf, parameter, reference, select } from "../../../algebra/build.ts";
import type { TreeBody, TreeColumn, TreeSelect } from "../../../algebra/tree.ts";
import { columnPath } from "../../../algebra/walk_tree.ts";
import { stepName } from "../../../cqn/steps.ts";
import type { LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import type { QueryOptions } from "../../url/ast.ts";
import { planApplied } from "../apply/apply_query.ts";
import { clausesOf, type QueryContext } from "./entity_query.ts";
import type { ResultPlan } from "../plan.ts";
import { planColumns } from "./plan_columns.ts";
import { notImplemented } from "../plan_error.ts";
import { planCondition } from "../expressions/plan_expression.ts";
import { planOrderby } from "./plan_orderby.ts";
import { planSearch } from "./row_conditions.ts";
import { allRows, GIVEN_ROWS } from "../paths/resource.ts";
import type { Scope } from "../scope.ts";
import { memberShape } from "./member_shape.ts";
import { insideOf, type InsideScope } from "../expressions/plan_item.ts";
import { nothing } from "./plan_select.ts";
import { searched, typedColumn, withComputed } from "./plan_values.ts";

/** The step that stands for given values, whatever they are. */
const GIVEN_VALUES = "$rows";

/** What values are planned with. */
interface ValueContext {
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
function planValueResult(
  returned: { readonly element: LinkedElement; readonly many: boolean },
  { options, scopeOf }: ValueContext,
): PlannedResult {
  const { element, many } = returned;
  for (const name of ["apply", "expand"] as const) {
    if (options[name] === undefined) continue;
    throw notImplemented(`$${name} for values that an operation returns`, options.offsets[name]);
  }
  const place = insideOf(element, scopeOf(nothing()));
  const inside = withComputed(options, { ...place, scope: { ...place.scope, it: place.place } });
  const values = memberShape(element, options, inside.own);
  const names = element.$type.elements ? [...values.computed?.keys() ?? []] : [];
  const columns = names.map((name) => typedColumn(inside.own.get(name)!, name));
  const clauses = many ? clausesOfValues(options, inside) : {};
  const isPlain = names.length === 0 && !clauses.where && !clauses.orderBy;
  const shown = values.select || values.computed ? { values } : {};
  if (isPlain) return { own: [], ...shown };
  const rows = parameter(GIVEN_ROWS);
  const from = { ...reference([{ id: GIVEN_VALUES, rows }]), as: inside.name };
  return { query: withPosition({ from, ...clauses }, columns), own: names, ...shown };
}

function clausesOfValues(options: QueryOptions, { scope, place }: InsideScope): Partial<TreeBody> {
  const where = allOf([
    options.filter && planCondition(options.filter, scope),
    options.search && searched(planSearch(options.search), place),
  ]);
  const orderBy = planOrderby(options.orderby, scope, false);
  return clausesOf(options, { where, search: undefined, orderBy });
}

/** The options of a result but its page, which URLs of a shape do not share. */
export type PlannedResult = Omit<ResultPlan<TreeSelect>, "paging">;

const OF_ROWS = ["filter", "search", "orderby", "apply", "compute", "expand", "select"] as const;
const OF_PAGES = ["top", "skip", "count"] as const;

/**
 * Plans the options of a result.
 *
 * @param returned what is returned
 * @param options the options of the URL
 * @param contextOf gives scope and bounds for an entity
 * @returns undefined without options
 * @throws {ServiceError} 501 for options that values do not have
 */
export function planResult(
  returned: Returned,
  options: QueryOptions,
  contextOf: (entity: LinkedEntity) => QueryContext,
): PlannedResult | undefined {
  const { element, entity, many } = returned;
  const isUsed = OF_ROWS.some((name) => options[name] !== undefined);
  const isCut = many && OF_PAGES.some((name) => options[name] !== undefined);
  if (!isUsed && !isCut) return undefined;
  if (!isUsed) return { own: [] };
  if (returned.nested) {
    if (options.apply) throw notImplemented("$apply for collections of collections", options.offsets.apply);
    const planned = planResult({ ...returned, nested: false }, options, contextOf);
    return planned && unpaged(planned);
  }
  if (entity === undefined) {
    return planValueResult({ element, many }, { options, scopeOf: (of) => contextOf(of).scope });
  }
  const from = reference([{ id: entity.name, rows: parameter(GIVEN_ROWS) }]);
  const base: TreeBody = { from, localized: true, bounded: true };
  const context = contextOf(entity);
  return options.apply && many ? appliedResult(entity, base, context) : rowsResult({ base, many }, context);
}

/** The query of one of many collections, which has no pages of its own. */
function unpaged({ query, ...planned }: PlannedResult): PlannedResult {
  if (!query) return planned;
  const { limit: _limit, count: _count, ...body } = query.SELECT;
  return { ...planned, query: select(body) };
}

function rowsResult(
  { base, many }: { readonly base: TreeBody; readonly many: boolean },
  { options, scope, bounds }: QueryContext,
): PlannedResult {
  const { columns, shape, computed } = planColumns(options, { scope, bounds });
  const own = ownColumns(columns);
  const clauses = many ? clausesOfRows(options, { ...scope, computed }) : {};
  const isPlain = own.length === 0 && !clauses.where && !clauses.search && !options.orderby;
  if (isPlain) return { own: [], shape };
  return { query: withPosition({ ...base, ...clauses }, own), own: own.map(nameOf), shape };
}

function clausesOfRows(options: QueryOptions, scope: Scope): Partial<TreeBody> {
  const where = options.filter && planCondition(options.filter, scope);
  const search = options.search && planSearch(options.search);
  return clausesOf(options, { where, search, orderBy: planOrderby(options.orderby, scope, false) });
}

function appliedResult(entity: LinkedEntity, base: TreeBody, context: QueryContext): PlannedResult {
  const { query, shape, applied } = planApplied(allRows(entity), base, context);
  const { offsets } = context.options;
  if (applied?.parts) throw notImplemented("concat or nest for what an operation returns", offsets.apply);
  if (applied?.groups) throw notImplemented("$expand of groups of what an operation returns", offsets.expand);
  if (shape?.aggregated) return { query, own: [], shape };
  const own = ownColumns(query.SELECT.columns);
  return { query: withPosition(query.SELECT, own), own: own.map(nameOf), shape };
}

/** Columns whose values the rows do not have themselves. */
function ownColumns(columns: readonly TreeColumn[] = []): readonly Exclude<TreeColumn, "*">[] {
  return columns.filter((column) => column !== "*").filter((column) => {
    if (column.kind !== "reference" || column.ref.length !== 1) return true;
    return column.as !== undefined && column.as !== column.ref[0];
  });
}

function nameOf(column: Exclude<TreeColumn, "*">): string {
  return column.as ?? stepName(columnPath(column)[0]!);
}

/** The column with the position of such a row. */
export const POSITION = "$position";

/**
 * A query whose rows have their position, which decides what the order leaves open.
 *
 * @param clauses the clauses
 * @param own the columns beside the position
 */
function withPosition(clauses: TreeBody, own: readonly TreeColumn[]): TreeSelect {
  const position = reference([POSITION]);
  return select({
    ...clauses,
    columns: [{ ...position, as: POSITION }, ...own],
    orderBy: [...clauses.orderBy ?? [], position],
  });
}
