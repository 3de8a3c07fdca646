/**
 * SELECT and set queries over the model as queries over tables.
 *
 * @module
 */

import type { Column, Expression, OrderTerm, SelectBody, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import { orderOfSource } from "../../cqn/infix_filter.ts";
import type { CsnDefinition, CsnElement } from "../../model/csn.ts";
import type { LinkedElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { linkElement } from "../../model/linked/linked_element.ts";
import { jsonRow, payloadValues } from "./json_row.ts";
import { isAggregate } from "./own_aggregate.ts";
import { isBound, resolveReference } from "./references.ts";
import {
  allOf,
  compact,
  type LoweredSelect,
  type Lowering,
  type OutputColumn,
  Scope,
  type SelectOptions,
  stepName,
} from "./scope.ts";
import { partsOfPath } from "./structure_comparison.ts";
import { searchedRows } from "./search.ts";
import { uniqueConstraints } from "../unique_constraints.ts";
import { viewQuery } from "../../model/view_query.ts";
import { lowerSource } from "./source.ts";

/**
 * Lowers a SELECT.
 *
 * @param lowering the steps of lowering
 * @param select the query
 * @param options the scope around it, and whether it gives rows as JSON
 */
export function lowerSelect(lowering: Lowering, select: SelectBody, options: SelectOptions): LoweredSelect {
  const scope = new Scope(options.parent);
  const { source, where: path } = lowerSource(lowering, select.from, scope);
  for (const association of mixinsOf(lowering.model, select)) scope.mixins.set(association.name, association);
  scope.lowerOutput = ownColumns(lowering, select.columns, scope);
  const given = options.parent ? withNames(select) : select;
  const columns = lowering.columns(given, scope);
  for (const column of columns) if (!column.nested) scope.outputs.set(column.name, column.expression);
  const entity = scope.sources[0]?.entity;
  const search = select.search?.length && entity ? searchedRows(select.search, entity) : undefined;
  const where = allOf([
    path,
    select.where?.length ? lowering.xo(select.where, scope) : undefined,
    search && [{ xpr: lowering.xo(search, scope) }],
  ]);
  const groupBy = select.groupBy?.flatMap((term) => groupTerms(lowering, term, scope));
  const having = select.having && lowering.xo(select.having, scope);
  const orderBy = orderTerms(lowering, select, { scope, columns });
  const limit = checkedLimit(select.limit) ??
    (select.one ? { rows: { val: 1, literal: "number" } } : undefined);
  const values = typeof options.json === "function" ? payloadValues(columns, options.json) : undefined;
  const list = values ?? listOf(lowering, columns, options);
  const body: SelectBody = compact({
    from: scope.withJoins(source),
    columns: list.length > 0 ? list : [{ val: 1, as: "1" }],
    distinct: select.distinct,
    where,
    groupBy,
    having,
    orderBy: orderBy.length > 0 ? orderBy : undefined,
    limit,
  });
  return {
    query: { SELECT: body },
    columns,
    hasValues: values !== undefined,
    entity: isWhole(select, scope) ? entity : undefined,
  };
}

/** Engines differ in what they make of numbers that count no rows. */
function checkedLimit(limit: SelectBody["limit"]): SelectBody["limit"] {
  for (const count of [limit?.rows, limit?.offset]) {
    if (!count || !("val" in count) || (Number.isSafeInteger(Number(count.val)) && Number(count.val) >= 0)) {
      continue;
    }
    throw new TypeError(`Expected a number of rows as limit, found ${count.val}`);
  }
  return limit;
}

function listOf(
  lowering: Lowering,
  columns: readonly OutputColumn[],
  { json, outermost }: SelectOptions,
): Column[] {
  if (json) return [{ ...jsonRow(lowering, columns), as: "json" }];
  return columns.map((column) => ({
    ...(outermost ? safe(column) : column.expression),
    as: column.name,
  }));
}

/** Rows are grouped by all parts of a structure, or of an association with several foreign keys. */
function groupTerms(lowering: Lowering, term: Expression, scope: Scope): readonly Expression[] {
  const parts = "ref" in term && !isBound(term)
    ? partsOfPath(term.ref, resolveReference(lowering, term.ref, scope))
    : undefined;
  return (parts ? [...parts.values()] : [term]).map((one) => lowering.expression(one, scope));
}

/** The associations of `mixin`, linked; they belong to no definition. */
function mixinsOf(model: LinkedModel, { mixin = {} }: SelectBody): LinkedElement[] {
  const scope = {
    definition: (name: string) => model.definitions[name],
    source: (name: string) => model.definitions[name] as CsnDefinition | undefined, // keeps the properties of its CSN
  };
  return Object.entries(mixin).map(([name, element]) => linkElement(element as CsnElement, { name, scope }));
}

/** Columns of subqueries in expressions need no names. */
function withNames({ columns, excluding }: SelectBody): Pick<SelectBody, "columns" | "excluding"> {
  const named = columns?.map((column, index) => {
    const isNamed = column === "*" || column.as !== undefined || "ref" in column || "func" in column;
    return isNamed || "inline" in column ? column : { ...column, as: `column ${index + 1}` };
  });
  return { columns: named, excluding };
}

/** The columns that `$self.name` means in other columns of the same list. */
function ownColumns(lowering: Lowering, columns: SelectBody["columns"], scope: Scope): Scope["lowerOutput"] {
  const known = new Map<string, Expression | undefined>();
  return (name) => {
    if (known.has(name)) return known.get(name);
    known.set(name, undefined); // a column does not refer to itself
    const column = columns?.find((one) => one !== "*" && one.as === name);
    const [lowered] = column ? lowering.columns({ columns: [column] }, scope) : [];
    const expression = lowered?.name === name && !lowered.nested ? lowered.expression : undefined;
    known.set(name, expression);
    return expression;
  };
}

function safe({ expression, type }: OutputColumn): Expression {
  if (type === "cds.Double") return { func: "$safe_double", args: [expression] };
  const large = type === "cds.Int64" || type === "cds.Integer64" ||
    ("func" in expression && expression.func === "sum");
  return large ? { func: "$safe_integer", args: [expression] } : expression;
}

/** Whether paths can start at the rows of a subquery as at those of its entity. */
function isWhole(select: SelectBody, scope: Scope): boolean {
  return scope.sources.length === 1 && !select.groupBy &&
    (select.columns === undefined || select.columns.includes("*"));
}

function orderTerms(
  lowering: Lowering,
  select: SelectBody,
  { scope, columns }: { readonly scope: Scope; readonly columns: readonly OutputColumn[] },
): OrderTerm[] {
  const terms = (select.orderBy ?? []).map((term): OrderTerm => {
    const alias = "ref" in term && !isBound(term) && term.ref.length === 1
      ? stepName(term.ref[0])
      : undefined;
    const output = alias === undefined
      ? undefined
      : columns.find(({ name, nested }) => name === alias && !nested);
    if (!output) return lowering.expression(term, scope) as OrderTerm;
    const { sort, nulls } = term;
    return { ...output.expression, ...(sort && { sort }), ...(nulls && { nulls }) } as OrderTerm;
  }).concat(sourceOrder(select).map((term) => lowering.expression(term, scope) as OrderTerm))
    .map((term) => neverNull(term, select, scope) ? { ...term, notNull: true } : term);
  return select.limit && !select.one ? [...terms, ...keyOrder(select, scope, terms)] : terms;
}

/** The order of the source, where rows are those of the source. */
function sourceOrder({ from, groupBy, distinct, columns = [] }: SelectBody): readonly OrderTerm[] {
  return groupBy || distinct || columns.some(hasAggregate) ? [] : orderOfSource(from);
}

/** Whether an order term is a column of the only source that holds no null, or none in the rows of the query. */
function neverNull(term: OrderTerm, { where }: SelectBody, { sources }: Scope): boolean {
  if (sources.length !== 1 || !("ref" in term) || term.ref.length !== 2) return false;
  const [{ alias, entity, columns }] = sources;
  if (!entity || columns || stepName(term.ref[0]) !== alias || !hasRowsOfTable(entity)) return false;
  const name = stepName(term.ref[1]);
  const flat = entity.$flat.get(name);
  return flat?.key === true || flat?.notNull === true || (flat !== undefined && asksForValue(where, name));
}

/** Whether each row must have a value of a column: the condition begins with `<column> is not null and`. */
function asksForValue(where: SelectBody["where"] = [], name: string): boolean {
  const [ref, ...words] = where;
  const isColumn = typeof ref === "object" && "ref" in ref && ref.ref.length === 1 &&
    stepName(ref.ref[0]) === name;
  const [, , , next = "and"] = words;
  return isColumn && words.slice(0, 3).join(" ") === "is not null" && next === "and" && !where.includes("or");
}

/** Whether the rows are those of one table; a view that groups or joins may have nulls in what the model calls a key. */
function hasRowsOfTable(entity: LinkedEntity): boolean {
  const query = viewQuery(entity);
  if (!query) return true;
  if (!("SELECT" in query)) return false;
  const { from, groupBy } = query.SELECT;
  return "ref" in from && from.ref.length === 1 && !groupBy && entity.$source !== undefined &&
    hasRowsOfTable(entity.$source);
}

/** A page is a page of a total order: keys come last (behaviours 2). */
function keyOrder(select: SelectBody, scope: Scope, terms: readonly OrderTerm[]): OrderTerm[] {
  if (select.groupBy || select.distinct || scope.sources.length !== 1) return [];
  const [{ alias, entity, columns }] = scope.sources;
  if (!entity || columns || (select.columns ?? []).some(hasAggregate)) return [];
  const known = new Set(terms.map((term) => "ref" in term ? term.ref.join(".") : ""));
  const sureColumns = terms.filter((term) => "notNull" in term && "ref" in term && term.ref.length === 2)
    .map((term) => "ref" in term ? stepName(term.ref[1]!) : "");
  if (isUnique(entity, sureColumns)) return [];
  const sure = hasRowsOfTable(entity) ? { notNull: true } : {};
  return entity.$flatKeys.map((key): OrderTerm => ({ ref: [alias, key.name], ...sure }))
    .filter((term) => "ref" in term && !known.has(term.ref.join(".")));
}

/** Whether no two rows of a table agree in columns none of which is null. */
function isUnique(entity: LinkedEntity, columns: readonly string[]): boolean {
  return viewQuery(entity) === undefined &&
    uniqueConstraints(entity).some((unique) => unique.columns.every((name) => columns.includes(name)));
}

/** Whether an aggregate stands in an expression, outside of subqueries and windows. */
function hasAggregate(column: unknown): boolean {
  if (typeof column !== "object" || column === null || "SELECT" in column || "SET" in column) return false;
  if (isAggregate(column)) return true;
  const { args, xpr } = column as { readonly args?: unknown; readonly xpr?: unknown };
  return [args, "func" in column ? undefined : xpr].some((one) =>
    Array.isArray(one) && one.some(hasAggregate)
  );
}

/**
 * Lowers a union, intersection or difference.
 *
 * @param lowering the steps of lowering
 * @param set the query
 * @param options the scope around it, and whether it gives rows as JSON
 */
export function lowerSet(lowering: Lowering, set: SetQuery["SET"], options: SelectOptions): LoweredSelect {
  const args = set.args.map((arg) => lowering.select(arg, { parent: options.parent }));
  const { columns } = args[0];
  const orderBy = set.orderBy?.map((term) =>
    "ref" in term ? { ...term, ref: [stepName(term.ref[term.ref.length - 1])] } : term
  );
  const query = {
    SET: {
      ...set,
      args: args.map((arg) => arg.query),
      ...(orderBy && { orderBy }),
    },
  };
  const alias = lowering.alias("rows");
  const outer = columns.map((column) => ({ ...column, expression: { ref: [alias, column.name] } }));
  const list = options.json
    ? [{ ...jsonRow(lowering, outer), as: "json" }]
    : outer.map((column) => ({ ...column.expression, as: column.name }));
  const body: SelectQuery = { SELECT: { from: { ...query, as: alias }, columns: list } };
  return { query: body, columns: outer };
}
