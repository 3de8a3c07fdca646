/**
 * SELECT over rows in memory.
 *
 * @module
 */

import type {
  Column,
  Expression,
  NestedColumn,
  OrderTerm,
  RefStep,
  Row,
  SelectBody,
  Xo,
} from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { searchableElements } from "../../model/searchable_elements.ts";
import type { Rows } from "../../service/database.ts";
import { aggregateRows, isAggregate } from "./aggregate.ts";
import { compileCondition, compileOperand } from "./compile_expression.ts";
import { compileNavigation } from "./navigate.ts";
import { compareNullsFirst } from "./operators.ts";
import type { EvaluationContext, Evaluator, Scope } from "./scope.ts";

/**
 * Evaluates a SELECT.
 *
 * @param select the body of the query
 * @param model finds the entities
 * @param context rows and values
 * @returns rows; `$count` is set if the query asked for it
 */
export function evaluateSelect(select: SelectBody, model: LinkedModel, context: EvaluationContext): Rows {
  const { entity, rows, alias } = evaluateSource(select, model, context);
  const scope: Scope = { entity, alias };
  let result = rows;
  if (select.where?.length) result = result.filter(predicate(select.where, scope, context));
  if (select.search?.length) result = result.filter(searchPredicate(select.search, { scope, context }));
  const count = select.count ? result.length : undefined;
  const aggregated = select.groupBy !== undefined || select.columns?.some(isAggregate);
  let projected: Row[];
  if (aggregated) {
    projected = aggregateRows(result, select, { scope, context });
  } else {
    const page = slice(sort(result, select.orderBy, { scope, context }), select.limit, context);
    projected = project(page, select, { scope, context });
  }
  if (aggregated) projected = slice(projected, select.limit, context);
  if (select.distinct) projected = distinct(projected);
  return count === undefined ? projected : Object.assign(projected, { $count: count });
}

interface Place {
  readonly scope: Scope;
  readonly context: EvaluationContext;
}

function evaluateSource(
  select: SelectBody,
  model: LinkedModel,
  context: EvaluationContext,
): { entity: LinkedEntity; rows: readonly Row[]; alias?: string } {
  const { from } = select;
  if (!("ref" in from)) throw unsupported("joins and queries as source");
  const [first, ...rest] = from.ref;
  const start = model.entity(idOf(first));
  if (!start) throw new ServiceError({ status: 400, message: `There is no entity "${idOf(first)}"` });
  let entity: LinkedEntity = start;
  let rows = filterStep(context.rows(entity), first, { scope: { entity }, context });
  for (const step of rest) {
    const association: LinkedElement | undefined = entity.elements[idOf(step)];
    if (!association?.$target) throw unsupported(`the path step "${idOf(step)}"`);
    const navigate = compileNavigation(
      association,
      step,
      (target, where) => compileCondition(where, { entity: target }),
    );
    rows = rows.flatMap((row) => navigate(row, context));
    entity = association.$target;
  }
  return { entity, rows, alias: from.as ?? entity.name };
}

function idOf(step: RefStep): string {
  return typeof step === "string" ? step : step.id;
}

function filterStep(rows: readonly Row[], step: RefStep, place: Place): readonly Row[] {
  if (typeof step === "string" || !step.where) return rows;
  return rows.filter(predicate(step.where, place.scope, place.context));
}

function predicate(where: readonly Xo[], scope: Scope, context: EvaluationContext): (row: Row) => boolean {
  const matches = compileCondition(where, scope);
  return (row) => matches(row, context);
}

/** Search terms with `and`, `or`, `not` over the searchable elements; letter case is ignored. */
function searchPredicate(search: readonly Xo[], { scope, context }: Place): (row: Row) => boolean {
  const fields = searchableElements(scope.entity).map((path) => compileOperand({ ref: path }, scope));
  const contains = (row: Row, text: string) =>
    fields.some((field) => String(field(row, context) ?? "").toLowerCase().includes(text.toLowerCase()));
  return (row) => matchesSearch(search, (text) => contains(row, text));
}

function matchesSearch(search: readonly Xo[], contains: (text: string) => boolean): boolean {
  let result: boolean | undefined;
  let operator = "and";
  let negated = false;
  for (const term of search) {
    if (typeof term === "string") {
      if (term === "not") negated = !negated;
      else operator = term;
      continue;
    }
    const isGroup = "xpr" in term && term.xpr !== undefined;
    const found = isGroup
      ? matchesSearch(term.xpr!, contains)
      : contains(String((term as { val: unknown }).val));
    const value = found !== negated;
    result = result === undefined ? value : operator === "or" ? result || value : result && value;
    [operator, negated] = ["and", false];
  }
  return result ?? true;
}

