/**
 * Queries on local projections of remote entities, as `remote.run(req.query)` sends them.
 *
 * @module
 */

import type {
  Column,
  EntityRef,
  InsertBody,
  NestedColumn,
  OrderTerm,
  Query,
  RefStep,
  Row,
  SelectBody,
  SelectQuery,
  SetQuery,
  Xo,
} from "../../cqn/cqn.ts";
import { conjunction } from "../../cqn/conjunction.ts";
import { withInfixFilter } from "../../cqn/walk.ts";
import type { LinkedEntity, LinkedService } from "../../model/linked.ts";
import { LocalProjection } from "./local_projection.ts";
import { notPossible } from "./remote_expression.ts";
import { isCount } from "./remote_read.ts";
import { stepName, stepsTo } from "../../cqn/steps.ts";

/**
 * A SELECT from a local projection as one from the remote entity; its columns keep the local names.
 *
 * @param select the body of the query
 * @param local the local entity at the begin of its path
 * @param service the service
 * @returns the query, and what finds the rows its path passes that projections may leave out; `undefined` when the entity
 *   is no projection of one of the service
 * @throws ServiceError 501 for calculated elements, and conditions that have no place in a URL
 */
export function projectedSelect(
  select: SelectBody,
  local: LinkedEntity,
  service: LinkedService,
): { readonly select: SelectBody; readonly passed: readonly SelectBody[] } | undefined {
  if (!("ref" in select.from)) return undefined;
  const root = LocalProjection.of(local, service);
  if (!root || root.isOwn) return undefined;
  const { ref, where, at, passed } = resource(select.from.ref, root);
  const { columns } = select;
  const remote = {
    ...clausesOf(select, at),
    from: { ref },
    where: conjunction(where, select.where && at.tokens(select.where)),
    columns: isCount(columns) ? columns : columnsOf(select, columns, at),
  };
  return { select: remote, passed };
}

/**
 * An INSERT, UPSERT, UPDATE or DELETE of a local projection as one of the remote entity.
 *
 * @param query the query
 * @param local the local entity at the begin of its path
 * @param service the service
 * @returns the query, and what gives its result local names; `undefined` when the entity is no projection of one of the
 *   service
 * @throws ServiceError 501 for calculated elements, and changes of rows that a projection may leave out
 */
export function projectedWrite(
  query: Exclude<Query, SelectQuery | SetQuery>,
  local: LinkedEntity,
  service: LinkedService,
): { readonly query: Query; result(given: unknown): unknown } | undefined {
  const root = LocalProjection.of(local, service);
  if (!root || root.isOwn) return undefined;
  if ("INSERT" in query) return inserted(query.INSERT, root, (INSERT) => ({ INSERT }));
  if ("UPSERT" in query) return inserted(query.UPSERT, root, (UPSERT) => ({ UPSERT }));
  const result = (given: unknown) => given;
  if ("DELETE" in query) {
    const { ref, where } = changed(query.DELETE.from, query.DELETE.where, root);
    return { query: { DELETE: { ...query.DELETE, from: { ref }, where } }, result };
  }
  const { UPDATE } = query;
  const { ref, where, at } = changed(UPDATE.entity, UPDATE.where, root);
  const data = UPDATE.data && at.remoteRow(UPDATE.data);
  return { query: { UPDATE: { ...UPDATE, entity: { ref }, where, data } }, result };
}

function inserted(
  body: InsertBody,
  root: LocalProjection,
  queryOf: (body: InsertBody) => Query,
): { readonly query: Query; result(given: unknown): unknown } {
  if (!body.entries) throw notPossible("Rows without names");
  const { ref, at, passed } = resource(stepsTo(body.into), root);
  if (passed.length > 0) throw notPossible("A change behind a projection with a condition");
  const entries = body.entries.map((entry) => at.remoteRow(entry));
  const result = (given: unknown): unknown =>
    Array.isArray(given) ? given.map(result) : at.localRow(given as Row);
  return { query: queryOf({ ...body, into: { ref }, entries }), result };
}

function changed(entity: EntityRef, where: readonly Xo[] | undefined, root: LocalProjection): Resource {
  const found = resource(stepsTo(entity), root);
  if (found.at.condition || found.passed.length > 0) {
    throw notPossible("A change of a projection with a condition");
  }
  return { ...found, where: where && found.at.tokens(where) };
}

