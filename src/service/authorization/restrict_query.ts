/**
 * The authorization pass over a query: every entity it touches is checked, and rows the user may not see are
 * excluded by conditions in the query (auth 7).
 *
 * @module
 */

import { conjunction, everyOf } from "../../cqn/conjunction.ts";
import type {
  Column,
  EntityRef,
  Expression,
  NestedColumn,
  OrderTerm,
  Query,
  RefStep,
  SelectBody,
  SelectQuery,
  SetQuery,
  Source,
  Xo,
} from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { EventName } from "./access.ts";
import type { Pass } from "./pass.ts";
import { findElement, mapSame, restrictPath, restrictRoot } from "./restrict_path.ts";
import { restrictSearch } from "./restrict_search.ts";
import { stepName, stepsOfName, stepsTo } from "../../cqn/steps.ts";
import { unqualified } from "../../util/unqualified.ts";
import { storedKeys } from "../../model/keys.ts";

/** An entity whose elements can be named, by its alias too. */
interface ScopeSource {
  readonly name: string | undefined;
  /** Whether the name was given as alias: only then it comes before elements of the same name. */
  readonly isExplicit: boolean;
  readonly entity: LinkedEntity;
  /** Whether its rows are those that the user may read. */
  readonly isRead: boolean;
}

/** The names that can be used at a place of a query. */
interface Scope {
  readonly sources: readonly ScopeSource[];
  readonly parent?: Scope;
  /** The targets of associations that the query adds to its source. */
  readonly mixins?: ReadonlyMap<string, LinkedEntity>;
  /** Whether the names are those of a query, which `$self` stands for, not of a step inside. */
  readonly isQuery: boolean;
}

const OUTSIDE: Scope = { sources: [], isQuery: true };

/**
 * The query with the restrictions of the user; the same object if there are none.
 *
 * @param pass who asks
 * @param query any query
 * @param event what is done to the entity that the query is about
 * @throws ServiceError 401 or 403
 */
export function restrictQuery(pass: Pass, query: Query, event: EventName): Query {
  if ("SELECT" in query || "SET" in query) return restrictSelect(pass, query, { event, scope: OUTSIDE });
  if ("UPDATE" in query) {
    const { entity, where, with: values } = query.UPDATE;
    const target = restrictTarget(pass, entity, event);
    const body = replaced(query.UPDATE, {
      entity: target.ref,
      where: where && restrictXo(pass, where, target.scope),
      with: values && restrictRecord(pass, values, target.scope),
    });
    return body === query.UPDATE ? query : { UPDATE: body };
  }
  if ("DELETE" in query) {
    const { from, where } = query.DELETE;
    const target = restrictTarget(pass, from, event);
    const body = replaced(query.DELETE, {
      from: target.ref,
      where: where && restrictXo(pass, where, target.scope),
    });
    return body === query.DELETE ? query : { DELETE: body };
  }
  const kind = "INSERT" in query ? "INSERT" : "UPSERT";
  const original = "INSERT" in query ? query.INSERT : query.UPSERT;
  // The condition for new rows is checked on the rows written; here roles and the path to them matter.
  restrictTarget(pass, original.into, event);
  const from = original.from && restrictSelect(pass, original.from, { event: "READ", scope: OUTSIDE });
  const body = replaced(original, { from: from as SelectQuery | undefined });
  return body === original ? query : { [kind]: body } as unknown as Query;
}

function restrictTarget(
  pass: Pass,
  target: EntityRef,
  event: EventName,
): { readonly ref: EntityRef; readonly scope: Scope } {
  const given = stepsTo(target);
  const { steps, entity } = restrictRoot(pass, given, { event, condition: conditionIn(pass, OUTSIDE) });
  const ref = steps === given
    ? target
    : typeof target === "string"
    ? { ref: steps }
    : { ...target, ref: steps };
  const alias = typeof target === "string" ? undefined : target.as;
  const name = alias ?? implicitAlias(given);
  const source = entity && { name, isExplicit: alias !== undefined, entity, isRead: false };
  return { ref, scope: source ? { sources: [source], isQuery: true } : OUTSIDE };
}

