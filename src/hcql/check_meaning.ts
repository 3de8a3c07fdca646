/**
 * Whether queries of clients mean something: what databases would refuse, each in its own way, is refused before.
 *
 * @module
 */

import { fromQuery, fromXo } from "../algebra/from_cqn.ts";
import { functionRow, isAggregate, resultOf } from "../algebra/functions.ts";
import type { Call, Expr, Reference, TreeColumn, TreeOrder, TreeStep } from "../algebra/tree.ts";
import { childrenOf, someOf } from "../algebra/walk_tree.ts";
import type { SelectQuery, Xo } from "../cqn/cqn.ts";
import { stepName } from "../cqn/steps.ts";
import type { LinkedElement, LinkedElements, LinkedEntity, LinkedModel } from "../model/linked.ts";
import { findElement } from "../service/authorization/restrict_path.ts";
import { ARGUMENTS, bad, COMPARED, KINDS, TAKEN, type ValueKind } from "./client_words.ts";
import { counted } from "../util/counted.ts";

/**
 * Refuses a query without a meaning.
 *
 * @param query the query, whose names are known
 * @param target the entity of its rows
 * @param model the model of both
 * @throws ServiceError 400
 */
export function assertMeaning(query: SelectQuery, target: LinkedEntity, model: LinkedModel): void {
  const { SELECT } = readable(() => fromQuery(query));
  const { columns = [], where, groupBy, having, orderBy = [] } = SELECT;
  if (SELECT.from.kind === "reference") assertSource(SELECT.from.ref, model);
  assertColumns(columns, target);
  if (where) assertCondition(where, target);
  for (const term of groupBy ?? []) assertValue(term, target);
  if ([where, ...groupBy ?? []].some((one) => one && someOf(one, isAggregate))) {
    throw bad("Aggregates stand in columns, having and orderBy only");
  }
  if (having) assertCondition(having, target);
  for (const term of orderBy) assertValue(term, target);
  const values = columns.filter((one): one is Exclude<typeof one, "*"> => one !== "*");
  if (SELECT.distinct) assertListed(orderBy, values);
  const isGrouped = groupBy !== undefined ||
    values.some((one) => one.kind !== "nested" && someOf(one, isAggregate));
  if (isGrouped) return assertGroups(groupBy ?? [], [...columns, ...having ? [having] : [], ...orderBy]);
  if (having) throw bad("having needs groupBy or aggregates");
  assertPlain(orderBy);
}

/**
 * Refuses a condition of a write without a meaning.
 *
 * @param where the condition
 * @param target the entity of the rows
 * @throws ServiceError 400
 */
export function assertConditionMeaning(where: readonly Xo[], target: LinkedEntity): void {
  const condition = readable(() => fromXo(where)!);
  assertCondition(condition, target);
  assertPlain([condition]);
}

/** What the tree cannot be made of is told as it is. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError) throw bad(error.message);
    throw error;
  }
}

/** Conditions of the steps to the rows. */
function assertSource([first, ...steps]: readonly TreeStep[], model: LinkedModel): void {
  let entity = model.entity(stepName(first!))!;
  for (const step of [first!, ...steps]) {
    if (step !== first) entity = elementOf([step], entity)!.$target!;
    if (typeof step === "string" || !step.where) continue;
    assertCondition(step.where, entity);
    assertPlain([step.where]);
  }
}

function assertColumns(columns: readonly TreeColumn[], entity: LinkedEntity): void {
  const names = new Set<string>();
  for (const column of columns) {
    if (column === "*") continue;
    const { as = column.kind === "reference" ? column.ref.map(stepName).join("_") : undefined } = column;
    if (as === "") throw bad("A column has an empty name");
    if (as !== undefined && names.size === names.add(as).size) throw bad(`Several columns are named "${as}"`);
    if (column.kind === "reference") assertSteps(column, entity);
    else if (column.kind !== "nested") assertValue(column, entity);
    else {
      const inner = elementOf(column.ref!, entity)!.$target!;
      assertColumns(column.expand!, inner);
      if (column.where) assertCondition(column.where, inner);
      for (const term of column.orderBy ?? []) assertValue(term, inner);
      const values = column.expand!.filter((one) => one !== "*" && one.kind !== "nested");
      assertPlain([...column.where ? [column.where] : [], ...column.orderBy ?? [], ...values as Expr[]]);
    }
  }
}

