/**
 * `exists` and `count` along associations as subqueries (csn-cqn 7).
 *
 * @module
 */

import { allOf, call, exists, ONE, select } from "../../algebra/build.ts";
import type { Expr, TreeSelect, TreeStep } from "../../algebra/tree.ts";
import { associationCondition } from "./association_condition.ts";
import { validityCondition } from "./validity.ts";
import { anchorOf } from "./references.ts";
import { type Anchor, type Lowering, Scope, stepSource } from "./scope.ts";
import { stepName } from "../../cqn/steps.ts";

/**
 * The subquery of `exists <path>`.
 *
 * @param lowering the steps of lowering
 * @param ref the path of associations, each with an infix filter if need be
 * @param scope the scope it stands in
 */
export function existsSubquery(lowering: Lowering, ref: readonly TreeStep[], scope: Scope): TreeSelect {
  return pathSubquery(lowering, start(ref, scope), { column: ONE });
}

/**
 * The subquery that counts the rows a path leads to.
 *
 * @param lowering the steps of lowering
 * @param ref the path of associations
 * @param scope the scope it stands in
 */
export function countSubquery(lowering: Lowering, ref: readonly TreeStep[], scope: Scope): TreeSelect {
  const column = call("count", ["*"]);
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
  readonly steps: readonly TreeStep[];
}

function start(ref: readonly TreeStep[], scope: Scope): Start {
  const found = anchorOf(ref, scope);
  if (!found) throw new TypeError(`"${ref.map(stepName).join(".")}" is no association`);
  return found;
}

function pathSubquery(
  lowering: Lowering,
  { anchor, steps }: Start,
  options: { readonly column: Expr },
): TreeSelect {
  const first = leadingAssociation(lowering, anchor, steps);
  const { association, anchor: from, step, rest } = first;
  const target = association.$target;
  if (!target) throw new TypeError(`The target of "${association}" is not in the model`);
  const scope = new Scope(anchor.scope, false);
  const alias = lowering.alias(association.name);
  scope.sources.push(stepSource(step, { alias, name: association.name, entity: target }));
  const to = { alias, entity: target, scope };
  const where = allOf([
    associationCondition(lowering, association, { from, to }),
    validityCondition(lowering, to),
    typeof step !== "string" && step.where ? lowering.expression(step.where, scope) : undefined,
    rest.length > 0 ? exists(pathSubquery(lowering, { anchor: to, steps: rest }, options)) : undefined,
  ]);
  const table = lowering.table(target, alias, step);
  return select({ columns: [options.column], from: scope.withJoins(table), where });
}

/** The first association of a path, structures before it included. */
function leadingAssociation(lowering: Lowering, anchor: Anchor, steps: readonly TreeStep[]) {
  for (let length = 1; length <= steps.length; length++) {
    const found = lowering.path(anchor, steps.slice(0, length));
    if (found.kind === "association") return { ...found, rest: steps.slice(length) };
    if (found.kind === "column") break;
  }
  throw new TypeError(`"${steps.map(stepName).join(".")}" of "${anchor.entity.name}" is no association`);
}