function conditionIn(pass: Pass, scope: Scope) {
  return (where: readonly Xo[], entity: LinkedEntity, as?: string): readonly Xo[] =>
    restrictXo(pass, where, nestedScope({ entity, as }, scope));
}

/** The names inside of a step, whose row may have a name of its own. */
function nestedScope(row: { readonly entity: LinkedEntity; readonly as?: string }, parent: Scope): Scope {
  const { entity, as } = row;
  return {
    sources: [{ name: as, isExplicit: as !== undefined, entity, isRead: true }],
    parent,
    isQuery: false,
  };
}

interface Place {
  readonly event: EventName;
  readonly scope: Scope;
}

function restrictSelect<Q extends SelectQuery | SetQuery>(pass: Pass, query: Q, place: Place): Q {
  const node: SelectQuery | SetQuery = query;
  if ("SET" in node) {
    const body = replaced(node.SET, {
      args: mapSame(node.SET.args, (arg) => restrictSelect(pass, arg, place)),
    });
    return (body === node.SET ? node : { ...node, SET: body }) as Q;
  }
  const body = restrictBody(pass, node.SELECT, place);
  return (body === node.SELECT ? node : { ...node, SELECT: body }) as Q;
}

function restrictBody(pass: Pass, select: SelectBody, place: Place): SelectBody {
  const sources: ScopeSource[] = [];
  const from = restrictSource(pass, select.from, { ...place, sources });
  const mixins = mixinsOf(pass, select);
  const scope: Scope = { sources, parent: place.scope, isQuery: true, ...(mixins && { mixins }) };
  const tokens = (clause: readonly Xo[] | undefined) => clause && restrictXo(pass, clause, scope);
  const terms = <T extends Expression>(list: readonly T[] | undefined) =>
    list && mapSame(list, (term) => restrictExpression(pass, term, scope));
  const search = sources[0] && select.search?.length
    ? restrictSearch(pass, select.search, sources[0].entity)
    : undefined;
  const where = tokens(select.where);
  return replaced(select, {
    from,
    columns: select.columns && mapSame(select.columns, (column) => restrictColumn(pass, column, scope)),
    ...(search ? { search: undefined, where: conjunction(where, search) } : { where }),
    groupBy: terms(select.groupBy),
    having: tokens(select.having),
    orderBy: terms<OrderTerm>(select.orderBy),
  });
}

/** The targets of the associations that a query adds to its source. */
function mixinsOf(pass: Pass, { mixin }: SelectBody): ReadonlyMap<string, LinkedEntity> | undefined {
  if (!mixin) return undefined;
  const targets = new Map<string, LinkedEntity>();
  for (const [name, association] of Object.entries(mixin)) {
    const { target } = association as { readonly target?: unknown };
    const entity = typeof target === "string" ? pass.model.entity(target) : undefined;
    if (entity) targets.set(name, entity);
  }
  return targets;
}

function restrictSource(pass: Pass, source: Source, place: Place & { sources: ScopeSource[] }): Source {
  if ("join" in source) {
    const args = mapSame(source.args, (arg) => restrictSource(pass, arg, place));
    const scope = { sources: place.sources, parent: place.scope, isQuery: true };
    return replaced(source, { args, on: source.on && restrictXo(pass, source.on, scope) });
  }
  if ("SELECT" in source || "SET" in source) {
    const entity = entityShown(pass, source);
    const isRead = place.event === "READ";
    if (entity) place.sources.push({ name: source.as, isExplicit: source.as !== undefined, entity, isRead });
    return restrictSelect(pass, source, place);
  }
  const condition = conditionIn(pass, place.scope);
  const { event } = place;
  const isRead = event === "READ";
  const isReached = isRead && startsAtRow(source.ref[0]!, place.scope);
  const { steps, entity } = restrictRoot(pass, source.ref, { event, condition, isReached });
  if (entity) {
    const name = source.as ?? implicitAlias(source.ref);
    place.sources.push({ name, isExplicit: source.as !== undefined, entity, isRead });
  }
  return replaced(source, { ref: steps });
}

