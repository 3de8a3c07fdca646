/**
 * `exists` and `count` along associations as subqueries (csn-cqn 7).
 *
 * @module
 */

import type { Expression, RefStep, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { associationCondition } from "./association_condition.ts";
import { validityCondition } from "./validity.ts";
import { anchorOf } from "./references.ts";
import { allOf, type Anchor, type Lowering, Scope, stepName, stepSource } from "./scope.ts";

/**
 * The subquery of `exists <path>`.
 *
 * @param lowering the steps of lowering
 * @param ref the path of associations, each with an infix filter if need be
 * @param scope the scope it stands in
 */
export function existsSubquery(lowering: Lowering, ref: readonly RefStep[], scope: Scope): SelectQuery {
  return pathSubquery(lowering, start(ref, scope), { column: { val: 1, literal: "number" } });
}

/**
 * The subquery that counts the rows a path leads to.
 *
 * @param lowering the steps of lowering
 * @param ref the path of associations
 * @param scope the scope it stands in
 */
export function countSubquery(lowering: Lowering, ref: readonly RefStep[], scope: Scope): SelectQuery {
  const column = { func: "count", args: ["*"] as const };
  const from = start(ref, scope);
  // A path over several associations counts the rows of its last one.
  const before = from.steps.slice(0, -1);
  if (before.length === 0) return pathSubquery(lowering, from, { column });
  const found = lowering.path(from.anchor, from.steps);
  if (found.kind !== "association") throw new TypeError(`"${ref.map(stepName).join(".")}" cannot be counted`);
  return pathSubquery(lowering, { anchor: found.anchor, steps: [found.step] }, { column });
}

interface Start {
  readonly anchor: Anchor;
  readonly steps: readonly RefStep[];
}

function start(ref: readonly RefStep[], scope: Scope): Start {
  const found = anchorOf(ref, scope);
  if (!found) throw new TypeError(`"${ref.map(stepName).join(".")}" is no association`);
  return found;
}

function pathSubquery(
  lowering: Lowering,
  { anchor, steps }: Start,
  options: { readonly column: Expression },
): SelectQuery {
  const first = leadingAssociation(lowering, anchor, steps);
  const { association, anchor: from, step, rest } = first;
  const target = association.$target;
  if (!target) throw new TypeError(`The target of "${association}" is not in the model`);
  const scope = new Scope(anchor.scope, false);
  const alias = lowering.alias(association.name);
  scope.sources.push(stepSource(step, { alias, name: association.name, entity: target }));
  const to = { alias, entity: target, scope };
  const conditions: (readonly Xo[] | undefined)[] = [
    associationCondition(lowering, association, { from, to }),
    validityCondition(lowering, to),
  ];
  if (typeof step !== "string" && step.where) conditions.push([{ xpr: lowering.xo(step.where, scope) }]);
  if (rest.length > 0) {
    conditions.push(["exists", pathSubquery(lowering, { anchor: to, steps: rest }, options)]);
  }
  const table = lowering.table(target, alias, step);
  return { SELECT: { columns: [options.column], from: scope.withJoins(table), where: allOf(conditions) } };
}

/** The first association of a path, structures before it included. */
function leadingAssociation(lowering: Lowering, anchor: Anchor, steps: readonly RefStep[]) {
  for (let length = 1; length <= steps.length; length++) {
    const found = lowering.path(anchor, steps.slice(0, length));
    if (found.kind === "association") return { ...found, rest: steps.slice(length) };
    if (found.kind === "column") break;
  }
  throw new TypeError(`"${steps.map(stepName).join(".")}" of "${anchor.entity.name}" is no association`);
}
