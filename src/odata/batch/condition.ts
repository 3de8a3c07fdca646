/**
 * The condition of a request of a JSON batch: `"if": "$1/$succeeded and $2/stock gt 5"` (JSON Format 19.1).
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import { isServiceError, ServiceError } from "../../errors/service_error.ts";
import { ExactNumber, type JsonValue } from "../payload/parse_json.ts";
import { badRequest, notImplemented } from "../plan/plan_error.ts";
import type { BinaryExpr, CommonExpr } from "../url/ast.ts";
import { parseExpressionText } from "../url/parse_url.ts";
import type { BatchResults } from "./batch_results.ts";

/**
 * Whether a condition holds. A comparison with a value that is missing does not, but for `eq null`.
 *
 * @param text the condition
 * @param results the answers before
 * @param limits bounds of expressions
 * @throws ServiceError 400 with the offset for what is no condition, 501 for what is not evaluated
 */
export function isMet(text: string, results: BatchResults, limits: Limits): boolean {
  if (text.length > limits.urlLength) {
    throw new ServiceError({ status: 400, message: `"if" is longer than ${limits.urlLength} characters` });
  }
  const values = new Map<string, JsonValue>();
  // names of the same length, so that offsets are those of the condition
  const names = results.replace(text, (reference, id, path) => {
    if (results.succeeded(id) === undefined) {
      throw badRequest(`"if" refers to "${id}", which is no preceding request`, text.indexOf(reference));
    }
    const name = `_${values.size.toString(36)}`.padEnd(reference.length, "_");
    values.set(name, results.value(id, path));
    return name;
  });
  try {
    const expr = parseExpressionText({ text: names, raw: names, base: 0 }, limits);
    return evaluate(expr, values) === true;
  } catch (error) {
    if (!isServiceError(error) || !error.message.startsWith("Syntax error")) throw error;
    throw new ServiceError({ status: 400, message: `"if": ${error.message}`, cause: error });
  }
}

type Values = ReadonlyMap<string, JsonValue>;

function evaluate(expr: CommonExpr, values: Values): JsonValue {
  switch (expr.kind) {
    case "primitiveLiteral":
      return typeof expr.value === "bigint" ? new ExactNumber(expr.text) : expr.value;
    case "memberExpr": {
      const [step] = expr.steps;
      const name = expr.root === undefined && expr.steps.length === 1 && step?.kind === "memberName"
        ? step.name
        : "";
      if (values.has(name)) return values.get(name)!;
      throw badRequest('"if" may refer to preceding requests only', expr.offset);
    }
    case "notExpr": {
      const value = evaluate(expr.expr, values);
      return value === null ? null : value !== true;
    }
    case "negateExpr":
      return -Number(evaluate(expr.expr, values));
    case "binaryExpr":
      return evaluateBinary(expr, values);
    default:
      throw notImplemented('This kind of expression in "if"', expr.offset);
  }
}

function evaluateBinary({ operator, left, right, offset }: BinaryExpr, values: Values): JsonValue {
  const first = evaluate(left, values);
  switch (operator) {
    case "and":
      return first === true && evaluate(right, values) === true;
    case "or":
      return first === true || evaluate(right, values) === true;
    case "in":
      if (right.kind !== "listExpr" && right.kind !== "array") break;
      return right.items.some((item) => compare(first, evaluate(item, values)) === 0);
    case "eq":
      return compare(first, evaluate(right, values)) === 0;
    case "ne":
      return compare(first, evaluate(right, values)) !== 0;
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return isOrdered(operator, compare(first, evaluate(right, values)));
  }
  throw notImplemented(`"${operator}" in "if"`, offset);
}

function isOrdered(operator: "lt" | "le" | "gt" | "ge", order: number | undefined): boolean {
  if (order === undefined) return false;
  if (operator === "lt") return order < 0;
  if (operator === "le") return order <= 0;
  return operator === "gt" ? order > 0 : order >= 0;
}

/** Below 0, 0 or above 0; undefined for values without order between them. */
function compare(left: JsonValue, right: JsonValue): number | undefined {
  const [a, b] = [left, right].map((value) => value instanceof ExactNumber ? Number(value.text) : value);
  if (a === null && b === null) return 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return undefined;
}