/** The entity whose elements a subquery shows, its associations included: paths go on from there. */
function entityShown(pass: Pass, query: SelectQuery | SetQuery): LinkedEntity | undefined {
  if ("SET" in query) return query.SET.args[0] && entityShown(pass, query.SET.args[0]);
  const { from } = query.SELECT;
  if ("join" in from) return undefined;
  if (!("ref" in from)) return entityShown(pass, from);
  return from.ref.slice(1).reduce<LinkedEntity | undefined>(
    (entity, step) => entity && findElement(entity.elements, stepName(step))?.$target,
    pass.model.entity(stepName(from.ref[0]!)),
  );
}

/** Whether a step finds a row of a query around by its keys, as `$apply` on related instances does. */
function startsAtRow(step: RefStep, scope: Scope): boolean {
  if (typeof step === "string" || !step.where) return false;
  const [, , last] = step.where;
  const owner = typeof last === "object" && "ref" in last && !last.param ? last.ref[0] : undefined;
  const source = typeof owner === "string" ? explicitSource(owner, scope) : undefined;
  if (!source?.isRead || source.entity.name !== step.id) return false;
  const keys = storedKeys(source.entity);
  const condition = everyOf(keys, ({ name }) => [{ ref: [name] }, "=", { ref: [owner as string, name] }]);
  return JSON.stringify(condition) === JSON.stringify(step.where);
}

function explicitSource(alias: string, scope: Scope): ScopeSource | undefined {
  for (let one: Scope | undefined = scope; one; one = one.parent) {
    const found = one.sources.find(({ name }) => name === alias);
    if (found) return found.isExplicit ? found : undefined;
  }
  return undefined;
}

function implicitAlias(ref: readonly RefStep[]): string {
  const name = stepName(ref.at(-1)!);
  return unqualified(name);
}

function restrictColumn(pass: Pass, column: Column, scope: Scope): Column {
  if (column === "*") return column;
  if (!("expand" in column || "inline" in column)) {
    return restrictExpression(pass, column as Expression, scope) as Column;
  }
  const nested = column as NestedColumn;
  const found = nested.ref ? restrictRef(pass, nested.ref, { scope, touchesEnd: true }) : undefined;
  const last = found?.steps.at(-1);
  const as = typeof last === "object" ? last.as : undefined;
  const inner = found?.entity ? nestedScope({ entity: found.entity, as }, scope) : scope;
  const columns = (list: readonly Column[] | undefined) =>
    list && mapSame(list, (one) => restrictColumn(pass, one, inner));
  const search = found?.entity && nested.search?.length
    ? restrictSearch(pass, nested.search, found.entity)
    : undefined;
  const where = nested.where && restrictXo(pass, nested.where, inner);
  return replaced(nested, {
    ref: found?.steps ?? nested.ref,
    expand: columns(nested.expand),
    inline: columns(nested.inline),
    ...(search ? { search: undefined, where: conjunction(where, search) } : { where }),
    orderBy: nested.orderBy && mapSame(nested.orderBy, (term) => restrictExpression(pass, term, inner)),
    query: nested.query && restrictSelect(pass, nested.query, { event: "READ", scope }),
  });
}

function restrictXo(pass: Pass, tokens: readonly Xo[], scope: Scope): readonly Xo[] {
  return mapSame(tokens, (token, index) => {
    if (typeof token === "string") return token;
    if ("ref" in token && tokens[index - 1] === "exists") {
      return replaced(token, { ref: restrictRef(pass, token.ref, { scope, touchesEnd: true }).steps });
    }
    return restrictExpression(pass, token, scope);
  });
}

function restrictExpression<E extends Expression>(pass: Pass, expression: E, scope: Scope): E {
  const node: Expression = expression;
  let result: Expression = node;
  if ("SELECT" in node || "SET" in node) result = restrictSelect(pass, node, { event: "READ", scope });
  else if ("func" in node) {
    const args = node.args && restrictArguments(pass, node, scope);
    result = replaced(node, { args, xpr: node.xpr && restrictXo(pass, node.xpr, scope) });
  } else if ("xpr" in node) result = replaced(node, { xpr: restrictXo(pass, node.xpr, scope) });
  else if ("list" in node) {
    result = replaced(node, { list: mapSame(node.list, (item) => restrictExpression(pass, item, scope)) });
  } else if ("ref" in node && !node.param) {
    result = replaced(node, { ref: restrictRef(pass, node.ref, { scope, touchesEnd: false }).steps });
  }
  // Only the members of the node are replaced, so its type stays.
  return result as E;
}

