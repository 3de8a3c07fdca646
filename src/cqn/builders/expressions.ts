/**
 * Conditions given as objects: `{ID: 201, stock: {">=": 5}, title: {like: "%x%"}}`.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Expression, Scalar, Xo } from "../cqn.ts";
import { isExpression, isQuery } from "../is_query.ts";
import { walkExpression } from "../walk.ts";

/** Operators that a condition object may use for an element. */
const COMPARISONS: readonly string[] = ["=", "==", "!=", "<>", "<", "<=", ">", ">=", "like", "not like"];

/** Operator strings of expressions (`csn-cqn` 7); anything else in an expression object is refused. */
const OPERATORS: ReadonlySet<string> = new Set([
  ..."and or not = == != <> < <= > >= + - * / || in like escape between is null exists".split(" "),
  ..."case when then else end any some all over partition by order asc desc".split(" "),
]);

/** A condition as object: values, or objects of operator and value, by element. */
export type ConditionObject = Readonly<Record<string, unknown>>;

/**
 * A condition object as flat expression array; its members are joined by `and`.
 *
 * @param condition values or `{operator: value}` by element; `and`, `or` and `not` hold conditions, `exists` a path
 * @throws TypeError for an unknown operator
 */
export function conditionTokens(condition: ConditionObject): readonly Xo[] {
  const names = Object.keys(condition);
  if (names.length === 1) return memberTokens(names[0]!, condition[names[0]!]);
  const result: Xo[] = [];
  for (const name of names) {
    if (result.length > 0) result.push(name === "or" ? "or" : "and");
    for (const token of memberTokens(name, condition[name])) result.push(token);
  }
  return result;
}

/** Joins two conditions; parts that hold an `or` get parentheses where needed. */
export function joinConditions(
  left: readonly Xo[] | undefined,
  operator: "and" | "or",
  right: readonly Xo[],
): readonly Xo[] {
  if (!left || left.length === 0) return right;
  if (right.length === 0) return left;
  if (operator === "or") return [...left, "or", ...right];
  return [...grouped(left), "and", ...grouped(right)];
}

/**
 * A value given by a handler as expression: expression objects as they are after a check of their operators, arrays
 * as lists, everything else as literal.
 *
 * @throws TypeError for an object that is no expression
 */
export function toExpression(value: unknown): Expression {
  if (Array.isArray(value)) return { list: value.map(toExpression) };
  if (isExpression(value)) return checked(value);
  if (isPlainObject(value)) throw new TypeError(`Expected a value, found an object with ${describe(value)}`);
  return { val: (value instanceof RegExp ? value.source : value ?? null) as Scalar };
}

/**
 * A condition in which regular expressions are patterns behind `like`, and their text elsewhere.
 *
 * @param tokens the condition
 */
export function withPatterns(tokens: readonly Xo[]): readonly Xo[] {
  const result: Xo[] = [];
  for (const [at, token] of tokens.entries()) {
    const pattern = patternOf(token);
    if (pattern === undefined || tokens[at - 1] !== "like") {
      result.push(pattern === undefined ? token : { val: pattern });
      continue;
    }
    const isNegated = tokens[at - 2] === "not";
    const [text] = result.splice(isNegated ? -3 : -2);
    if (isNegated) result.push("not");
    result.push({ func: "matchesPattern", args: [text as Expression, { val: pattern }] });
  }
  return result;
}

function patternOf(token: Xo): string | undefined {
  if (typeof token !== "object" || !("val" in token)) return undefined;
  const value: unknown = token.val;
  return value instanceof RegExp ? value.source : undefined;
}

/** What stands between the steps of a path in text. */
const STEPS = /[.:/]/;

/** A path in text (`author.name`) as reference. */
export function toRef(path: string): Expression {
  return { ref: STEPS.test(path) ? path.split(STEPS) : [path] };
}

/**
 * Checks an expression object: only known operators and function names, subqueries only as builders.
 *
 * @throws TypeError otherwise
 */
function checked(expression: Expression): Expression {
  walkExpression(expression, (node) => {
    if (isQuery(node)) {
      if (isPlainObject(node)) {
        throw new TypeError("Expected a subquery made by SELECT, found a plain object");
      }
      return false;
    }
    if ("xpr" in node && node.xpr) {
      for (const token of node.xpr) {
        if (typeof token === "string" && !OPERATORS.has(token.toLowerCase())) {
          throw new TypeError(`Unknown operator '${token}' in an expression`);
        }
      }
    }
    if ("func" in node && !/^[A-Za-z_][\w.]*$/.test(node.func)) {
      throw new TypeError(`Not the name of a function: '${node.func}'`);
    }
  });
  return expression;
}