function assertPlain(expressions: readonly Expr[]): void {
  if (expressions.some((one) => someOf(one, isAggregate))) throw bad("There is nothing here to aggregate");
}

/** Outside of aggregates, groups have no other values than those they are made by. */
function assertGroups(groupBy: readonly Expr[], used: readonly (TreeColumn | TreeOrder)[]): void {
  const known = new Set(groupBy.map(textOf));
  const check = (expression: Expr): void => {
    if (isAggregate(expression) || known.has(textOf(expression))) return;
    if (expression.kind === "reference") {
      throw bad(`"${expression.ref.map(stepName).join(".")}" is neither grouped nor aggregated`);
    }
    childrenOf(expression).forEach(check);
  };
  for (const one of used) {
    if (one === "*" || one.kind === "nested") throw bad("Groups have no other columns than their values");
    check(one);
  }
}

/** Different rows have no order but that of their columns. */
function assertListed(orderBy: readonly TreeOrder[], columns: readonly Exclude<TreeColumn, "*">[]): void {
  const known = new Set(columns.flatMap((one) => one.kind === "nested" ? [] : [textOf(one)]));
  if (orderBy.some((term) => !known.has(textOf(term)))) {
    throw bad("Different rows are ordered by their columns only");
  }
}

function textOf({ as: _, sort: _sort, nulls: _nulls, ...expression }: Expr & {
  readonly as?: string;
  readonly sort?: string;
  readonly nulls?: string;
}): string {
  return JSON.stringify(expression, (_key, value) => typeof value === "bigint" ? `${value}n` : value);
}

function assertCondition(expression: Expr, entity: LinkedEntity): void {
  assertKind(expression, entity, ["boolean"]);
}

/** Kinds of values that an expression must have one of; what has no known kind may be any. */
function assertKind(expression: Expr, entity: LinkedEntity, kinds: readonly ValueKind[]): void {
  const kind = assertValue(expression, entity);
  if (kind !== undefined && !kinds.includes(kind)) {
    throw bad(`A value of kind ${kind} stands where one of kind ${kinds.join(" or ")} is expected`);
  }
}

/** The kind of a value, which everything in an expression must be. */
function assertValue(expression: Expr, entity: LinkedEntity): ValueKind | undefined {
  const all = (parts: readonly (Expr | undefined)[], kinds: readonly ValueKind[]) => {
    for (const part of parts) if (part) assertKind(part, entity, kinds);
  };
  switch (expression.kind) {
    case "reference":
      return kindOfReference(expression, entity);
    case "exists":
      if (expression.arg.kind !== "reference" || !elementOf(expression.arg.ref, entity)?.$target) {
        throw bad("Behind exists the path of an association is expected");
      }
      assertSteps(expression.arg, entity);
      return "boolean";
    case "unary":
      all([expression.arg], expression.op === "not" ? ["boolean"] : ["number"]);
      return expression.op === "not" ? "boolean" : "number";
    case "arithmetic":
      all([expression.left, expression.right], ["number"]);
      return "number";
    case "joined":
      if (expression.op !== "||") all(expression.args, ["boolean"]);
      else for (const part of expression.args) assertValue(part, entity);
      return expression.op === "||" ? "text" : "boolean";
    case "like":
      all([expression.left, expression.pattern, expression.escape], ["text"]);
      return "boolean";
    case "in":
      if (expression.right.kind !== "list") throw bad("Behind in a list is expected");
      all([expression.left, ...expression.right.list], COMPARED);
      return "boolean";
    case "comparison": {
      const { op, left, right } = expression;
      const isNull = right.kind === "literal" && right.val === null;
      if (isNull) assertValue(left, entity);
      else if (op.startsWith("is")) throw bad(`Behind ${op} null is expected`);
      else all([left, right], COMPARED);
      return "boolean";
    }
    case "between":
      all([expression.left, expression.low, expression.high], COMPARED);
      return "boolean";
    case "case": {
      const { subject, branches, otherwise } = expression;
      if (subject) assertValue(subject, entity);
      for (const { when } of branches) subject ? assertValue(when, entity) : assertCondition(when, entity);
      return sameKind([...branches.map(({ then }) => then), ...otherwise ? [otherwise] : []], entity);
    }
    case "call":
      return kindOfCall(expression, entity);
    case "list":
      throw bad("A list stands behind in only");
    case "variable":
      return KINDS[expression.type ?? "cds.String"];
    default:
      return KINDS[expression.type ?? ""];
  }
}