function restrictArguments(
  pass: Pass,
  call: Extract<Expression, { func: string }>,
  scope: Scope,
): typeof call.args {
  const { args, func } = call;
  if (!Array.isArray(args)) {
    return restrictRecord(pass, args as Readonly<Record<string, Expression>>, scope);
  }
  return mapSame(args as readonly (Expression | "*")[], (arg) => {
    if (arg === "*") return arg;
    if ("ref" in arg && !arg.param && func.startsWith("count")) {
      return replaced(arg, { ref: restrictRef(pass, arg.ref, { scope, touchesEnd: true }).steps });
    }
    return restrictExpression(pass, arg, scope);
  });
}

function restrictRecord(
  pass: Pass,
  record: Readonly<Record<string, Expression>>,
  scope: Scope,
): Readonly<Record<string, Expression>> {
  const mapped = Object.entries(record).map(([name, value]) =>
    [name, restrictExpression(pass, value, scope)] as const
  );
  return mapped.every(([name, value]) => value === record[name]) ? record : Object.fromEntries(mapped);
}

interface RefPlace {
  readonly scope: Scope;
  readonly touchesEnd: boolean;
}

/** Restricts a reference: `$self` and aliases in front are taken off and put back. */
function restrictRef(
  pass: Pass,
  ref: readonly RefStep[],
  { scope, touchesEnd }: RefPlace,
): { readonly steps: readonly RefStep[]; readonly entity?: LinkedEntity } {
  const anchor = anchorOf(ref, scope);
  if (!anchor) return { steps: ref };
  const given = anchor.prefix ? ref.slice(anchor.prefix) : ref;
  const path = { entity: anchor.entity, steps: given, first: anchor.first };
  const found = restrictPath(pass, path, { touchesEnd, condition: conditionIn(pass, anchor.scope) });
  const steps = found.steps === given ? ref : [...ref.slice(0, anchor.prefix), ...found.steps];
  return { steps, ...(found.entity ? { entity: found.entity } : {}) };
}

interface RefAnchor {
  readonly entity: LinkedEntity;
  readonly scope: Scope;
  /** Steps in front of the path that name the source. */
  readonly prefix: number;
  /** The target of the first step, where that is an association of the query itself. */
  readonly first?: LinkedEntity;
}

/** Where a reference starts: an alias, an element, the name of a source, or `$self`, from the inside out. */
function anchorOf(ref: readonly RefStep[], scope: Scope): RefAnchor | undefined {
  const first = stepName(ref[0]!);
  const second = ref[1];
  const isSelf = first === "$self" || first === "$projection" || first === "$it";
  for (let one: Scope | undefined = scope; one; one = one.parent) {
    if (isSelf) {
      const own = one.isQuery ? one.sources[0] : undefined;
      const mixin = second === undefined ? undefined : one.mixins?.get(stepName(second));
      if (own) return { entity: own.entity, scope: one, prefix: 1, ...(mixin && { first: mixin }) };
      continue;
    }
    const mixin = one.mixins?.get(first);
    if (mixin) return { entity: mixin, scope: one, prefix: 0, first: mixin };
    const named = ref.length > 1 ? one.sources.find(({ name }) => name === first) : undefined;
    if (named?.isExplicit) return { entity: named.entity, scope: one, prefix: 1 };
    const owner = one.sources.find(({ entity }) => findElement(entity.elements, first));
    if (owner) return { entity: owner.entity, scope: one, prefix: 0 };
    if (named) return { entity: named.entity, scope: one, prefix: 1 };
    for (const { entity, isExplicit } of one.sources) {
      const prefix = isExplicit ? 0 : stepsOfName(ref, entity.name);
      if (prefix > 0) return { entity, scope: one, prefix };
    }
  }
  return undefined;
}

/** A node with other members; the node itself if none is different. */
function replaced<T extends object>(node: T, members: Partial<T>): T {
  const names = Object.keys(members) as (keyof T)[];
  if (names.every((name) => members[name] === node[name])) return node;
  const copy = { ...node, ...members };
  for (const name of names) if (copy[name] === undefined) delete copy[name];
  return copy;
}
