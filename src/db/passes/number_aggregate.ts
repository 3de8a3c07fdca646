/**
 * Aggregates that calculate with numbers.
 *
 * @module
 */

import { call, cast, NULL } from "../../algebra/build.ts";
import type { Call, Expr } from "../../algebra/tree.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import { refuseValue } from "../write/refuse_value.ts";
import { stepName } from "./scope.ts";

const SUMS: ReadonlySet<string> = new Set(["sum", "avg", "average"]);
const EXTREMES: ReadonlySet<string> = new Set(["min", "max"]);

/**
 * An aggregate of truth values as one of numbers, a sum of nothing but null as one of a number that is null. What is no number
 * has no sum: some engines would take it for zero.
 *
 * @param aggregate the call, lowered
 * @param given its first argument, not lowered
 * @throws ServiceError 400 for sums and averages of what is no number
 */
export function numberAggregate(
  aggregate: Call,
  given: Expr | "*" | undefined,
): Expr & { kind: "call" | "cast" } {
  const isSum = SUMS.has(aggregate.func);
  const isExtreme = EXTREMES.has(aggregate.func);
  const [arg, ...others] = aggregate.args ?? [];
  if (!(isSum || isExtreme) || typeof arg !== "object" || others.length > 0) return aggregate;
  if (isSum && arg.kind === "literal" && arg.val === null) {
    return { ...aggregate, args: [cast(NULL, { type: "cds.Decimal" })] };
  }
  if (arg.type !== "cds.Boolean") {
    if (isSum && arg.type !== undefined && !NUMBER_TYPES.has(arg.type)) refuse(given);
    return aggregate;
  }
  const numbers: Call = { ...aggregate, args: [call("$flag_number", [arg])], type: undefined };
  return isExtreme ? cast(numbers, { type: "cds.Boolean" }) : numbers;
}

function refuse(given: Expr | "*" | undefined): never {
  const arg = typeof given === "object" ? given : undefined;
  const name = arg?.kind === "reference" ? arg.ref.map(stepName).join(".") : undefined;
  const value = arg?.kind === "literal" ? arg.val : "The value";
  return refuseValue(name ?? value, { name, type: { builtin: "Number" } });
}
