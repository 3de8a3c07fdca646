/**
 * Which rows of a table an UPDATE or DELETE means.
 *
 * @module
 */

import type { EntityRef, Expression, RefExpression, SelectQuery, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { createLowering, lowerQuery } from "../passes/lower_query.ts";
import { allOf, Scope } from "../passes/scope.ts";
import { entitiesOfPath } from "../passes/source.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../view_query.ts";
import type { StatementRunner } from "./statement_runner.ts";
import { type WriteTarget, writeTargetOf } from "./write_target.ts";

/** The rows that a write means. */
export interface WriteSelection {
  readonly target: WriteTarget;
  /** Reads columns of the rows through the entity that is addressed. */
  readonly query: (columns: readonly string[]) => SelectQuery;
  /** The condition on the table, lowered; without one all rows are meant. */
  readonly where: readonly Xo[] | undefined;
  /** An expression over the addressed entity as one over its table. */
  readonly expression: (expression: Expression) => Expression;
}

/** What an UPDATE or DELETE addresses. */
interface Addressed {
  readonly ref: EntityRef;
  readonly where?: readonly Xo[];
}

type Models = Pick<StatementRunner, "model">;

/** Selections of frozen conditions, which are those of templates, by entity. */
const KNOWN: WeakMap<readonly Xo[], WeakMap<LinkedEntity, WriteSelection>> = new WeakMap();

/**
 * The rows of an UPDATE or DELETE. A frozen condition is a template: it is lowered once.
 *
 * @param runner the transaction
 * @param query what is addressed, and the condition
 */
export function selectRows({ model }: Models, query: Addressed): WriteSelection {
  const { ref, where } = query;
  const entity = typeof ref === "string" && Object.isFrozen(where) ? model.entity(ref) : undefined;
  if (!where || !entity) return lowerSelection({ model }, query);
  let known = KNOWN.get(where);
  if (!known) KNOWN.set(where, known = new WeakMap());
  let selection = known.get(entity);
  if (!selection) {
    const lowered = lowerSelection({ model }, query);
    known.set(entity, selection = { ...lowered, where: lowered.where && Object.freeze([...lowered.where]) });
  }
  return selection;
}

function lowerSelection(runner: Models, query: Addressed): WriteSelection {
  const from: RefExpression & { as?: string } = typeof query.ref === "string"
    ? { ref: [query.ref] }
    : query.ref;
  const entities = entitiesOfPath(runner, from.ref);
  const entity = entities[entities.length - 1];
  const target = writeTargetOf(runner.model, entity);
  const alias = sqlName(target.base);
  const last = from.ref[from.ref.length - 1];
  const filter = allOf([typeof last === "string" ? undefined : last.where, query.where]);
  const direct = from.ref.length === 1 && !viewQuery(entity)
    ? directCondition(runner, { entity, alias, filter, name: from.as })
    : undefined;
  return {
    target,
    query: (columns) => ({
      SELECT: { from, where: query.where, columns: columns.map((name) => ({ ref: [name] })) },
    }),
    where: direct ?? keyCondition(runner, { target, from, where: query.where }),
    expression: (expression) => lowerForTable(runner, target, expression),
  };
}

interface DirectOptions {
  readonly entity: LinkedEntity;
  readonly alias: string;
  readonly filter: readonly Xo[] | undefined;
  readonly name: string | undefined;
}

/** The condition on the table itself; undefined where its paths need joins. */
function directCondition(runner: Models, options: DirectOptions): readonly Xo[] | undefined {
  const { entity, alias, filter, name } = options;
  if (!filter) return [];
  const lowering = createLowering(runner.model);
  lowering.alias(alias);
  const scope = new Scope();
  scope.sources.push({ alias, name: name ?? alias, explicit: name !== undefined, entity });
  const lowered = lowering.xo(filter, scope);
  const source = { ref: [alias] };
  return scope.withJoins(source) === source ? lowered : undefined;
}

function keyCondition(
  runner: Models,
  { target, from, where }: {
    readonly target: WriteTarget;
    readonly from: RefExpression;
    readonly where: readonly Xo[] | undefined;
  },
): readonly Xo[] {
  const keys = target.base.$flatKeys.map((key) => {
    const entry = [...target.columns].find(([, column]) => column === key);
    if (!entry) {
      throw new TypeError(`"${target.entity.name}" lacks the key "${key.name}" of "${target.base.name}"`);
    }
    return { name: entry[0], column: key.name };
  });
  if (keys.length === 0) throw new TypeError(`"${target.base.name}" has no key to find its rows by`);
  const columns = keys.map(({ name }) => ({ ref: [name] }));
  const { query } = lowerQuery(runner.model, { SELECT: { from, where, columns } });
  const list = keys.map(({ column }): Expression => ({ ref: [sqlName(target.base), column] }));
  return [list.length > 1 ? { list } : list[0], "in", query];
}

/** An expression over a projection as one over the columns of its table. */
function lowerForTable(runner: Models, target: WriteTarget, expression: Expression): Expression {
  const lowering = createLowering(runner.model);
  const alias = sqlName(target.base);
  const scope = new Scope();
  const columns = [...target.columns].map(([name, column]) =>
    [name, {
      name: column.name,
      expression: { ref: [alias, column.name] },
      element: column.element,
      type: column.element.$type.builtin,
    }] as const
  );
  scope.sources.push({ alias, name: alias, explicit: false, columns: new Map(columns) });
  return lowering.expression(expression, scope);
}
