/**
 * Functions that stand for other expressions on all databases: `search`, `session_context` and `error`.
 *
 * @module
 */

import { call, compare, join, literal, NULL } from "../../algebra/build.ts";
import type { Call, Expr } from "../../algebra/tree.ts";
import { PSEUDO_VARIABLES } from "../../cqn/pseudo_variables.ts";
import { jsonRow, jsonValue } from "./json_row.ts";
import type { OutputColumn } from "./scope.ts";

/** What an argument becomes, by the lowering that replaces the call. */
type Lower = (expression: Expr) => Expr;

/**
 * What stands for a call.
 *
 * @param given the call, not lowered
 * @param lower lowers its arguments
 * @returns undefined for functions of the database
 */
export function replacedCall({ func, args = [] }: Call, lower: Lower): Expr | undefined {
  const values = args.filter((arg) => arg !== "*");
  switch (func.toLowerCase()) {
    case "search":
      return values.length === 2 ? searched(values[0]!, lower(values[1]!), lower) : undefined;
    case "session_context":
      return sessionValue(values);
    case "error":
      return errorObject(values, lower);
  }
  return undefined;
}

/** `search((a, b), term)`: one of the texts holds the term in any case. */
function searched(texts: Expr, term: Expr, lower: Lower): Expr {
  const found = entriesOf(texts).map((text) => call("$found", [lower(text), term], { type: "cds.Boolean" }));
  return found.length > 0 ? join("or", found) : compare(literal(1), "=", literal(0));
}

/** `session_context('$user.locale')`: a pseudo variable by its name. */
function sessionValue([name]: readonly Expr[]): Expr | undefined {
  if (name?.kind !== "literal" || typeof name.val !== "string") return undefined;
  const path = name.val.split(".");
  if (!PSEUDO_VARIABLES.has(path[0]!)) return undefined;
  return { kind: "variable", path, ...(path[0] === "$now" && { type: "cds.Timestamp" }) };
}

/** `error(message, (arguments), (targets))`: what an error is about, where targets are the paths of elements. */
function errorObject([message = NULL, args = NULL, targets = NULL]: readonly Expr[], lower: Lower): Expr {
  const text = lower(message);
  return jsonRow({ payload: false }, [
    { name: "message", expression: text, type: text.type },
    jsonList("args", entriesOf(args).map(lower)),
    jsonList("targets", entriesOf(targets).map(targetOf)),
  ]);
}

function targetOf(target: Expr): Expr {
  if (target.kind !== "reference") return target;
  return literal(target.ref.map((step) => typeof step === "string" ? step : step.id).join("/"));
}

function jsonList(name: string, values: readonly Expr[]): OutputColumn {
  if (values.length === 0) return { name, expression: NULL, type: undefined };
  const entries = values.map((expression) => jsonValue({ expression, type: expression.type }));
  return { name, expression: call("$json_list", entries), type: "cds.Map" };
}

function entriesOf(value: Expr): readonly Expr[] {
  if (value.kind === "list") return value.list;
  return value.kind === "literal" && value.val === null ? [] : [value];
}
