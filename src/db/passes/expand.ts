import {
  allOf,
  call,
  column as columnNode,
  isBound,
  list,
  literal,
  numeral,
  reference,
  select,
} from "../../algebra/build.ts";
import type { Expr, TreeColumn, TreeNested, TreeSelect, TreeSource, TreeStep } from "../../algebra/tree.ts";
import { associationCondition, validityCondition } from "./association_condition.ts";
import {
  type Anchor,
  AS_IT_IS,
  type Lowering,
  type NestedOutput,
  type OutputColumn,
  type PlainValue,
  type ResolvedPath,
  Scope,
  stepSource,
} from "./scope.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { searchableElements, searchCondition } from "../../model/search.ts";

/** The association to expand; its infix filter is part of the column. */
export interface ExpandOptions {
  readonly name: string;
  readonly column: TreeNested;
  readonly found: Extract<ResolvedPath, { kind: "association" }>;
  readonly scope: Scope;
}

/** The name of the column that holds the number of rows of an expanded association. */
export function countName(name: string): string {
  return `${name}@odata.count`;
}

/**
 * The columns of an expanded association: the nested result, and before it the number of its rows if asked for.
 *
 * @param steps the steps of lowering
 * @param options column and association
 */
export function expandedColumns(steps: Lowering, options: ExpandOptions): readonly OutputColumn[] {
  const { column, found, name } = options;
  const lowering = column.validity ? steps.validAt(column.validity) : steps;
  if (column.query) {
    return queryColumns(lowering, { name, query: column.query, count: column.count, scope: options.scope });
  }
  const inner = innerScope(lowering, options);
  const list = { columns: column.expand, excluding: column.excluding };
  const columns = lowering.columns(list, inner.anchor.scope);
  const many = found.association.is2many;
  const nested: NestedOutput = { many, columns, counted: many && column.count === true };
  const expression = many
    ? manyQuery(lowering, { ...inner, column, nested })
    : oneQuery(lowering, { ...inner, nested });
  const result: OutputColumn = { name, expression, nested };
  if (!nested.counted) return [result];
  const count = countQuery(lowering, options);
  return [{ name: countName(name), expression: count, type: "cds.Integer" }, result];
}

interface NestedQuery {
  readonly name: string;
  readonly query: TreeSelect;
  readonly count: boolean | undefined;
  readonly scope: Scope;
}

/** A nested result that is not the rows of the association, but those of a query of its own. */
function queryColumns(
  lowering: Lowering,
  { name, query, count, scope: parent }: NestedQuery,
): readonly OutputColumn[] {
  const { query: rows, columns } = lowering.select(query, { parent, json: true });
  const alias = lowering.alias("rows");
  const result: OutputColumn = {
    name,
    expression: select({ from: { ...rows, as: alias }, columns: [jsonArray(alias)] }),
    nested: { many: true, columns, counted: count === true },
  };
  if (!count) return [result];
  const { limit: _limit, orderBy: _orderBy, ...body } = query.SELECT;
  const all = lowering.select(select(body), { parent }).query;
  const number = select({ from: { ...all, as: lowering.alias("rows") }, columns: [COUNT] });
  return [{ name: countName(name), expression: number, type: "cds.Integer" }, result];
}

const COUNT = call("count", ["*"]);

/** The JSON objects of rows as array. */
function jsonArray(alias: string): Expr {
  return call("$json_array", [call("$json", [columnNode(alias, "json")])]);
}

interface Inner {
  readonly anchor: Anchor;
  readonly where: Expr | undefined;
  /** Whether conditions choose from the rows of the association. */
  readonly isChosen: boolean;
  readonly from: () => TreeSource;
}

function innerScope(lowering: Lowering, { column, found, scope: outer }: ExpandOptions): Inner {
  const { association, anchor: from, step } = found;
  const target = association.$target;
  if (!target) throw new TypeError(`The target of "${association}" is not in the model`);
  const scope = new Scope(outer);
  const alias = lowering.alias(association.name);
  scope.sources.push(stepSource(step, { alias, name: association.name, entity: target }));
  const anchor = { alias, entity: target, scope };
  const chosen = [
    column.where,
    searchedRows(column.search, target),
  ].filter((condition) => condition !== undefined).map((condition) => lowering.expression(condition, scope));
  const where = allOf([
    associationCondition(lowering, association, { from, to: anchor }),
    validityCondition(lowering, anchor),
    ...chosen,
  ]);
  const isChosen = chosen.length > 0;
  return { anchor, where, isChosen, from: () => scope.withJoins(lowering.table(target, alias, step)) };
}

function oneQuery(
  lowering: Lowering,
  { from, where, nested }: Inner & { nested: NestedOutput },
): TreeSelect {
  const columns = [jsonRow(lowering, nested.columns)];
  return select({ from: from(), columns, where, limit: { rows: numeral(1) } });
}

