/**
 * Whether the conditions of restrictions name what there is.
 *
 * @module
 */

import type { Expression, RefStep, Xo } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { placeOf } from "../place_of.ts";
import { restrictionsOf } from "./restrictions.ts";
import { findElement, stepName } from "./restrict_path.ts";

/** Names in front that are followed by elements of the entity itself. */
const SELF: ReadonlySet<string> = new Set(["$self", "$projection"]);
const MESSAGE = "of a restriction of";

/**
 * Checks the restrictions of a definition.
 *
 * @param definition a service, entity or operation
 * @param entity whose rows its conditions are about; undefined for a service and an unbound operation, which have none
 * @param inherited the source that an entity has its restrictions from
 * @throws ConfigurationError for a condition that names an unknown element or a member of an attribute, or that is
 *   about no rows
 */
export function checkConditions(
  definition: object,
  entity: LinkedEntity | undefined,
  inherited?: LinkedEntity,
): void {
  for (const { where } of restrictionsOf(definition).flat()) {
    if (where === undefined) continue;
    if (!entity) throw wrong(definition, "A condition", `${MESSAGE} ${String(definition)} is about no rows`);
    checkXo(where, { definition, entity, inherited });
  }
}

interface Place {
  readonly definition: object;
  readonly entity: LinkedEntity;
  readonly inherited?: LinkedEntity | undefined;
}

function checkXo(tokens: readonly Xo[], place: Place): void {
  for (const token of tokens) if (typeof token !== "string") checkExpression(token, place);
}

/** Names in subqueries are not checked: they may be those of any source. */
function checkExpression(expression: Expression, place: Place): void {
  if ("SELECT" in expression || "SET" in expression) return;
  if ("xpr" in expression && expression.xpr) checkXo(expression.xpr, place);
  if ("list" in expression) checkXo(expression.list, place);
  if ("func" in expression && expression.args) {
    const args = Array.isArray(expression.args) ? expression.args : Object.values(expression.args);
    for (const arg of args) if (arg !== "*") checkExpression(arg, place);
  }
  if ("ref" in expression && !expression.param) checkRef(expression.ref, place);
}

function checkRef(ref: readonly RefStep[], { definition, entity, inherited }: Place): void {
  const first = stepName(ref[0]!);
  if (first === "$user" && ref.length > 2) {
    throw wrong(
      definition,
      ref.map(stepName).join("."),
      `${MESSAGE} ${String(definition)}: attributes have no members`,
    );
  }
  const steps = SELF.has(first) || first === entity.$localName ? ref.slice(1) : ref;
  if (steps === ref && first.startsWith("$")) return;
  let elements: LinkedElements | undefined = entity.elements;
  let owner: LinkedEntity | undefined = entity;
  for (const step of steps) {
    const name = stepName(step);
    const found: LinkedElement | undefined = elements &&
      (findElement(elements, name) ?? (owner?.$flat.get(name)?.element));
    if (!found) {
      const near = nearestName(name, elements ? [...elements].map((element) => element.name) : []);
      const hint = near === undefined ? "" : `, did you mean "${near}"`;
      const origin = inherited ? `, which inherits it from ${String(inherited)},` : "";
      throw wrong(
        definition,
        `"${name}"`,
        `${MESSAGE} ${String(definition)}${origin} is no element of ${String(owner ?? entity)}${hint}`,
      );
    }
    owner = found.$target;
    elements = owner?.elements ?? found.$type.elements;
    if (typeof step !== "string" && step.where && owner) {
      checkXo(step.where, { definition, entity: owner, inherited });
    }
  }
}

function wrong(definition: object, found: string, what: string): ConfigurationError {
  return new ConfigurationError(`${found} ${what}`, placeOf(definition));
}
