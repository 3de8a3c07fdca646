/**
 * Annotation expressions of the model as dynamic expressions of metadata, in their JSON form
 * (OData CSDL JSON 4.01 clause 14.4).
 *
 * @module
 */

import { fromExpression } from "../../algebra/from_cqn.ts";
import type { Case, Expr, TreeStep } from "../../algebra/tree.ts";
import type { Expression } from "../../cqn/cqn.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

const OPERATORS: Readonly<Record<string, string | undefined>> = {
  ...{ or: "$Or", and: "$And", not: "$Not" },
  ...{ "=": "$Eq", "==": "$Eq", is: "$Eq", "!=": "$Ne", "<>": "$Ne", "is not": "$Ne" },
  ...{ "<": "$Lt", "<=": "$Le", ">": "$Gt", ">=": "$Ge" },
  ...{ "+": "$Add", "-": "$Sub", "*": "$Mul", "/": "$DivBy" },
};

/** Marks what has no counterpart in metadata. */
const UNKNOWN = Symbol("unknown expression");

/**
 * Translates an expression.
 *
 * @param expression an expression object with `xpr`, `func`, `ref` or `val`
 * @returns its JSON form, or undefined if it has none
 */
export function expressionJson(expression: unknown): unknown {
  if (!isPlainObject(expression)) return undefined;
  const tree = treeOf(expression as unknown as Expression);
  const json = tree && operand(tree);
  return containsUnknown(json) ? undefined : json;
}

/** Annotations may hold what is no expression, as calls of methods. */
function treeOf(expression: Expression): Expr | undefined {
  try {
    return fromExpression(expression);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function containsUnknown(json: unknown): boolean {
  if (json === UNKNOWN) return true;
  return typeof json === "object" && json !== null && Object.values(json).some(containsUnknown);
}

function operand(given: Expr): unknown {
  switch (given.kind) {
    case "literal":
      return given.val;
    case "reference":
      return path(given.ref);
    case "call": {
      const args = given.names ? [] : (given.args ?? []).map((arg) => arg === "*" ? UNKNOWN : operand(arg));
      return { $Apply: args, $Function: `odata.${given.func.toLowerCase()}` };
    }
    case "joined":
      return given.args.map(operand).reduce((left, right) => operation(given.op, [left, right]));
    case "comparison":
    case "arithmetic":
      return operation(given.op, [operand(given.left), operand(given.right)]);
    case "unary":
      return given.op === "not" ? { $Not: operand(given.arg) } : UNKNOWN;
    case "case":
      return given.subject ? UNKNOWN : conditional(given);
  }
  return UNKNOWN;
}

function operation(op: string, operands: readonly unknown[]): unknown {
  const operator = OPERATORS[op];
  return operator === undefined ? UNKNOWN : { [operator]: operands };
}

function path(ref: readonly TreeStep[]): unknown {
  if (ref.some((step) => typeof step !== "string")) return UNKNOWN;
  const steps = ref[0] === "$self" ? ref.slice(1) : ref;
  return String(steps[0]).startsWith("$") ? UNKNOWN : { $Path: steps.join("/") };
}

/** `case when a then b else c end`: each further `when` nests in the else part. */
function conditional({ branches, otherwise }: Case): unknown {
  return branches.toReversed().reduce<unknown>(
    (rest, { when, then }) => ({ $If: [operand(when), operand(then), rest] }),
    otherwise ? operand(otherwise) : null,
  );
}
