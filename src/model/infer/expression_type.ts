/**
 * Types of expressions that have no cast: what can be told without a database.
 *
 * @module
 */

import { functionRow } from "../../algebra/functions.ts";
import { fromExpression } from "../../algebra/from_cqn.ts";
import type { Call, Expr } from "../../algebra/tree.ts";
import type { Expression } from "../../cqn/cqn.ts";
import { INTEGER_TYPES } from "../builtin_types.ts";
import { copyElement, type DraftElement } from "./draft.ts";
import { stepName } from "../../cqn/steps.ts";

/** Finds the element of a path, if it leads anywhere. */
export type ElementLookup = (steps: readonly string[]) => DraftElement | undefined;

/**
 * The type of an expression.
 *
 * @param expression any expression
 * @param lookup finds the elements of its paths
 * @returns type name and facets; nothing if the type cannot be told
 */
export function expressionType(expression: Expression, lookup: ElementLookup): DraftElement {
  try {
    return typeOf(fromExpression(expression), lookup);
  } catch (error) {
    // calls of methods are refused with their place by `check_references.ts`
    if (error instanceof TypeError) return {};
    throw error;
  }
}

function typeOf(given: Expr, lookup: ElementLookup): DraftElement {
  switch (given.kind) {
    case "literal":
      return given.literal === "x" ? { type: "cds.Binary" } : known(given.type);
    case "reference":
      return pathType(given.ref.map(stepName), lookup);
    case "variable":
      return pathType(given.path, lookup);
    case "call":
      return functionType(given, lookup);
    case "case":
      return typeOf(given.branches[0]!.then, lookup);
    case "arithmetic":
      return calculatedType([given.left, given.right], { lookup, divides: given.op === "/" });
    case "unary":
      return given.op === "not" ? known(given.type) : calculatedType([given.arg], { lookup, divides: false });
    case "joined":
    case "comparison":
    case "in":
    case "like":
    case "between":
    case "exists":
      return known(given.type);
    case "unlocalized":
    case "cast":
      return typeOf(given.arg, lookup);
  }
  return {};
}

function known(type: string | undefined): DraftElement {
  return type === undefined ? {} : { type };
}

function pathType(steps: readonly string[], lookup: ElementLookup): DraftElement {
  if (steps[0] === "$now") return { type: "cds.Timestamp" };
  if (["$user", "$tenant"].includes(steps[0])) return { type: "cds.String" };
  const element = lookup(steps);
  if (!element || element.target !== undefined) return {};
  const { type, length, precision, scale, elements, items } = copyElement(element);
  const known = Object.entries({ type, length, precision, scale, elements, items });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

function functionType({ func, args = [] }: Call, lookup: ElementLookup): DraftElement {
  const { declared, result, like } = functionRow(func) ?? {};
  const [first] = args;
  if (declared === undefined ? like === undefined : declared !== "first") return known(declared ?? result);
  return typeof first === "object" ? typeOf(first, lookup) : {};
}

function calculatedType(
  operands: readonly Expr[],
  { lookup, divides }: { readonly lookup: ElementLookup; readonly divides: boolean },
): DraftElement {
  const types = operands.map((operand) => typeOf(operand, lookup).type);
  if (types.some((type) => type === undefined)) return {};
  if (types.every((type) => INTEGER_TYPES.has(type))) return { type: divides ? "cds.Decimal" : types[0] };
  if (types.includes("cds.Double")) return { type: "cds.Double" };
  return types.every((type) => INTEGER_TYPES.has(type) || type === "cds.Decimal")
    ? { type: "cds.Decimal" }
    : {};
}