function manyQuery(
  lowering: Lowering,
  parts: Inner & { readonly column: TreeNested; readonly nested: NestedOutput },
): TreeSelect {
  const { anchor, column, nested, where } = parts;
  const row = jsonRow(lowering, nested.columns);
  const { limit, orderBy = [] } = column;
  const terms = orderBy.map((term) => lowering.expression(term, anchor.scope));
  // databases read rows in another order for the sake of a condition
  const keys = parts.isChosen || limit !== undefined || terms.length > 0
    ? anchor.entity.$rowKeys.map((key) => columnNode(anchor.alias, key.name))
    : [];
  const order = [...terms, ...keys];
  if (!limit) {
    const args = order.length === 0 ? [row] : [row, list(order)];
    return select({ from: parts.from(), columns: [call("$json_array", args)], where });
  }
  const alias = lowering.alias("rows");
  const body = select({
    from: parts.from(),
    columns: [{ ...row, as: "json" }],
    where,
    orderBy: order,
    limit,
  });
  return select({ from: { ...body, as: alias }, columns: [jsonArray(alias)] });
}

function countQuery(lowering: Lowering, options: ExpandOptions): TreeSelect {
  const { from, where } = innerScope(lowering, options);
  return select({ from: from(), columns: [COUNT], where });
}

/**
 * The condition that stands for search terms.
 *
 * @param search the terms; without any there is no condition
 * @param entity whose elements are searched
 * @returns a condition over the elements of the entity
 */
export function searchedRows(search: Expr | undefined, entity: LinkedEntity): Expr | undefined {
  return search && searched(search, entity, searchableElements(entity));
}

/**
 * The condition that stands for search terms in the result of a query: its columns with texts are searched.
 *
 * @param search the terms; without any there is no condition
 * @param columns the columns of the query
 */
export function searchedColumns(
  search: Expr | undefined,
  columns: ReadonlyMap<string, OutputColumn>,
): Expr | undefined {
  if (!search) return undefined;
  const texts = [...columns.values()].filter(({ type, nested }) => type === "cds.String" && !nested);
  return searched(search, undefined, texts.map(({ name }) => [name]));
}

function searched(
  search: Expr,
  entity: LinkedEntity | undefined,
  paths: readonly (readonly string[])[],
): Expr {
  const find = (ref: readonly TreeStep[], term: Expr) => call("$found", [reference(ref), term]);
  return searchCondition(search, { entity, paths, find });
}

/**
 * The JSON object of a row.
 *
 * @param lowering tells whether values are written for payloads or to be read back
 * @param columns the columns
 */
export function jsonRow(lowering: Pick<Lowering, "payload">, columns: readonly OutputColumn[]): Expr {
  const args = columns.flatMap((column) => [
    literal(column.name, "member"),
    call(jsonFunction(lowering, column), [column.expression]),
  ]);
  return call("$json_object", args);
}

/**
 * A value as JSON that is read back.
 *
 * @param value a lowered value, and its type
 */
export function jsonValue(value: Omit<OutputColumn, "name">): Expr {
  return call(jsonFunction({ payload: false }, value), [value.expression]);
}

/**
 * The values of a row in the form of payloads, each in a column of its own.
 *
 * @param columns the columns
 * @param plainValue gives the functions that do not write JSON
 * @returns undefined where a column holds JSON, which is no value of its own
 */
export function payloadValues(
  columns: readonly OutputColumn[],
  plainValue: PlainValue,
): TreeColumn[] | undefined {
  const values: TreeColumn[] = [];
  for (const column of columns) {
    const func = plainValue(jsonFunction({ payload: true }, column), column.type);
    if (func === undefined) return undefined;
    const value = func === AS_IT_IS ? column.expression : call(func, [column.expression]);
    values.push({ ...value, as: column.name });
  }
  return values.length === 0 ? undefined : values;
}

function jsonFunction({ payload }: Pick<Lowering, "payload">, column: Omit<OutputColumn, "name">): string {
  const { expression, type, element, nested } = column;
  if (nested || element?.$type.items || type === "cds.Map") return "$json";
  if (type === "cds.Boolean") return "$json_boolean";
  if (type === "cds.Binary" || type === "cds.LargeBinary") {
    return payload ? "$json_base64url" : "$json_base64";
  }
  if (!payload && (type === "cds.Int64" || type === "cds.Integer64")) return "$json_safe_integer";
  if (type === "cds.Double") return "$json_double";
  if (type === "cds.Timestamp") return "$json_timestamp";
  if (type === "cds.DateTime") return "$json_datetime";
  return expression.kind === "literal" || isBound(expression) ? "$json_literal" : "$json_value";
}
