/**
 * Whether restrictions say what they can mean: grants name events, conditions are some and name what there is.
 *
 * @module
 */

import { fromXo } from "../../algebra/from_cqn.ts";
import type { Expr, TreeStep } from "../../algebra/tree.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedElement } from "../../model/linked.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { placeOf } from "../../model/problems.ts";
import { checkPaths, type RowShape, withoutSelf } from "./check_paths.ts";
import { ownRestrictions, type Privilege, withdrawPrivilege } from "./restrictions.ts";
import { findElement } from "./restrict_path.ts";
import { stepName } from "../../cqn/steps.ts";

const MESSAGE = "of a restriction of";
/** Events of entities, and what stands for several. */
const EVENTS: readonly string[] = [
  ...["READ", "CREATE", "UPDATE", "DELETE", "UPSERT", "INSERT", "SELECT", "WRITE", "*"],
];

/** What a restriction is about. */
export interface RestrictedSubject {
  /** What its conditions are about: an entity, or an event with a payload; none for services and unbound operations. */
  readonly entity?: RowShape | undefined;
  /** Names of operations and events that grants may name. */
  readonly names: Iterable<string>;
  /** Takes what grants nothing; without it that is thrown. */
  readonly pass?: PassOver;
}

/** Takes a mistake that the start goes on with: what it is in grants nothing. */
export type PassOver = (problem: ConfigurationError) => void;

/**
 * Checks the restrictions that a definition carries.
 *
 * @param definition a service, entity, operation or event
 * @param subject what they are about
 * @throws ConfigurationError for a grant that names nothing, and for a condition that is none, names an unknown element
 *   or a member of an attribute, or is about no rows
 */
export function checkRestrictions(
  definition: object,
  { entity, names, pass = refuse }: RestrictedSubject,
): void {
  const known = [...EVENTS, ...names];
  for (const privilege of ownRestrictions(definition).flat()) {
    if (privilege.problem) pass(privilege.problem);
    for (const grant of privilege.grants) {
      if (!known.includes(grant)) pass(unknownGrant(definition, grant, known));
    }
    try {
      checkCondition(privilege, definition, entity);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      pass(error);
      withdrawPrivilege(definition, privilege);
    }
  }
}

function checkCondition({ where }: Privilege, definition: object, entity: RowShape | undefined): void {
  if (where === undefined) return;
  if (!entity) throw wrong(definition, "A condition", `${MESSAGE} ${String(definition)} is about no rows`);
  checkPaths(where, { declared: definition, entity, what: MESSAGE });
  const condition = fromXo(where);
  if (condition && !isCondition(condition, entity)) {
    throw wrong(definition, "A condition", `${MESSAGE} ${String(definition)} is neither true nor false`);
  }
}

function refuse(problem: ConfigurationError): never {
  throw problem;
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

/** Whether an expression has a truth value: it is a condition, a call, or true or false itself. */
function isCondition(given: Expr, entity: RowShape): boolean {
  switch (given.kind) {
    case "literal":
      return typeof given.val === "boolean";
    case "variable":
      return given.path.length > 1;
    case "reference":
      return isFlag(given.ref, entity);
    case "call":
    case "case":
      return true;
    case "cast":
    case "unlocalized":
      return isCondition(given.arg, entity);
  }
  return given.type === "cds.Boolean";
}

function isFlag(ref: readonly TreeStep[], entity: RowShape): boolean {
  const element = withoutSelf(ref, entity).reduce<LinkedElement | undefined>(
    (before, step, index) => {
      const elements = index === 0 ? entity.elements : before?.$target?.elements ?? before?.$type.elements;
      return elements && findElement(elements, stepName(step));
    },
    undefined,
  );
  return element?.$type.builtin === "cds.Boolean";
}

function wrong(definition: object, found: string, what: string): ConfigurationError {
  return new ConfigurationError(`${found} ${what}`, placeOf(definition));
}
