/**
 * Annotation expressions of the model as dynamic expressions of metadata, in their JSON form
 * (OData CSDL JSON 4.01 clause 14.4).
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";

const BINARY: readonly Readonly<Record<string, string>>[] = [
  { or: "$Or" },
  { and: "$And" },
  { "=": "$Eq", "==": "$Eq", "!=": "$Ne", "<>": "$Ne", "<": "$Lt", "<=": "$Le", ">": "$Gt", ">=": "$Ge" },
  { "+": "$Add", "-": "$Sub" },
  { "*": "$Mul", "/": "$DivBy" },
];

const COMPARISON = 2;

/** Marks what has no counterpart in metadata. */
const UNKNOWN = Symbol("unknown expression");

/**
 * Translates an expression.
 *
 * @param expression an expression object with `xpr`, `func`, `ref` or `val`
 * @returns its JSON form, or undefined if it has none
 */
export function expressionJson(expression: unknown): unknown {
  const json = operand(expression);
  return containsUnknown(json) ? undefined : json;
}

function containsUnknown(json: unknown): boolean {
  if (json === UNKNOWN) return true;
  return typeof json === "object" && json !== null && Object.values(json).some(containsUnknown);
}

function operand(item: unknown): unknown {
  if (!isPlainObject(item)) return UNKNOWN;
  if (Array.isArray(item.xpr)) return operators(item.xpr, 0);
  if (Array.isArray(item.ref)) return path(item.ref);
  if (typeof item.func === "string") {
    const args = Array.isArray(item.args) ? item.args.map(operand) : [];
    return { $Apply: args, $Function: `odata.${item.func.toLowerCase()}` };
  }
  if ("val" in item) return item.val;
  return UNKNOWN;
}

function path(ref: readonly unknown[]): unknown {
  if (ref.some((step) => typeof step !== "string")) return UNKNOWN;
  const steps = ref[0] === "$self" ? ref.slice(1) : ref;
  return String(steps[0]).startsWith("$") ? UNKNOWN : { $Path: steps.join("/") };
}

/** Splits at the last operator of the lowest precedence, so that operators of one level group from the left. */
function operators(tokens: readonly unknown[], level: number): unknown {
  if (tokens[0] === "case") return conditional(tokens);
  if (level === COMPARISON && tokens[0] === "not") return { $Not: operators(tokens.slice(1), level) };
  if (level >= BINARY.length) return tokens.length === 1 ? operand(tokens[0]) : UNKNOWN;
  if (level === COMPARISON && tokens.at(-1) === "null" && tokens.includes("is")) return nullCheck(tokens);
  for (let index = tokens.length - 2; index > 0; index--) {
    const token = tokens[index];
    const operator = typeof token === "string" ? BINARY[level][token] : undefined;
    if (!operator) continue;
    return {
      [operator]: [operators(tokens.slice(0, index), level), operators(tokens.slice(index + 1), level + 1)],
    };
  }
  return operators(tokens, level + 1);
}

function nullCheck(tokens: readonly unknown[]): unknown {
  const at = tokens.indexOf("is");
  return {
    [tokens[at + 1] === "not" ? "$Ne" : "$Eq"]: [operators(tokens.slice(0, at), COMPARISON + 1), null],
  };
}

/** `case when a then b else c end`: each further `when` nests in the else part. */
function conditional(tokens: readonly unknown[]): unknown {
  const then = tokens.indexOf("then");
  const next = tokens.findIndex((token, index) =>
    index > then && (token === "when" || token === "else" || token === "end")
  );
  if (tokens[1] !== "when" || then < 0 || next < 0) return UNKNOWN;
  const condition = operators(tokens.slice(2, then), 0);
  const value = operators(tokens.slice(then + 1, next), 0);
  if (tokens[next] === "end") return { $If: [condition, value, null] };
  const rest = tokens[next] === "when"
    ? conditional(["case", ...tokens.slice(next)])
    : operators(tokens.slice(next + 1, -1), 0);
  return { $If: [condition, value, rest] };
}
