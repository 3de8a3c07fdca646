/**
 * Which rows of a table an UPDATE or DELETE means.
 *
 * @module
 */

import { allOf, column as columnNode, conjuncts, isIn, list, reference } from "../../algebra/build.ts";
import { fromExpression, fromQuery, fromXo } from "../../algebra/from_cqn.ts";
import { toXo } from "../../algebra/to_cqn.ts";
import type { Expr, TreeSelect } from "../../algebra/tree.ts";
import type { EntityRef, Expression, QueryParams, RefExpression, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import { isPaged } from "../../cqn/walk.ts";
import { QueryTemplates } from "../../cqn/query_templates.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { FlatElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { assigned } from "../passes/assigned.ts";
import { createLowering, lowerQuery } from "../passes/lower_query.ts";
import { Scope } from "../passes/scope.ts";
import { entitiesOfPath } from "../passes/source.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import type { StatementRunner } from "./statement_runner.ts";
import { type WriteTarget, writeTargetOf } from "./write_target.ts";
import { mapPaths, walkTree } from "../../algebra/walk_tree.ts";

/** The rows that a write means. */
export interface WriteSelection {
  readonly target: WriteTarget;
  /** Reads columns of the rows, by their names in the entity that is addressed, and locks the rows. */
  readonly query: (columns: readonly string[]) => SelectQuery;
  /** The condition on the table, lowered; without one all rows are meant. */
  readonly where: Expr | undefined;
  /** An expression over the addressed entity as one over its table, with the digits of the column that takes it. */
  readonly expression: (expression: Expression, column: FlatElement) => Expr;
}

/** What an UPDATE or DELETE addresses. */
interface Addressed {
  readonly ref: EntityRef;
  readonly where?: readonly Xo[] | undefined;
}

type Models = Pick<StatementRunner, "model">;

/** What was lowered for a model. */
interface Selections {
  readonly templates: QueryTemplates<Addressed>;
  /** By entity or path, then by condition. */
  readonly known: WeakMap<object, WeakMap<object, WriteSelection>>;
}

/** In the place of a condition where there is none. */
const UNCONDITIONAL = Object.freeze([]);

/**
 * The rows of an UPDATE or DELETE. What addresses them is made a template, with values as parameters, so that it is lowered
 * once for all queries that are alike.
 *
 * @param runner the transaction
 * @param query what is addressed, and the condition
 * @param given values of parameters
 * @returns the rows, and the values of all parameters
 */
export function selectRows(
  { model }: Models,
  query: Addressed,
  given: QueryParams,
): { readonly selection: WriteSelection; readonly params: QueryParams } {
  const { templates, known } = model.derived<Selections>(selectRows, () => ({
    templates: new QueryTemplates("$w"),
    known: new WeakMap(),
  }));
  const { query: addressed, params } = isTemplate(query)
    ? { query, params: given }
    : templates.get<Addressed>(plainName(query), given);
  const { ref, where = UNCONDITIONAL } = addressed;
  const source = typeof ref === "string" ? model.entity(ref) : ref;
  if (!source || !isTemplate(addressed)) return { selection: lowerSelection({ model }, addressed), params };
  let byCondition = known.get(source);
  if (!byCondition) known.set(source, byCondition = new WeakMap());
  let selection = byCondition.get(where);
  if (!selection) {
    byCondition.set(where, selection = lowerSelection({ model }, addressed));
  }
  return { selection, params };
}

/** Frozen conditions and paths are templates, as those of URLs are. */
function isTemplate({ ref, where }: Addressed): boolean {
  return Object.isFrozen(ref) && Object.isFrozen(where);
}

/** Builders and paths write the name of an entity in their own ways. */
function plainName({ ref, where }: Addressed): Addressed {
  if (typeof ref === "string" || ref.ref.length !== 1 || "as" in ref) return { ref, where };
  const [step] = ref.ref;
  if (typeof step === "string") return { ref: step, where };
  const { id, where: own, ...others } = step!;
  const isOnly = own !== undefined && where === undefined && Object.keys(others).length === 0;
  return isOnly ? { ref: id, where: own } : { ref, where };
}

function lowerSelection(runner: Models, query: Addressed): WriteSelection {
  const from: RefExpression & { as?: string } = typeof query.ref === "string"
    ? { ref: [query.ref] }
    : query.ref;
  const entities = entitiesOfPath(runner, from.ref);
  const target = writeTargetOf(runner.model, entities[entities.length - 1]);
  const last = from.ref[from.ref.length - 1];
  const filter = allOf([typeof last === "string" ? undefined : fromXo(last.where), fromXo(query.where)]);
  const found = tableConditions(runner.model, target, { filter, as: from.as });
  const isOwnQuery = typeof last === "object" && last.query !== undefined;
  const isWhole = found.isComplete && from.ref.length === 1 && !isOwnQuery && !isPaged(last) &&
    showsWholeTable(target.entity);
  const conditions = isWhole
    ? found.conditions
    : [...found.conditions, amongRows(runner, target, { from, where: query.where })];
  const given = allOf(conditions.map(({ given }) => given));
  const read = lockingRead(target, { as: from.as, where: given && toXo(given) });
  return {
    target,
    query: (columns) =>
      read(columns) ??
        { SELECT: { from, where: query.where, columns: columns.map((name) => ({ ref: [name] })) } },
    where: allOf(conditions.map(({ lowered }) => lowered)),
    expression: (expression, column) => lowerForTable(runner, target, { expression, column }),
  };
}

/** Whether an entity has all rows of its table. */
function showsWholeTable(entity: LinkedEntity): boolean {
  if (!viewQuery(entity)) return true;
  const { $select: select, $source: source } = entity;
  if (!select || !source || entity["@cds.persistence.exists"] === true) return false;
  const { from, where, having, limit } = select;
  return "ref" in from && typeof from.ref[0] === "string" && !where && !having && !limit &&
    showsWholeTable(source);
}

/** The condition that a row of the table is among those that are addressed. */
function amongRows(
  { model }: Models,
  target: WriteTarget,
  addressed: { readonly from: RefExpression; readonly where: readonly Xo[] | undefined },
): TableCondition {
  const keys = target.base.$rowKeys.map((key) => {
    const entry = [...target.columns].find(([, column]) => column === key);
    if (!entry) {
      throw notWritable(`"${target.entity.name}" lacks the key "${key.name}" of "${target.base.name}"`);
    }
    return { name: entry[0], column: key.name };
  });
  if (keys.length === 0) throw notWritable(`"${target.base.name}" has no key to find its rows by`);
  const query: SelectQuery = {
    SELECT: { ...addressed, columns: keys.map(({ name }) => ({ ref: [name] })) },
  };
  const condition = (rows: TreeSelect, ...table: readonly string[]): Expr => {
    const columns = keys.map(({ column }) => reference([...table, column]));
    const left = columns.length > 1 ? list(columns) : columns[0]!;
    return isIn(left, rows);
  };
  return {
    given: condition(fromQuery(query)),
    lowered: condition(lowerQuery(model, query).query, sqlName(target.base)),
  };
}

function notWritable(message: string): ServiceError {
  return new ServiceError({ status: 501, message });
}

/**
 * Reads rows from the table and locks them: others do not change them before they are written.
 *
 * @returns gives no query for columns that the table lacks
 */
function lockingRead(
  { base, columns }: WriteTarget,
  { as, where }: { readonly as: string | undefined; readonly where: readonly Xo[] | undefined },
): (names: readonly string[]) => SelectQuery | undefined {
  return (names) => {
    if (!names.every((name) => columns.has(name))) return undefined;
    const from = { ref: [base.name], ...(as === undefined ? {} : { as }) };
    const read = names.map((name) => ({ ref: [columns.get(name)!.name], as: name }));
    return { SELECT: { from, where, columns: read, forUpdate: true } };
  };
}

/** An expression over a projection as one over the columns of its table. */
function lowerForTable(
  runner: Models,
  target: WriteTarget,
  { expression, column }: { readonly expression: Expression; readonly column: FlatElement },
): Expr {
  const lowering = createLowering(runner.model);
  const alias = sqlName(target.base);
  const scope = new Scope();
  const columns = [...target.columns].map(([name, column]) =>
    [name, {
      name: column.name,
      expression: columnNode(alias, column.name, { type: column.element.$type.builtin }),
      element: column.element,
      type: column.element.$type.builtin,
    }] as const
  );
  scope.sources.push({ alias, name: alias, explicit: false, columns: new Map(columns) });
  return assigned(fromExpression(expression), column, { lowering, scope });
}

/** A condition on a table. */
interface TableCondition {
  /** With the names of the elements of its entity. */
  readonly given: Expr;
  /** Lowered, for the table under its own name. */
  readonly lowered: Expr;
}

/** The conditions on a table. */
interface TableConditions {
  readonly conditions: readonly TableCondition[];
  /** Whether they say all that the filter says. */
  readonly isComplete: boolean;
}

/**
 * What a filter says of the columns of the table behind an entity.
 *
 * @param model the linked model
 * @param target the entity and its table
 * @param filter the filter on the entity, and the alias that it has there
 */
function tableConditions(
  model: LinkedModel,
  target: WriteTarget,
  { filter, as }: { readonly filter: Expr | undefined; readonly as: string | undefined },
): TableConditions {
  const alias = sqlName(target.base);
  const lowering = createLowering(model);
  lowering.alias(alias);
  const lower = (given: Expr): TableCondition | undefined => {
    const scope = new Scope();
    scope.sources.push({ alias, name: as ?? alias, explicit: as !== undefined, entity: target.base });
    const lowered = lowering.expression(given, scope);
    return scope.joinCount > 0 ? undefined : { given, lowered };
  };
  const parts = conjuncts(filter);
  const conditions = parts.flatMap((part) => {
    const given = viewQuery(target.entity) ? onColumns(target, part) : part;
    return (given && lower(given)) ?? [];
  });
  return { conditions, isComplete: conditions.length === parts.length };
}

/** A condition on an entity with the names that its table has; undefined where it asks for anything else. */
function onColumns({ columns }: WriteTarget, condition: Expr): Expr | undefined {
  let isOwn = true;
  walkTree(condition, (expression) => {
    if (expression.kind === "select" || expression.kind === "set") isOwn = false;
    if (expression.kind !== "reference") return isOwn;
    if (expression.ref.length > 1 || !columns.has(stepName(expression.ref[0]!))) isOwn = false;
    return isOwn;
  });
  if (!isOwn) return undefined;
  return mapPaths(condition, ([name]) => [columns.get(stepName(name!))!.name]);
}
