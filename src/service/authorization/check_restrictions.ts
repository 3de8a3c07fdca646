/**
 * Whether restrictions say what they can mean: grants name events, conditions are some and name what there is.
 *
 * @module
 */

import { CONDITION_OPERATORS } from "../../cqn/condition_operators.ts";
import type { Expression, RefStep, SelectQuery, SetQuery, Source, Xo } from "../../cqn/cqn.ts";
import { PSEUDO_VARIABLES } from "../../cqn/pseudo_variables.ts";
import { stepsOfName } from "../../cqn/qualified_name.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { placeOf } from "../place_of.ts";
import { ownRestrictions } from "./restrictions.ts";
import { findElement, stepName } from "./restrict_path.ts";

/** Names in front that are followed by elements of the entity itself. */
const SELF: ReadonlySet<string> = new Set(["$self", "$projection"]);
const MESSAGE = "of a restriction of";
/** Events of entities, and what stands for several. */
const EVENTS: readonly string[] = [
  ...["READ", "CREATE", "UPDATE", "DELETE", "UPSERT", "INSERT", "SELECT", "WRITE", "*"],
];

/** What a restriction is about. */
export interface RestrictedSubject {
  /** The entity whose rows its conditions are about; none for services, events and unbound operations. */
  readonly entity?: LinkedEntity | undefined;
  /** Names of operations and events that grants may name. */
  readonly names: Iterable<string>;
}

/**
 * Checks the restrictions that a definition carries.
 *
 * @param definition a service, entity, operation or event
 * @param subject what they are about
 * @throws ConfigurationError for a grant that names nothing, and for a condition that is none, names an unknown element
 *   or a member of an attribute, or is about no rows
 */
export function checkRestrictions(definition: object, { entity, names }: RestrictedSubject): void {
  for (const { grants, where } of ownRestrictions(definition).flat()) {
    const known = [...EVENTS, ...names];
    for (const grant of grants) if (!known.includes(grant)) throw unknownGrant(definition, grant, known);
    if (where === undefined) continue;
    if (!entity) throw wrong(definition, "A condition", `${MESSAGE} ${String(definition)} is about no rows`);
    checkXo(where, { definition, entity });
    if (!isCondition(where, entity)) {
      throw wrong(definition, "A condition", `${MESSAGE} ${String(definition)} is neither true nor false`);
    }
  }
}

function unknownGrant(definition: object, grant: string, known: readonly string[]): ConfigurationError {
  const near = nearestName(grant, known);
  const expected = near === undefined ? `expected one of ${known.join(", ")}` : `did you mean "${near}"?`;
  return wrong(
    definition,
    `"${grant}" in grant`,
    `${MESSAGE} ${String(definition)} is no event or operation, ${expected}`,
  );
}

/** Whether tokens have a truth value: each part between `and` and `or` is a comparison or true or false itself. */
function isCondition(tokens: readonly Xo[], entity: LinkedEntity): boolean {
  const [only] = tokens;
  if (tokens.length === 1 && typeof only === "object") return isTruth(only, entity);
  return tokens[0] === "case" || tokens.some((token) => CONDITION_OPERATORS.has(token));
}

function isTruth(expression: Expression, entity: LinkedEntity): boolean {
  if ("func" in expression) return true;
  if ("xpr" in expression) return isCondition(expression.xpr, entity);
  if ("val" in expression) return typeof expression.val === "boolean";
  if (!("ref" in expression) || expression.param) return false;
  const [first] = expression.ref.map(stepName);
  if (PSEUDO_VARIABLES.has(first!)) return expression.ref.length > 1;
  const steps = withoutSelf(expression.ref, entity);
  const element = steps.reduce<LinkedElement | undefined>(
    (before, step, index) => {
      const elements = index === 0 ? entity.elements : before?.$target?.elements ?? before?.$type.elements;
      return elements && findElement(elements, stepName(step));
    },
    undefined,
  );
  return element?.$type.builtin === "cds.Boolean";
}

function withoutSelf(ref: readonly RefStep[], entity: LinkedEntity): readonly RefStep[] {
  const first = stepName(ref[0]!);
  if (SELF.has(first)) return ref.slice(1);
  const length = stepsOfName(ref, entity.name);
  return length > 0 ? ref.slice(length) : ref;
}

interface Place {
  readonly definition: object;
  readonly entity: LinkedEntity;
}

function checkXo(tokens: readonly Xo[], place: Place): void {
  for (const token of tokens) if (typeof token !== "string") checkExpression(token, place);
}

/** Of subqueries the sources are checked; names may be those of any of them. */
function checkExpression(expression: Expression, place: Place): void {
  if ("SELECT" in expression || "SET" in expression) return checkSubquery(expression, place);
  if ("xpr" in expression && expression.xpr) checkXo(expression.xpr, place);
  if ("list" in expression) checkXo(expression.list, place);
  if ("func" in expression && expression.args) {
    const args = Array.isArray(expression.args) ? expression.args : Object.values(expression.args);
    for (const arg of args) if (arg !== "*") checkExpression(arg, place);
  }
  if ("ref" in expression && !expression.param) checkRef(expression.ref, place);
}

function checkSubquery(query: SelectQuery | SetQuery, place: Place): void {
  if ("SET" in query) { for (const arg of query.SET.args) checkSubquery(arg, place); }
  else checkSource(query.SELECT.from, place);
}

function checkSource(source: Source, place: Place): void {
  if ("join" in source) { for (const arg of source.args) checkSource(arg, place); }
  else if (!("ref" in source)) checkSubquery(source, place);
  else {
    const name = stepName(source.ref[0]!);
    if (place.entity.$entityNamed(name)) return;
    const what = `${MESSAGE} ${String(place.definition)} is no entity, expected its full name`;
    throw wrong(place.definition, `"${name}"`, what);
  }
}

function checkRef(ref: readonly RefStep[], { definition, entity }: Place): void {
  const first = stepName(ref[0]!);
  if (first === "$user" && ref.length > 2) {
    throw wrong(
      definition,
      ref.map(stepName).join("."),
      `${MESSAGE} ${String(definition)}: attributes have no members`,
    );
  }
  const steps = withoutSelf(ref, entity);
  if (steps === ref && first.startsWith("$")) return checkPseudo(first, definition);
  let elements: LinkedElements | undefined = entity.elements;
  let owner: LinkedEntity | undefined = entity;
  for (const step of steps) {
    const name = stepName(step);
    const found: LinkedElement | undefined = elements &&
      (findElement(elements, name) ?? (owner?.$flat.get(name)?.element));
    if (!found) {
      const near = nearestName(name, elements ? [...elements].map((element) => element.name) : []);
      const hint = near === undefined ? "" : `, did you mean "${near}"`;
      throw wrong(
        definition,
        `"${name}"`,
        `${MESSAGE} ${String(definition)} is no element of ${String(owner ?? entity)}${hint}`,
      );
    }
    owner = found.$target;
    elements = owner?.elements ?? found.$type.elements;
    if (typeof step !== "string" && step.where && owner) {
      checkXo(step.where, { definition, entity: owner });
    }
  }
}

function checkPseudo(name: string, definition: object): void {
  if (PSEUDO_VARIABLES.has(name)) return;
  const near = nearestName(name, PSEUDO_VARIABLES);
  const hint = near === undefined ? "" : `, did you mean "${near}"?`;
  throw wrong(definition, `"${name}"`, `${MESSAGE} ${String(definition)} is no variable${hint}`);
}

function wrong(definition: object, found: string, what: string): ConfigurationError {
  return new ConfigurationError(`${found} ${what}`, placeOf(definition));
}
