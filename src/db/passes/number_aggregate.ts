/**
 * Aggregates that calculate with numbers.
 *
 * @module
 */

import type { Expression, FunctionExpression } from "../../cqn/cqn.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import { refuseValue } from "../write/refuse_value.ts";
import type { TokenPlace } from "./arithmetic.ts";
import { isBound } from "./references.ts";
import { stepName } from "./scope.ts";
import { builtinOf } from "./value_type.ts";

const SUMS: ReadonlySet<string> = new Set(["sum", "avg", "average"]);
const EXTREMES: ReadonlySet<string> = new Set(["min", "max"]);

/**
 * An aggregate of truth values as one of numbers, a sum of nothing but null as one of a number that is null. What is no number
 * has no sum: some engines would take it for zero.
 *
 * @param call the call, lowered
 * @param given its arguments, not lowered
 * @param place what their names refer to
 * @throws ServiceError 400 for sums and averages of what is no number
 */
export function numberAggregate(
  call: FunctionExpression,
  given: readonly unknown[] | undefined,
  place: TokenPlace,
): FunctionExpression {
  const isSum = SUMS.has(call.func);
  const isExtreme = EXTREMES.has(call.func);
  const [arg, ...others] = (given ?? []) as readonly (Expression | "*")[];
  if (!(isSum || isExtreme) || typeof arg !== "object" || others.length > 0) return call;
  if (isSum && "val" in arg && arg.val === null && !("cast" in arg)) {
    return { ...call, args: [{ val: null, cast: { type: "cds.Decimal" } } as Expression] };
  }
  const type = builtinOf(arg, place);
  if (type !== "cds.Boolean") {
    if (isSum && type !== undefined && !NUMBER_TYPES.has(type)) refuse(arg);
    return call;
  }
  const number: Expression = { func: "$flag_number", args: call.args as readonly Expression[] };
  return { ...call, args: [number], ...(isExtreme && { cast: { type: "cds.Boolean" } }) };
}

function refuse(arg: Expression): never {
  const name = "ref" in arg && !isBound(arg) ? arg.ref.map(stepName).join(".") : undefined;
  return refuseValue(name ?? ("val" in arg ? arg.val : "The value"), { name, type: { builtin: "Number" } });
}