function memberTokens(name: string, value: unknown): readonly Xo[] {
  switch (name) {
    case "and":
    case "or":
      return grouped(nestedTokens(value));
    case "not":
      return ["not", { xpr: nestedTokens(value) }];
    case "exists":
      return ["exists", typeof value === "string" ? toRef(value) : toExpression(value)];
    case "xpr":
      return [checked({ xpr: value as readonly Xo[] })];
    default:
      return elementTokens(/^\d+$/.test(name) ? { val: Number(name) } : toRef(name), value);
  }
}

function nestedTokens(value: unknown): readonly Xo[] {
  if (Array.isArray(value)) {
    return value.flatMap((entry, i) => i > 0 ? ["or", ...nestedTokens(entry)] : nestedTokens(entry));
  }
  if (isPlainObject(value)) return conditionTokens(value);
  throw new TypeError(`Expected a condition object, found ${typeof value}`);
}

/**
 * The condition that an element has a value.
 *
 * @param element the element
 * @param value the value, a list of values, or operators with values
 */
export function elementTokens(element: Expression, value: unknown): readonly Xo[] {
  if (typeof value === "string" || typeof value === "number") return [element, "=", { val: value }];
  // what is missing, where it is let pass, must never widen a condition
  if (isIncomplete(value)) return UNKNOWN;
  if (value === null) return [element, "is", "null"];
  if (Array.isArray(value)) return [element, "in", toExpression(value)];
  if (isQuery(value)) return [element, "in", toExpression(value)];
  if (!isPlainObject(value) || isExpression(value)) return [element, "=", toExpression(value)];
  const entries = Object.entries(value).filter(([operator]) => !(operator === "and" && "between" in value));
  if (entries.length === 0) throw new TypeError("Expected an operator in a condition, found an empty object");
  return entries.flatMap(([operator, operand], i) => {
    const tokens = operatorTokens(element, operator, operator === "between" ? value : operand);
    return i > 0 ? ["and", ...tokens] : tokens;
  });
}

/** Is neither true nor false, and neither is its negation. */
const UNKNOWN: readonly Xo[] = [{ val: null }, ">", { val: 0 }];

/** Whether a list, or a comparison, has values that are undefined. */
function isIncomplete(value: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value)) return value.some(isIncomplete);
  return isPlainObject(value) && !isExpression(value) && Object.values(value).some(isIncomplete);
}

function operatorTokens(element: Expression, operator: string, operand: unknown): readonly Xo[] {
  switch (operator) {
    case "between": {
      const { between, and } = operand as { between: unknown; and?: unknown };
      const [low, high] = Array.isArray(between) ? between : [between, and];
      return [element, "between", toExpression(low), "and", toExpression(high)];
    }
    case "in":
      return [element, "in", toExpression(operand)];
    case "not in":
      return [element, "not", "in", toExpression(operand)];
    case "not":
      return [
        "not",
        { xpr: elementTokens(element, operand) },
      ];
    case "is":
      return [element, "is", ...(operand === "not null" ? ["not", "null"] : ["null"])];
  }
  if (!COMPARISONS.includes(operator)) {
    throw new TypeError(
      `Unknown operator '${operator}' in a condition, expected one of ${COMPARISONS.join(", ")}`,
    );
  }
  if ((operand ?? null) === null && (operator === "=" || operator === "==")) return [element, "is", "null"];
  if ((operand ?? null) === null && (operator === "!=" || operator === "<>")) {
    return [element, "is", "not", "null"];
  }
  if (Array.isArray(operand) && operator === "=") return [element, "in", toExpression(operand)];
  if (Array.isArray(operand) && operator === "!=") return [element, "not", "in", toExpression(operand)];
  const value = operand instanceof RegExp ? { val: operand as unknown as Scalar } : toExpression(operand);
  return withPatterns([element, ...operator.split(" "), value]);
}

function grouped(tokens: readonly Xo[]): readonly Xo[] {
  return tokens.includes("or") ? [{ xpr: tokens }] : tokens;
}

function describe(value: object): string {
  const names = Object.keys(value);
  return names.length === 0 ? "no members" : `the members ${names.join(", ")}`;
}
