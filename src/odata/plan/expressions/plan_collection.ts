/**
 * What follows a collection of entities in an expression: `/$count`, `/any(…)`, `/all(…)`, `/$filter(…)`
 * (OData 4.01 Part 2, sections 5.1.1.13 and 5.1.1.14).
 *
 * @module
 */

import type { CountStep, FilterStep, LambdaExpr } from "../../url/ast.ts";
import {
  addWhere,
  assertCollection,
  countAt,
  existsAt,
  type Member,
  memberScope,
  type Walk,
} from "./member_walk.ts";
import { keyCondition, keyPredicate } from "../paths/plan_keys.ts";
import { planSearch } from "../options/row_conditions.ts";
import { INTEGER, resolveAlias, rowOf, type Scope } from "../scope.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import { searchableElements, searchCondition } from "../../../model/search.ts";
import { not, notTrue } from "../../../algebra/build.ts";
import type { Expr } from "../../../algebra/tree.ts";

/**
 * Plans a step behind a collection.
 *
 * @param walk the path so far; `/$filter(…)` changes it in place
 * @param node the step
 * @returns number or condition; undefined behind `/$filter(…)`
 * @throws {ServiceError} 400 if the path has not reached a collection
 */
export function collectionMember(walk: Walk, node: CountStep | LambdaExpr | FilterStep): Member | undefined {
  assertCollection(walk, node.offset);
  switch (node.kind) {
    case "countStep":
      filterCounted(walk, node);
      return { value: { expr: countAt(walk), type: INTEGER, nullable: false } };
    case "filterStep":
      filterStep(walk, node);
      return undefined;
    default:
      return { condition: lambdaCondition(walk, node) };
  }
}

function filterCounted(walk: Walk, { options }: CountStep): void {
  if (options?.filter !== undefined) {
    const scope = memberScope(walk);
    addWhere(walk, scope.plan.condition(options.filter, scope), scope.row);
  }
  if (options?.search !== undefined) addWhere(walk, searchOf(planSearch(options.search), walk.entity));
}

function filterStep(walk: Walk, { filter, key }: FilterStep): void {
  const scope = memberScope(walk);
  addWhere(walk, scope.plan.condition(filter, scope), scope.row);
  if (key === undefined) return;
  const { bindings } = walk.scope;
  const resolve = {
    resolveAlias: (expr: Parameters<typeof resolveAlias>[0]) => resolveAlias(expr, walk.scope),
  };
  addWhere(walk, keyCondition(keyPredicate(key, { entity: walk.entity, bindings, ...resolve })));
  walk.many = false;
}

/** All members fulfil a condition when there is none for which it is false or null (URL 5.1.1.13.2). */
function lambdaCondition(walk: Walk, node: LambdaExpr): Expr {
  if (node.predicate === undefined) return existsAt(walk);
  const all = node.kind === "allExpr";
  const scope = lambdaScope(walk, node.variable!); // given with each predicate
  const condition = scope.plan.condition(node.predicate, scope);
  addWhere(walk, all ? notTrue(condition) : condition, scope.row);
  return all ? not(existsAt(walk)) : existsAt(walk);
}

/** Names without variable start outside of the lambda expression. */
function lambdaScope(walk: Walk, variable: string): Scope {
  const scope = memberScope(walk);
  const variables = new Map(walk.scope.variables).set(variable, rowOf(scope));
  return { ...scope, variables, base: walk.scope.base ?? rowOf(walk.scope) };
}

/**
 * The condition that search terms are on the rows of an entity, ignoring case.
 *
 * @param search the terms
 * @param entity whose elements are searched
 * @returns a condition over the elements of the entity
 */
export function searchOf(search: Expr, entity: LinkedEntity): Expr {
  return searchCondition(search, { entity, paths: searchableElements(entity) });
}
