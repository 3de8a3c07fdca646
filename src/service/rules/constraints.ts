/**
 * Constraints: annotations `@assert` whose value is an expression, which gives a text for what is wrong, else null.
 *
 * @module
 */

import { fromExpression } from "../../algebra/from_cqn.ts";
import type { Expr } from "../../algebra/tree.ts";
import { mapPaths } from "../../algebra/walk_tree.ts";
import type { Expression } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { validSlice } from "../../model/valid_slice.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { checkPaths } from "../authorization/check_restrictions.ts";
import { placeOf } from "../../model/problems.ts";

/** What an element demands of the rows of its entity. */
export interface Constraint {
  /** What an error is reported against: the flat element, of an association its foreign key. */
  readonly target: string;
  /** Gives the text of the error, or null. */
  readonly expression: Expr;
}

const CONSTRAINTS: WeakMap<LinkedEntity, readonly Constraint[]> = new WeakMap();

/**
 * The constraints of an entity in order of its elements.
 *
 * @param entity any entity
 * @throws ConfigurationError for one that is no expression, or names what is not there
 */
export function constraintsOf(entity: LinkedEntity): readonly Constraint[] {
  let constraints = CONSTRAINTS.get(entity);
  if (constraints === undefined) {
    constraints = Object.freeze([...compile(entity, entity.elements, [])]);
    CONSTRAINTS.set(entity, constraints);
  }
  return constraints;
}

/**
 * Whether writes of an entity need more than their statement: a look at the rows behind it, or the one slice of temporal
 * data that they mean.
 *
 * @param entity any entity
 */
export function hasWriteRules(entity: LinkedEntity): boolean {
  return constraintsOf(entity).length > 0 || validSlice(entity).length > 0;
}

function* compile(
  entity: LinkedEntity,
  elements: Iterable<LinkedElement>,
  path: readonly string[],
): Iterable<Constraint> {
  for (const element of elements) {
    const { elements: inner, builtin } = element.$type;
    const steps = [...path, element.name];
    const given = element["@assert"];
    if (given !== undefined && given !== null) {
      const expression = within(path, expressionOf(given, element));
      checkPaths(expression, { declared: element, entity, what: "of the constraint of" });
      assertText(expression, element);
      yield { target: targetOf(element, steps), expression };
    }
    if (!element.isAssociation && inner && builtin === undefined) yield* compile(entity, inner, steps);
  }
}

function targetOf(element: LinkedElement, steps: readonly string[]): string {
  const [key] = element.isAssociation ? element.$foreignKeys ?? [] : [];
  return [...steps.slice(0, -1), key?.name ?? element.name].join("_");
}

/** Kinds that are no expression over the elements of a row. */
const OTHERS: ReadonlySet<Expr["kind"]> = new Set(["literal", "list", "symbol", "select", "set"]);

function expressionOf(given: unknown, element: LinkedElement): Expr {
  const expression = isPlainObject(given) ? readable(given) : undefined;
  if (expression && !OTHERS.has(expression.kind)) return expression;
  throw wrong(element, `${describe(given)}, expected an expression in parentheses`);
}

/** What an expression of a model means; undefined for what is none. */
function readable(given: object): Expr | undefined {
  try {
    return fromExpression(given as Expression);
  } catch {
    return undefined;
  }
}

/** A condition is no text that says what is wrong: it would refuse all rows. */
function assertText(expression: Expr, element: LinkedElement): void {
  if (expression.type !== "cds.Boolean") return;
  throw wrong(element, "a condition, expected the text of the error where it is violated");
}

function wrong(element: LinkedElement, what: string): ConfigurationError {
  return new ConfigurationError(
    `The constraint @assert of ${element} is ${what}: (case when … then 'text' end)`,
    placeOf(element),
  );
}

function describe(given: unknown): string {
  if (isPlainObject(given) && typeof given["="] === "string") return `"${given["="]}"`;
  return JSON.stringify(given);
}

/** An expression in a structure names the elements of the structure. */
function within(path: readonly string[], expression: Expr): Expr {
  if (path.length === 0) return expression;
  return mapPaths(expression, (ref) => stepName(ref[0]!).startsWith("$") ? ref : [...path, ...ref]);
}
