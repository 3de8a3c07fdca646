/**
 * SELECT and set queries over the model as queries over tables.
 *
 * @module
 */

import {
  allOf,
  call,
  column as columnNode,
  conjuncts,
  literal,
  numeral,
  select as selectNode,
} from "../../algebra/build.ts";
import { isAggregate } from "../../algebra/functions.ts";
import type { Expr, TreeBody, TreeColumn, TreeOrder, TreeSet, TreeStep } from "../../algebra/tree.ts";
import { childrenOf, someOf } from "../../algebra/walk_tree.ts";
import type { CsnDefinition, CsnElement } from "../../model/csn.ts";
import type { LinkedElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { linkElement } from "../../model/linked/linked_element.ts";
import { jsonRow, payloadValues, searchedColumns, searchedRows } from "./expand.ts";
import { isItem } from "./comparisons.ts";
import { resolveReference } from "./references.ts";
import { type LoweredSelect, type Lowering, type OutputColumn, Scope, type SelectOptions } from "./scope.ts";
import { partsOfPath } from "./association_condition.ts";
import { uniqueConstraints } from "../unique_constraints.ts";
import { nameOfPath } from "./columns.ts";
import { lowerSource } from "./source.ts";
import { viewTree } from "./inline_view.ts";
import { stepName } from "../../cqn/steps.ts";

/** What is selected where a query asks for no columns: SQL wants one. */
export const NO_COLUMN = "1";

/**
 * Lowers a SELECT.
 *
 * @param lowering the steps of lowering
 * @param select the query
 * @param options the scope around it, and whether it gives rows as JSON
 */
export function lowerSelect(lowering: Lowering, select: TreeBody, options: SelectOptions): LoweredSelect {
  const scope = new Scope(options.parent);
  const { source, where: path } = lowerSource(lowering, select.from, scope);
  for (const association of mixinsOf(lowering.model, select)) scope.mixins.set(association.name, association);
  scope.lowerOutput = ownColumns(lowering, select.columns, scope);
  scope.columnPath = (name) => columnPath(select.columns, name);
  const given = options.parent ? withNames(select) : select;
  const all = lowering.columns(given, scope);
  const columns = options.lacksStreams
    ? all.filter((column) => isAskedFor(lowering, column, { select, scope }))
    : all;
  for (const column of columns) if (!column.nested) scope.outputs.set(column.name, column.expression);
  const entity = scope.sources[0]?.entity;
  const { columns: ofQuery } = scope.sources[0] ?? {};
  const search = ofQuery
    ? searchedColumns(select.search, ofQuery)
    : entity && searchedRows(select.search, entity);
  const where = allOf([
    path,
    select.where && lowering.expression(select.where, scope),
    search && lowering.expression(search, scope),
  ]);
  const groupBy = select.groupBy?.flatMap((term) => groupTerms(lowering, term, scope));
  const having = select.having && lowering.expression(select.having, scope);
  const orderBy = orderTerms(lowering, select, { scope, columns });
  const limit = checkedLimit(select.limit) ??
    (select.one ? { rows: numeral(1) } : undefined);
  const values = typeof options.json === "function" ? payloadValues(columns, options.json) : undefined;
  const list = values ?? listOf(lowering, columns, options);
  const query = selectNode({
    from: scope.withJoins(source),
    columns: list.length > 0 ? list : [{ ...literal(1), as: NO_COLUMN }],
    distinct: select.distinct,
    where,
    groupBy,
    having,
    orderBy: orderBy.length > 0 ? orderBy : undefined,
    limit,
  });
  return {
    query,
    columns,
    hasValues: values !== undefined,
    entity: isWhole(select, scope) ? entity : undefined,
  };
}

/** Large bytes are asked for by their names. */
function isAskedFor(
  lowering: Lowering,
  { name, type, element }: OutputColumn,
  { select: { columns = ["*"] }, scope }: { readonly select: TreeBody; readonly scope: Scope },
): boolean {
  if (type !== "cds.LargeBinary" || element?.$type.items) return true;
  return !columns.includes("*") ||
    columns.some((column) =>
      column !== "*" &&
      (column.as ?? ("ref" in column ? nameOfPath(lowering, column.ref!, scope) : undefined)) === name
    );
}

/** Engines differ in what they make of numbers that count no rows. */
function checkedLimit(limit: TreeBody["limit"]): TreeBody["limit"] {
  for (const count of [limit?.rows, limit?.offset]) {
    if (count?.kind !== "literal" || (Number.isSafeInteger(Number(count.val)) && Number(count.val) >= 0)) {
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
): TreeColumn[] {
  if (json) return [{ ...jsonRow(lowering, columns), as: "json" }];
  return columns.map((column) => ({
    ...(outermost ? safe(column) : column.expression),
    as: column.name,
  }));
}

/** Rows are grouped by all parts of a structure, or of an association with several foreign keys. */
function groupTerms(lowering: Lowering, term: Expr, scope: Scope): readonly Expr[] {
  const parts = term.kind === "reference" && !isItem(term.ref)
    ? partsOfPath(term.ref, resolveReference(lowering, term.ref, scope))
    : undefined;
  return (parts ? [...parts.values()] : [term]).map((one) => lowering.expression(one, scope));
}

/** The associations of `mixin`, linked; they belong to no definition. */
function mixinsOf(model: LinkedModel, { mixin = {} }: TreeBody): LinkedElement[] {
  const scope = {
    close: Object.freeze,
    definition: (name: string) => model.definitions[name],
    source: (name: string) => model.definitions[name] as CsnDefinition | undefined, // keeps the properties of its CSN
  };
  return Object.entries(mixin).map(([name, element]) => linkElement(element as CsnElement, { name, scope }));
}

/** Columns of subqueries in expressions need no names. */
function withNames({ columns, excluding }: TreeBody): Pick<TreeBody, "columns" | "excluding"> {
  const named = columns?.map((column, index): TreeColumn => {
    if (column === "*" || column.as !== undefined) return column;
    const plain = column.kind === "cast" ? column.arg : column;
    const hasName = plain.kind === "reference" || plain.kind === "call" ||
      (column.kind === "nested" && column.ref !== undefined) ||
      (column.kind === "nested" && column.inline !== undefined);
    return hasName ? column : { ...column, as: `column ${index + 1}` };
  });
  return { columns: named, excluding };
}

/** The columns that `$self.name` means in other columns of the same list. */
function ownColumns(lowering: Lowering, columns: TreeBody["columns"], scope: Scope): Scope["lowerOutput"] {
  const known = new Map<string, Expr | undefined>();
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

/** Paths that start at other columns are no start for further ones. */
function columnPath(columns: TreeBody["columns"], name: string): readonly TreeStep[] | undefined {
  const column = columns?.find((one): one is Exclude<TreeColumn, "*"> => one !== "*" && one.as === name);
  return column?.kind === "reference" && !stepName(column.ref[0]).startsWith("$") ? column.ref : undefined;
}

function safe({ expression, type }: OutputColumn): Expr {
  if (type === "cds.Double") return call("$safe_double", [expression]);
  const large = type === "cds.Int64" || type === "cds.Integer64" ||
    (expression.kind === "call" && expression.func === "sum");
  return large ? call("$safe_integer", [expression]) : expression;
}

/** Whether paths can start at the rows of a subquery as at those of its entity. */
function isWhole(select: TreeBody, scope: Scope): boolean {
  return scope.sources.length === 1 && !select.groupBy &&
    (select.columns === undefined || select.columns.includes("*"));
}

function orderTerms(
  lowering: Lowering,
  select: TreeBody,
  { scope, columns }: { readonly scope: Scope; readonly columns: readonly OutputColumn[] },
): TreeOrder[] {
  const lower = (term: TreeOrder) => lowering.expression(term, scope) as TreeOrder; // the order stays beside it
  const own = (select.orderBy ?? []).map((term): TreeOrder => {
    const alias = term.kind === "reference" && term.ref.length === 1 ? stepName(term.ref[0]!) : undefined;
    const output = columns.find(({ name, nested }) => name === alias && !nested);
    if (!output) return lower(term);
    const { sort, nulls } = term;
    return { ...output.expression, ...(sort && { sort }), ...(nulls && { nulls }) };
  });
  const terms = [...own, ...sourceOrder(select).map(lower)].filter((term) => !isConstant(term))
    .map((term) => neverNull(term, select, scope) ? { ...term, notNull: true } : term);
  return select.limit && !select.one ? [...terms, ...keyOrder(select, scope, terms)] : terms;
}

/** Whether a term is made of literals: it orders nothing, and databases take some of them for numbers of columns. */
function isConstant(term: Expr): boolean {
  return !someOf(term, (part) => {
    if (part.kind === "select" || part.kind === "set") return true; // its rows may be those of the row around
    return part.kind !== "literal" && childrenOf(part).length === 0;
  });
}

/** The order that the infix filter at the end of the path gives, where rows are those of the source. */
function sourceOrder({ from, groupBy, distinct, columns = [] }: TreeBody): readonly TreeOrder[] {
  if (groupBy || distinct || from.kind !== "reference" || columns.some(hasAggregate)) return [];
  const last = from.ref.at(-1);
  return typeof last === "object" ? last.orderBy ?? [] : [];
}

/** Whether an order term is a column of the only source that holds no null, or none in the rows of the query. */
function neverNull(term: TreeOrder, { where }: TreeBody, { sources }: Scope): boolean {
  if (sources.length !== 1 || term.kind !== "reference" || term.ref.length !== 2) return false;
  const [{ alias, entity, columns }] = sources;
  if (!entity || columns || stepName(term.ref[0]) !== alias || !hasRowsOfTable(entity)) return false;
  const name = stepName(term.ref[1]);
  const flat = entity.$flat.get(name);
  return flat?.key === true || flat?.notNull === true || (flat !== undefined && asksForValue(where, name));
}

/** Whether each row must have a value of a column: `<column> is not null and …`. */
function asksForValue(where: Expr | undefined, name: string): boolean {
  return conjuncts(where).some((one) =>
    one.kind === "comparison" && one.op === "is not" && one.right.kind === "literal" &&
    one.right.val === null &&
    one.left.kind === "reference" && one.left.ref.length === 1 && stepName(one.left.ref[0]!) === name
  );
}

/** Whether the rows are those of one table; a view that groups or joins may have nulls in what the model calls a key. */
function hasRowsOfTable(entity: LinkedEntity): boolean {
  const query = viewTree(entity);
  if (!query) return true;
  if (query.kind === "set") return false;
  const { from, groupBy } = query.SELECT;
  return from.kind === "reference" && from.ref.length === 1 && !groupBy && entity.$source !== undefined &&
    hasRowsOfTable(entity.$source);
}

/** A page is a page of a total order: keys come last (behaviours 2). */
function keyOrder(select: TreeBody, scope: Scope, terms: readonly TreeOrder[]): TreeOrder[] {
  if (select.groupBy || select.distinct || scope.sources.length !== 1) return [];
  const [{ alias, entity, columns }] = scope.sources;
  if (!entity || columns || (select.columns ?? []).some(hasAggregate)) return [];
  const paths = terms.filter((term) => term.kind === "reference");
  const known = new Set(paths.map(({ ref }) => ref.map(stepName).join(".")));
  const sureColumns = paths.filter(({ notNull, ref }) => notNull && ref.length === 2)
    .map(({ ref }) => stepName(ref[1]!));
  if (isUnique(entity, sureColumns)) return [];
  const sure = hasRowsOfTable(entity) ? { notNull: true } : {};
  return entity.$rowKeys.filter(({ name }) => !known.has(`${alias}.${name}`))
    .map(({ name }) => columnNode(alias, name, sure));
}

/** Whether no two rows of a table agree in columns none of which is null. */
function isUnique(entity: LinkedEntity, columns: readonly string[]): boolean {
  return viewTree(entity) === undefined &&
    uniqueConstraints(entity).some((unique) => unique.columns.every((name) => columns.includes(name)));
}

/** Whether an aggregate stands in a column, outside of subqueries and windows. */
function hasAggregate(column: TreeColumn): boolean {
  return column !== "*" && column.kind !== "nested" && someOf(column, isAggregate);
}

/**
 * Lowers a union, intersection or difference.
 *
 * @param lowering the steps of lowering
 * @param set the query
 * @param options the scope around it, and whether it gives rows as JSON
 */
export function lowerSet(lowering: Lowering, set: TreeSet["SET"], options: SelectOptions): LoweredSelect {
  const args = set.args.map((arg) => lowering.select(arg, { parent: options.parent }));
  const { columns } = args[0]!;
  const orderBy = set.orderBy?.map((term) =>
    term.kind === "reference" ? { ...term, ref: [stepName(term.ref.at(-1)!)] } : term
  );
  const query: TreeSet = {
    kind: "set",
    SET: { ...set, args: args.map((arg) => arg.query), ...(orderBy && { orderBy }) },
  };
  const alias = lowering.alias("rows");
  const outer = columns.map((column) => ({
    ...column,
    expression: columnNode(alias, column.name, { type: column.expression.type }),
  }));
  const list = options.json
    ? [{ ...jsonRow(lowering, outer), as: "json" }]
    : outer.map((column) => ({ ...column.expression, as: column.name }));
  return { query: selectNode({ from: { ...query, as: alias }, columns: list }), columns: outer };
}
