/**
 * Whether the expressions of a model name what there is.
 *
 * @module
 */

import { fromXo } from "../../algebra/from_cqn.ts";
import type { Expr, TreeQuery, TreeSource, TreeStep } from "../../algebra/tree.ts";
import { childrenOf } from "../../algebra/walk_tree.ts";
import type { Xo } from "../../cqn/cqn.ts";
import { PSEUDO_VARIABLES, stepName, stepsOfName } from "../../cqn/steps.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { placeOf } from "../../model/problems.ts";
import { findElement } from "./restrict_path.ts";

/** Names in front that are followed by elements of the entity itself. */
const SELF: ReadonlySet<string> = new Set(["$self", "$projection"]);

/** What has elements that expressions name: an entity, or the payload of an event. */
export type RowShape =
  & Pick<LinkedEntity, "name" | "elements">
  & Partial<Pick<LinkedEntity, "$flat" | "$entityNamed">>;

/** Where an expression stands. */
export interface ExpressionPlace {
  /** The definition or element that it is declared at. */
  readonly declared: object;
  /** Whose elements it names. */
  readonly entity: RowShape;
  /** What it is: `of a restriction of`. */
  readonly what: string;
}

/**
 * Checks that the paths of an expression lead to elements, and that its variables and the sources of its subqueries are there.
 *
 * @param tokens operands and operators
 * @param place where it stands
 * @throws ConfigurationError with the place of what declares it
 */
export function checkPaths(tokens: readonly Xo[], place: ExpressionPlace): void {
  const tree = fromXo(tokens);
  if (tree) checkExpression(tree, place);
}

/** Of subqueries the sources are checked; names may be those of any of them. */
function checkExpression(expression: Expr, place: ExpressionPlace): void {
  switch (expression.kind) {
    case "select":
    case "set":
      return checkSubquery(expression, place);
    case "reference":
      return checkRef(expression.ref, place);
    case "variable":
      return checkVariable(expression.path, place);
  }
  for (const child of childrenOf(expression)) checkExpression(child, place);
}

function checkSubquery(query: TreeQuery, place: ExpressionPlace): void {
  if (query.kind === "set") { for (const arg of query.SET.args) checkSubquery(arg, place); }
  else checkSource(query.SELECT.from, place);
}

function checkSource(source: TreeSource, place: ExpressionPlace): void {
  if (source.kind === "join") { for (const arg of source.args) checkSource(arg, place); }
  else if (source.kind !== "reference") checkSubquery(source, place);
  else {
    const name = stepName(source.ref[0]!);
    if (place.entity.$entityNamed?.(name)) return;
    throw wrong(place, `"${name}"`, "is no entity, expected its full name");
  }
}

function checkVariable(path: readonly string[], place: ExpressionPlace): void {
  if (path[0] === "$user" && path.length > 2) {
    throw wrong(place, path.join("."), "is no value: attributes have no members");
  }
  checkPseudo(path[0]!, place);
}

function checkRef(ref: readonly TreeStep[], place: ExpressionPlace): void {
  const { entity } = place;
  const first = stepName(ref[0]!);
  const steps = withoutSelf(ref, entity);
  if (steps === ref && first.startsWith("$")) return checkPseudo(first, place);
  let elements: LinkedElements | undefined = entity.elements;
  let owner: RowShape | undefined = entity;
  for (const step of steps) {
    const name = stepName(step);
    const found: LinkedElement | undefined = elements &&
      (findElement(elements, name) ?? (owner?.$flat?.get(name)?.element));
    if (!found) {
      const near = nearestName(name, elements ? [...elements].map((element) => element.name) : []);
      const hint = near === undefined ? "" : `, did you mean "${near}"`;
      throw wrong(place, `"${name}"`, `is no element of ${String(owner ?? entity)}${hint}`);
    }
    owner = found.$target;
    elements = owner?.elements ?? found.$type.elements;
    if (typeof step !== "string" && step.where && owner) {
      checkExpression(step.where, { ...place, entity: owner });
    }
  }
}

function checkPseudo(name: string, place: ExpressionPlace): void {
  if (PSEUDO_VARIABLES.has(name)) return;
  const near = nearestName(name, PSEUDO_VARIABLES);
  const hint = near === undefined ? "" : `, did you mean "${near}"?`;
  throw wrong(place, `"${name}"`, `is no variable${hint}`);
}

/** A path without the names in front that stand for the entity itself. */
export function withoutSelf(ref: readonly TreeStep[], entity: RowShape): readonly TreeStep[] {
  const first = stepName(ref[0]!);
  if (SELF.has(first)) return ref.slice(1);
  const length = stepsOfName(ref, entity.name);
  return length > 0 ? ref.slice(length) : ref;
}

function wrong({ declared, what }: ExpressionPlace, found: string, reason: string): ConfigurationError {
  return new ConfigurationError(`${found} ${what} ${String(declared)} ${reason}`, placeOf(declared));
}