/** A resource as the service names it, and what of its condition is no key. */
interface Resource {
  readonly ref: readonly RefStep[];
  readonly where: readonly Xo[] | undefined;
  /** What stands at its end. */
  readonly at: LocalProjection;
  /** Queries for the rows on the way that projections may leave out. */
  readonly passed: readonly SelectBody[];
}

/** Rows that projections leave out are left out by a filter, which only collections have. */
function resource([first, ...more]: readonly RefStep[], root: LocalProjection): Resource {
  let at = root;
  let isMany = true;
  const ref: RefStep[] = [root.remote.name];
  let keys = whereOf(first);
  const passed: SelectBody[] = [];
  for (const step of more) {
    if (at.condition) {
      if (!isMany) throw notPossible("A path along a projection with a condition");
      const where = conjunction(keys && at.tokens(keys), at.condition);
      passed.push({ one: true, from: { ref: [...ref] }, where, columns: [keyOf(at.remote)] });
    }
    if (keys) ref.push({ id: stepName(ref.pop()!), where: at.tokens(keys) });
    isMany = at.is2many(stepName(step));
    ref.push(at.step(stepName(step)));
    at = at.along(stepName(step));
    keys = whereOf(step);
  }
  const own = keys && at.tokens(keys);
  if (!at.condition) {
    if (own) ref.push({ id: stepName(ref.pop()!), where: own });
    return { ref, where: undefined, at, passed };
  }
  if (!isMany) throw notPossible("A path to a projection with a condition");
  return { ref, where: conjunction(own, at.condition), at, passed };
}

function keyOf({ $flatKeys: [key] }: LinkedEntity): Column {
  return { ref: [key.name] };
}

function whereOf(step: RefStep): readonly Xo[] | undefined {
  if (typeof step === "string") return undefined;
  if (step.orderBy || step.limit) throw notPossible("A path with order or limit");
  return step.where;
}

/** The clauses that are the same in queries and nested results; `where` is set by callers. */
function clausesOf<C extends SelectBody | NestedColumn>({ orderBy, ...others }: C, at: LocalProjection): C {
  const order = orderBy && { orderBy: orderBy.map((term) => at.operand(term) as OrderTerm) }; // with its direction
  return { ...others, ...order, where: undefined, excluding: undefined } as C;
}

/** All elements where none are named: the remote entity may have more. */
function columnsOf(
  { excluding = [] }: Pick<SelectBody, "excluding">,
  columns: readonly Column[] = ["*"],
  at: LocalProjection,
): readonly Column[] {
  const named = new Set(columns.map((column) => column === "*" ? undefined : column.as ?? lastName(column)));
  return columns.flatMap((column) => {
    if (column !== "*") return columnOf(column, at);
    return at.elements.filter((name) => !excluding.includes(name) && !named.has(name))
      .flatMap((name) => columnOf({ ref: [name] }, at));
  });
}

function columnOf(column: Exclude<Column, "*">, at: LocalProjection): readonly Column[] {
  if (!("ref" in column) || !column.ref || "inline" in column) throw notPossible("A calculated column");
  const local = column.ref.map(stepName).join("_");
  if (at.isVirtual(local)) return [];
  const nested: NestedColumn = "expand" in column
    ? withInfixFilter(column as NestedColumn, conjunction)
    : column;
  const ref = nested.expand ? [at.step(stepName(column.ref[0]))] : at.path(column.ref);
  const as = column.as ?? (ref.map(stepName).join("_") === local ? undefined : local);
  const renamed = { ...nested, ref, ...(as === undefined ? {} : { as }) };
  if (!nested.expand) return [renamed as Column];
  if (column.ref.length > 1) throw notPossible("A nested result along a path");
  const [name] = column.ref.map(stepName);
  const target = at.along(name);
  if (target.condition && !at.is2many(name)) throw notPossible(`The projection behind "${name}"`);
  return [{
    ...clausesOf({ ...renamed } as NestedColumn, target),
    where: conjunction(nested.where && target.tokens(nested.where), target.condition),
    expand: columnsOf(nested, nested.expand, target),
  }];
}

function lastName(column: Exclude<Column, "*">): string | undefined {
  return "ref" in column && column.ref ? stepName(column.ref.at(-1)!) : undefined;
}
