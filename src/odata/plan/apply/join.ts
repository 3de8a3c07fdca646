/**
 * `join` and `outerjoin`: instances once per related instance (Data Aggregation 4.0, 3.4.1).
 *
 * @module
 */

import type { RefStep, Xo } from "../../../cqn/cqn.ts";
import type { ApplyExpr, ApplyTrafo } from "../../url/ast.ts";
import { conjunction } from "../../../cqn/conjunction.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { assertFewJoined } from "../expressions/member_walk.ts";
import { searchOf } from "../expressions/plan_collection.ts";
import type { JoinedPath, Scope } from "../scope.ts";
import { navigationNames, navigationOf } from "../service_index.ts";
import { unknownName } from "../plan_error.ts";
import { isCut, isInstances, type Rows, settled, type State, uncut } from "./state.ts";

/** Runs transformations on instances of another entity. */
export type RunInner = (apply: ApplyExpr, rows: Rows) => State;

/**
 * Joins related instances.
 *
 * @param given the instances
 * @param trafo the transformation
 * @param run runs the transformations of the related instances
 * @returns instances with the related ones beside them
 */
export function joined(given: State, trafo: Extract<ApplyTrafo, { kind: "joinTrafo" }>, run: RunInner): Rows {
  const { alias, outer, offset, property } = trafo;
  const state = isCut(given) ? uncut(given) : settled(given);
  if (state.kind === "table") throw notImplemented("A join of rows that are no entities", offset);
  const { scope } = state;
  if (scope.computed.has(alias) || scope.joined?.has(alias) || scope.entity.elements[alias]) {
    throw badRequest(`The name "${alias}" is taken`, offset);
  }
  const [step, more] = property.steps;
  if (step?.kind !== "memberName" || more || step.parens.length > 0) {
    throw notImplemented("This path in a join", property.offset);
  }
  const navigation = navigationOf(scope.entity, step.name);
  if (navigation === undefined) {
    const known = navigationNames(scope.entity);
    const owner = scope.entity.name;
    throw unknownName({ name: step.name, offset: step.offset, what: "navigation property", owner, known });
  }
  const { element, target } = navigation;
  const where = trafo.apply && innerCondition(trafo.apply, target, { scope, run });
  const ref: readonly RefStep[] = [where ? { id: step.name, where } : step.name];
  const path: JoinedPath = { ref, element, target };
  const beside = new Map([...scope.joined ?? [], [alias, path]]);
  assertFewJoined(joinedCollections(beside), scope.bindings, offset);
  return {
    ...state,
    where: conjunction(state.where, joinCondition(path, { outer, offset })),
    scope: { ...scope, joined: beside },
  };
}

/**
 * How many collections stand beside instances.
 *
 * @param joined what `join` has put there
 */
export function joinedCollections(joined: Scope["joined"]): number {
  return [...joined?.values() ?? []].filter(({ element }) => element.is2many).length;
}

/** Names the joined rows, so that they are read; without `outer` there has to be one. */
function joinCondition(
  { ref, target }: JoinedPath,
  { outer, offset }: { readonly outer: boolean; readonly offset: number },
): readonly Xo[] {
  const key = target.$flatKeys.find(({ virtual }) => !virtual);
  if (key === undefined) throw notImplemented("A join of entities without key", offset);
  const found = { ref: [...ref, key.name] };
  return outer ? [found, "is", "null", "or", found, "is", "not", "null"] : [found, "is", "not", "null"];
}

function innerCondition(
  apply: ApplyExpr,
  entity: Scope["entity"],
  { scope, run }: { readonly scope: Scope; readonly run: RunInner },
): readonly Xo[] | undefined {
  const { bindings, aliases, index } = scope;
  const inner: Scope = { entity, bindings, aliases, index, computed: new Map(), row: {} };
  const rows = run(apply, { kind: "rows", from: { ref: [entity.name] }, scope: inner });
  if (!isInstances(rows) || isCut(rows) || rows.scope.computed.size > 0) {
    throw notImplemented("This transformation inside of a join", apply.offset);
  }
  const { where, search } = settled(rows);
  return conjunction(where, search && searchOf(search, entity));
}
