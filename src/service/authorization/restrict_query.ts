/**
 * The authorization pass over a query: every entity it touches is checked, and rows the user may not see are
 * excluded by conditions in the query (auth 7).
 *
 * @module
 */

import { allOf, compare, join, reference, select } from "../../algebra/build.ts";
import { fromExpression, fromQuery, fromSteps, fromXo } from "../../algebra/from_cqn.ts";
import { templateOf } from "../../algebra/template.ts";
import { toCqnExpression, toQuery, toSteps, toXo } from "../../algebra/to_cqn.ts";
import type {
  Call,
  Expr,
  TreeBody,
  TreeColumn,
  TreeNested,
  TreeQuery,
  TreeSource,
  TreeStep,
} from "../../algebra/tree.ts";
import { mapArray, mapChildren, mapOrder, withMembers } from "../../algebra/walk_tree.ts";
import type { EntityRef, Expression, InsertBody, Query, SelectQuery, SetQuery, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { EventName } from "./access.ts";
import type { Pass } from "./pass.ts";
import { findElement, type RestrictedElementPath, restrictPath, restrictRoot } from "./restrict_path.ts";
import {
  anchorOf,
  explicitSource,
  nestedScope,
  OUTSIDE,
  type Scope,
  type ScopeSource,
} from "./query_scope.ts";
import { restrictSearch } from "./restrict_search.ts";
import { stepName, stepsTo } from "../../cqn/steps.ts";
import { unqualified } from "../../util/unqualified.ts";
import { storedKeys } from "../../model/keys.ts";

/**
 * The query with the restrictions of the user; the same object if there are none.
 *
 * @param pass who asks
 * @param query any query
 * @param event what is done to the entity that the query is about
 * @throws ServiceError 401 or 403
 */
export function restrictQuery(pass: Pass, query: Query, event: EventName): Query {
  if ("SELECT" in query || "SET" in query) return restrictRead(pass, query, event);
  if ("UPDATE" in query) {
    const { entity, where, with: values } = query.UPDATE;
    const target = restrictTarget(pass, entity, event);
    const body = withMembers(query.UPDATE, {
      entity: target.ref,
      ...(where && { where: restrictTokens(pass, where, target.scope) }),
      ...(values && { with: restrictValues(pass, values, target.scope) }),
    });
    return body === query.UPDATE ? query : { UPDATE: body };
  }
  if ("DELETE" in query) {
    const { from, where } = query.DELETE;
    const target = restrictTarget(pass, from, event);
    const body = withMembers(query.DELETE, {
      from: target.ref,
      ...(where && { where: restrictTokens(pass, where, target.scope) }),
    });
    return body === query.DELETE ? query : { DELETE: body };
  }
  const kind = "INSERT" in query ? "INSERT" : "UPSERT";
  const original: InsertBody = "INSERT" in query ? query.INSERT : query.UPSERT;
  // The condition for new rows is checked on the rows written; here roles and the path to them matter.
  restrictTarget(pass, original.into, event);
  const { from } = original;
  const body = withMembers(original, { ...(from && { from: restrictRead(pass, from, "READ") }) });
  return body === original ? query : { [kind]: body } as unknown as Query;
}

/** A query that reads; of a template it is a template again. */
function restrictRead<Q extends SelectQuery | SetQuery>(pass: Pass, query: Q, event: EventName): Q {
  const tree = fromQuery(query);
  const restricted = restrictTree(pass, tree, event);
  if (restricted === tree) return query;
  return (Object.isFrozen(query) ? templateOf(restricted) : toQuery(restricted)) as Q; // of the same kind
}

/**
 * The tree of a query that reads with the restrictions of the user; the same tree if there are none.
 *
 * @throws ServiceError 401 or 403
 */
export function restrictTree<Q extends TreeQuery>(pass: Pass, query: Q, event: EventName): Q {
  return restrictSelect(pass, query, { event, scope: OUTSIDE });
}

function restrictTokens(pass: Pass, where: readonly Xo[], scope: Scope): readonly Xo[] {
  const condition = fromXo(where);
  const restricted = condition && restrictExpression(pass, condition, scope);
  return restricted === condition ? where : toXo(restricted!);
}

function restrictValues(
  pass: Pass,
  values: Readonly<Record<string, Expression>>,
  scope: Scope,
): Readonly<Record<string, Expression>> {
  const restricted = Object.entries(values).map(([name, value]) => {
    const tree = fromExpression(value);
    const found = restrictExpression(pass, tree, scope);
    return [name, found === tree ? value : toCqnExpression(found)] as const;
  });
  return withMembers(values, Object.fromEntries(restricted));
}

function restrictTarget(
  pass: Pass,
  target: EntityRef,
  event: EventName,
): { readonly ref: EntityRef; readonly scope: Scope } {
  const given = fromSteps(stepsTo(target));
  const { steps, entity } = restrictRoot(pass, given, { event, condition: conditionIn(pass, OUTSIDE) });
  const alias = typeof target === "string" ? undefined : target.as;
  const ref = steps === given ? target : { ref: toSteps(steps), ...(alias !== undefined && { as: alias }) };
  const name = alias ?? implicitAlias(given);
  if (!entity) return { ref, scope: OUTSIDE };
  const { elements } = entity;
  const source = { name, isExplicit: alias !== undefined, elements, entity, isRead: false };
  return { ref, scope: { sources: [source], isQuery: true } };
}

function conditionIn(pass: Pass, scope: Scope) {
  return (condition: Expr, entity: LinkedEntity, as?: string): Expr =>
    restrictExpression(pass, condition, nestedScope({ elements: entity.elements, entity, as }, scope));
}

interface Place {
  readonly event: EventName;
  readonly scope: Scope;
}

function restrictSelect<Q extends TreeQuery>(pass: Pass, query: Q, place: Place): Q {
  const node: TreeQuery = query;
  if (node.kind === "set") {
    const args = mapArray(node.SET.args, (arg) => restrictSelect(pass, arg, place));
    return withMembers(node, { SET: withMembers(node.SET, { args }) }) as Q;
  }
  const body = restrictBody(pass, node.SELECT, place);
  if (body === node.SELECT) return query;
  // what stands beside a source, a column or a term stays
  return { ...query, ...select(body) };
}

function restrictBody(pass: Pass, body: TreeBody, place: Place): TreeBody {
  const sources: ScopeSource[] = [];
  const from = restrictSource(pass, body.from, { ...place, sources });
  const mixins = mixinsOf(pass, body);
  const scope: Scope = { sources, parent: place.scope, isQuery: true, ...(mixins && { mixins }) };
  const restrict = (expression: Expr) => restrictExpression(pass, expression, scope);
  const { columns, groupBy, having, orderBy } = body;
  return withMembers(body, {
    from,
    ...(columns && { columns: mapArray(columns, (column) => restrictColumn(pass, column, scope)) }),
    ...chosenRows(
      body,
      restrict,
      (search) => sources[0]?.entity && restrictSearch(pass, search, sources[0].entity),
    ),
    ...(groupBy && { groupBy: mapArray(groupBy, restrict) }),
    ...(having && { having: restrict(having) }),
    ...(orderBy && { orderBy: mapOrder(orderBy, restrict) }),
  });
}

/** The condition of rows, with that of search terms where these lead to restricted rows. */
function chosenRows(
  { where, search }: Pick<TreeBody, "where" | "search">,
  restrict: (expression: Expr) => Expr,
  restrictTerms: (search: Expr) => Expr | undefined,
): Pick<TreeBody, "where" | "search"> {
  const condition = where && restrict(where);
  const terms = search && restrictTerms(search);
  if (terms) return { search: undefined, where: allOf([condition, terms]) };
  return condition ? { where: condition } : {};
}

/** The targets of the associations that a query adds to its source. */
function mixinsOf(pass: Pass, { mixin }: TreeBody): ReadonlyMap<string, LinkedEntity> | undefined {
  if (!mixin) return undefined;
  const targets = new Map<string, LinkedEntity>();
  for (const [name, association] of Object.entries(mixin)) {
    const { target } = association as { readonly target?: unknown };
    const entity = typeof target === "string" ? pass.model.entity(target) : undefined;
    if (entity) targets.set(name, entity);
  }
  return targets;
}

function restrictSource(
  pass: Pass,
  source: TreeSource,
  place: Place & { sources: ScopeSource[] },
): TreeSource {
  if (source.kind === "join") {
    const args = mapArray(source.args, (arg) => restrictSource(pass, arg, place));
    const scope = { sources: place.sources, parent: place.scope, isQuery: true };
    return withMembers(source, {
      args,
      ...(source.on && { on: restrictExpression(pass, source.on, scope) }),
    });
  }
  const isRead = place.event === "READ";
  const { as } = source;
  const add = (entity: LinkedEntity | undefined, name: string | undefined) => {
    if (!entity) return;
    place.sources.push({ name, isExplicit: as !== undefined, elements: entity.elements, entity, isRead });
  };
  if (source.kind !== "reference") {
    add(entityShown(pass, source), as);
    return restrictSelect(pass, source, place);
  }
  const condition = conditionIn(pass, place.scope);
  const { event } = place;
  const isReached = isRead && startsAtRow(source.ref[0]!, place.scope);
  const { steps, entity } = restrictRoot(pass, source.ref, { event, condition, isReached });
  add(entity, as ?? implicitAlias(source.ref));
  return withMembers(source, { ref: steps });
}

/** The entity whose elements a subquery shows, its associations included: paths go on from there. */
function entityShown(pass: Pass, query: TreeQuery): LinkedEntity | undefined {
  if (query.kind === "set") return query.SET.args[0] && entityShown(pass, query.SET.args[0]);
  const { from } = query.SELECT;
  if (from.kind === "join") return undefined;
  if (from.kind !== "reference") return entityShown(pass, from);
  return from.ref.slice(1).reduce<LinkedEntity | undefined>(
    (entity, step) => entity && findElement(entity.elements, stepName(step))?.$target,
    pass.model.entity(stepName(from.ref[0]!)),
  );
}

/** Whether a step finds a row of a query around by its keys, as `$apply` on related instances does. */
function startsAtRow(step: TreeStep, scope: Scope): boolean {
  if (typeof step === "string" || !step.where) return false;
  const first = step.where.kind === "joined" ? step.where.args[0]! : step.where;
  const owner = first.kind === "comparison" && first.right.kind === "reference"
    ? first.right.ref[0]
    : undefined;
  const source = typeof owner === "string" ? explicitSource(owner, scope) : undefined;
  if (!source?.isRead || source.entity?.name !== step.id) return false;
  const keys = storedKeys(source.entity).map(({ name }) =>
    compare(reference([name]), "=", reference([owner!, name]))
  );
  return JSON.stringify(join("and", keys)) === JSON.stringify(step.where);
}

function implicitAlias(ref: readonly TreeStep[]): string {
  return unqualified(stepName(ref.at(-1)!));
}

function restrictColumn(pass: Pass, column: TreeColumn, scope: Scope): TreeColumn {
  if (column === "*") return column;
  return column.kind === "nested"
    ? restrictNested(pass, column, scope)
    : restrictExpression(pass, column, scope);
}

function restrictNested(pass: Pass, column: TreeNested, scope: Scope): TreeNested {
  const found = column.ref && restrictRef(pass, column.ref, { scope, touchesEnd: true });
  const last = found?.steps.at(-1);
  const as = typeof last === "object" ? last.as : undefined;
  const { elements, entity } = found ?? {};
  // a structure has elements of its own
  const inner = elements ? nestedScope({ elements, as }, scope) : scope;
  const restrict = (expression: Expr) => restrictExpression(pass, expression, inner);
  const columns = (list: readonly TreeColumn[]) => mapArray(list, (one) => restrictColumn(pass, one, inner));
  const { expand, inline, orderBy, query } = column;
  const restricted = withMembers(column, {
    ...(found && { ref: found.steps }),
    ...(expand && { expand: columns(expand) }),
    ...(inline && { inline: columns(inline) }),
    ...chosenRows(column, restrict, (search) => entity && restrictSearch(pass, search, entity)),
    ...(orderBy && { orderBy: mapOrder(orderBy, restrict) }),
    ...(query && { query: restrictSelect(pass, query, { event: "READ", scope }) }),
  });
  if (restricted.search || !column.search) return restricted;
  const { search: _search, ...others } = restricted;
  return others;
}

function restrictExpression<E extends Expr>(pass: Pass, expression: E, scope: Scope): E {
  const node: Expr = expression;
  switch (node.kind) {
    case "select":
    case "set":
      return restrictSelect(pass, node, { event: "READ", scope }) as E;
    case "reference":
      return withMembers(node, { ref: restrictRef(pass, node.ref, { scope, touchesEnd: false }).steps }) as E;
    case "exists":
      return withMembers(node, { arg: touched(pass, node.arg, scope) as typeof node.arg }) as E;
  }
  const counted = node.kind === "call" && countsRows(node) ? node.args : undefined;
  return mapChildren(
    expression,
    (child) =>
      counted?.includes(child) ? touched(pass, child, scope) : restrictExpression(pass, child, scope),
  );
}

/** Whether a call counts the rows that its arguments lead to. */
function countsRows({ func, names, distinct }: Call): boolean {
  return func.startsWith("count") && !names && !distinct;
}

/** What leads to rows that are touched themselves: whether there are some, and how many. */
function touched(pass: Pass, node: Expr, scope: Scope): Expr {
  if (node.kind !== "reference") return restrictExpression(pass, node, scope);
  return withMembers(node, { ref: restrictRef(pass, node.ref, { scope, touchesEnd: true }).steps });
}

interface RefPlace {
  readonly scope: Scope;
  readonly touchesEnd: boolean;
}

/** Restricts a reference: `$self` and aliases in front are taken off and put back. */
function restrictRef(
  pass: Pass,
  ref: readonly TreeStep[],
  { scope, touchesEnd }: RefPlace,
): RestrictedElementPath {
  const anchor = anchorOf(ref, scope);
  if (!anchor) return { steps: ref, elements: undefined, entity: undefined };
  const given = anchor.prefix ? ref.slice(anchor.prefix) : ref;
  const path = { elements: anchor.elements, steps: given, first: anchor.first };
  const found = restrictPath(pass, path, { touchesEnd, condition: conditionIn(pass, anchor.scope) });
  const steps = found.steps === given ? ref : [...ref.slice(0, anchor.prefix), ...found.steps];
  return { ...found, steps };
}