function sameKind(values: readonly Expr[], entity: LinkedEntity): ValueKind | undefined {
  const kinds = new Set(values.map((one) => assertValue(one, entity)));
  kinds.delete(undefined);
  if (kinds.size > 1) throw bad(`Values of kinds ${[...kinds].join(" and ")} stand for one another`);
  return [...kinds][0];
}

function kindOfCall({ func, args = [] }: Call, entity: LinkedEntity): ValueKind | undefined {
  const name = func.toLowerCase();
  const row = functionRow(name)!;
  const [least, most] = ARGUMENTS[name] ?? row.odata?.count ?? [1, 1];
  if (args.length < least || args.length > most) {
    throw bad(`"${func}" does not take ${counted(args.length, "argument")}`);
  }
  const values = args.flatMap((arg) => {
    if (arg === "*" && name !== "count") throw bad(`"${func}" does not take "*"`);
    return arg === "*" ? [] : [arg];
  });
  if (row.aggregates) assertPlain(values);
  if (row.like === "one" && !row.aggregates) return sameKind(values, entity);
  const taken = row.odata?.takes;
  values.forEach((value, index) => {
    const kinds = TAKEN[name] ?? (taken && TAKEN[taken[index]!]);
    if (kinds) assertKind(value, entity, kinds);
    else assertValue(value, entity);
  });
  const result = resultOf(name, args);
  return result === undefined && row.like ? assertValue(values[0]!, entity) : KINDS[result ?? ""];
}

function kindOfReference(reference: Reference, entity: LinkedEntity): ValueKind | undefined {
  assertSteps(reference, entity);
  const { ref } = reference;
  const element = elementOf(ref, entity);
  if (!element) {
    const owner = ref.length === 1 ? entity : elementOf(ref.slice(0, -1), entity)?.$target;
    return KINDS[owner?.$flat.get(stepName(ref.at(-1)!))?.type.builtin ?? ""];
  }
  const [key, ...others] = element.$foreignKeys ?? [];
  if ((element.isAssociation && (!key || others.length > 0)) || element.$type.elements) {
    throw bad(`"${ref.map(stepName).join(".")}" is no single value`);
  }
  if (element.$type.items) return "collection";
  return KINDS[(key?.element.element ?? element).$type.builtin ?? ""];
}

/** Conditions inside of a path. */
function assertSteps({ ref }: Reference, entity: LinkedEntity): void {
  ref.forEach((step, index) => {
    if (typeof step === "string" || !step.where) return;
    assertCondition(step.where, elementOf(ref.slice(0, index + 1), entity)!.$target!);
    assertPlain([step.where]);
  });
}

/** The element at the end of a path; undefined for those of payloads only. */
function elementOf(ref: readonly TreeStep[], entity: LinkedEntity): LinkedElement | undefined {
  let elements: LinkedElements | undefined = entity.elements;
  let element: LinkedElement | undefined;
  for (const step of ref) {
    element = elements && findElement(elements, stepName(step));
    elements = element?.$target?.elements ?? element?.$type.elements;
  }
  return element;
}
