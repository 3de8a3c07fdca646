import type { Expr, TreeQuery, TreeSource, TreeStep } from "../../algebra/tree.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { placeOf } from "../../model/problems.ts";
import { ownRestrictions, type Privilege, withdrawPrivilege } from "./restrictions.ts";
import { findElement } from "./restrict_path.ts";
import { PSEUDO_VARIABLES, stepName, stepsOfName } from "../../cqn/steps.ts";
import { childrenOf } from "../../algebra/walk_tree.ts";

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
  if (!isCondition(where, entity)) {
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

/** Names in front that are followed by elements of the entity itself. */
const SELF: ReadonlySet<string> = new Set(["$self", "$projection"]);

/** What has elements that expressions name: an entity, or the payload of an event. */
type RowShape =
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
 * Checks that the paths of an expression lead to elements, and that its variables and the sources of its subqueries are
 * there. Of subqueries the sources are checked; names may be those of any of them.
 *
 * @throws ConfigurationError with the place of what declares it
 */
export function checkPaths(expression: Expr, place: ExpressionPlace): void {
  switch (expression.kind) {
    case "select":
    case "set":
      return checkSubquery(expression, place);
    case "reference":
      return checkRef(expression.ref, place);
    case "variable":
      return checkVariable(expression.path, place);
  }
  for (const child of childrenOf(expression)) checkPaths(child, place);
}

function checkSubquery(query: TreeQuery, place: ExpressionPlace): void {
  if (query.kind === "set") { for (const arg of query.SET.args) checkSubquery(arg, place); }
  else checkSource(query.SELECT.from, place);
}

function checkSource(source: TreeSource, place: ExpressionPlace): void {
  if (source.kind === "join") { for (const arg of source.args) checkSource(arg, place); }
  else if (source.kind !== "reference") checkSubquery(source, place);
  else {
    const { entity } = place;
    const name = stepName(source.ref[0]!);
    // what leads beyond a payload is refused as such, whatever its name
    if (!entity.$entityNamed || entity.$entityNamed(name)) return;
    throw wrongPath(place, `"${name}"`, "is no entity, expected its full name");
  }
}

function checkVariable(path: readonly string[], place: ExpressionPlace): void {
  if (path[0] === "$user" && path.length > 2) {
    throw wrongPath(place, path.join("."), "is no value: attributes have no members");
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
      throw wrongPath(place, `"${name}"`, `is no element of ${String(owner ?? entity)}${hint}`);
    }
    owner = found.$target;
    elements = owner?.elements ?? found.$type.elements;
    if (typeof step !== "string" && step.where && owner) {
      checkPaths(step.where, { ...place, entity: owner });
    }
  }
}

function checkPseudo(name: string, place: ExpressionPlace): void {
  if (PSEUDO_VARIABLES.has(name)) return;
  const near = nearestName(name, PSEUDO_VARIABLES);
  const hint = near === undefined ? "" : `, did you mean "${near}"?`;
  throw wrongPath(place, `"${name}"`, `is no variable${hint}`);
}

/** A path without the names in front that stand for the entity itself. */
function withoutSelf(ref: readonly TreeStep[], entity: RowShape): readonly TreeStep[] {
  const first = stepName(ref[0]!);
  if (SELF.has(first)) return ref.slice(1);
  const length = stepsOfName(ref, entity.name);
  return length > 0 ? ref.slice(length) : ref;
}

function wrongPath({ declared, what }: ExpressionPlace, found: string, reason: string): ConfigurationError {
  return new ConfigurationError(`${found} ${what} ${String(declared)} ${reason}`, placeOf(declared));
}