/** Nulls come first ascending and last descending. */
function sort(rows: readonly Row[], orderBy: readonly OrderTerm[] | undefined, place: Place): readonly Row[] {
  if (!orderBy?.length) return rows;
  const terms = orderBy.map((term) => ({
    evaluate: compileOperand(term, place.scope),
    direction: term.sort === "desc" ? -1 : 1,
  }));
  const keyed = rows.map((row) => ({ row, keys: terms.map(({ evaluate }) => evaluate(row, place.context)) }));
  keyed.sort((a, b) => {
    for (const [i, { direction }] of terms.entries()) {
      const order = compareNullsFirst(a.keys[i], b.keys[i]) * direction;
      if (order !== 0) return order;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

function slice<T extends readonly Row[]>(rows: T, limit: SelectBody["limit"], context: EvaluationContext): T {
  if (!limit) return rows;
  const value = (operand: Expression | undefined) => {
    if (!operand) return undefined;
    return "ref" in operand
      ? Number(context.params[String(operand.ref[0])])
      : Number((operand as { val: unknown }).val);
  };
  const offset = value(limit.offset) ?? 0;
  const count = value(limit.rows);
  return rows.slice(offset, count === undefined ? undefined : offset + count) as unknown as T;
}

/** What a column adds to a result row. */
type ColumnWriter = (row: Row, result: Row) => void;

function project(rows: readonly Row[], select: SelectBody, place: Place): Row[] {
  const columns = select.columns ?? ["*"];
  const writers = columns.flatMap((column) => columnWriters(column, select.excluding ?? [], place));
  return rows.map((row) => {
    const result: Row = {};
    for (const write of writers) write(row, result);
    return result;
  });
}

function columnWriters(column: Column, excluding: readonly string[], place: Place): ColumnWriter[] {
  const { entity } = place.scope;
  if (column === "*") {
    return [...entity.$flat.values()].filter((flat) => !flat.virtual && !excluding.includes(flat.path[0]))
      .map((flat) => (row, result) => void (result[flat.name] = row[flat.name] ?? null));
  }
  if ("expand" in column && column.expand) return [expandWriter(column, place)];
  if ("inline" in column && column.inline) throw unsupported("inline columns");
  const expression = column as Expression & { as?: string };
  if ("ref" in expression) {
    const association = expression.ref.length === 1 ? entity.elements[idOf(expression.ref[0])] : undefined;
    if (association?.isAssociation) return foreignKeyWriters(association.name, expression.as, entity);
  }
  const name = expression.as ?? implicitName(expression);
  const evaluate: Evaluator = compileOperand(expression, place.scope);
  return [(row, result) => void (result[name] = evaluate(row, place.context) ?? null)];
}

/** A managed association in a column list selects its foreign keys. */
function foreignKeyWriters(name: string, as: string | undefined, entity: LinkedEntity): ColumnWriter[] {
  return (entity.elements[name].$foreignKeys ?? []).map((key) => {
    const target = as === undefined ? key.name : as + key.name.slice(name.length);
    return (row, result) => void (result[target] = row[key.name] ?? null);
  });
}

function implicitName(expression: Expression): string {
  if ("ref" in expression) return idOf(expression.ref[expression.ref.length - 1]);
  if ("func" in expression) return expression.func;
  throw unsupported("columns without a name");
}

function expandWriter(column: NestedColumn, { scope, context }: Place): ColumnWriter {
  const [step, ...more] = column.ref ?? [];
  const association = step === undefined ? undefined : scope.entity.elements[idOf(step)];
  if (!association?.$target || more.length > 0) throw unsupported("this expand");
  const entity = association.$target;
  const navigate = compileNavigation(
    association,
    step!,
    (target, where) => compileCondition(where, { entity: target }),
  );
  const name = column.as ?? association.name;
  const inner: Scope = { entity };
  return (row, result) => {
    let rows = navigate(row, context);
    if (column.where?.length) rows = rows.filter(predicate(column.where, inner, context));
    if (column.search?.length) rows = rows.filter(searchPredicate(column.search, { scope: inner, context }));
    const count = rows.length;
    const page = slice(sort(rows, column.orderBy, { scope: inner, context }), column.limit, context);
    const select: SelectBody = {
      from: { ref: [entity.name] },
      columns: column.expand,
      excluding: column.excluding,
    };
    const projected = project(page, select, { scope: inner, context });
    if (!association.is2many) result[name] = projected[0] ?? null;
    else result[name] = column.count ? Object.assign(projected, { $count: count }) : projected;
  };
}

function distinct(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

function unsupported(what: string): ServiceError {
  return new ServiceError({ status: 501, message: `The memory database does not evaluate ${what}` });
}
