/**
 * The operator `has`: flags of an enumeration (OData 4.01 Part 2, section 5.1.1.1.9).
 *
 * @module
 */

import type { Expression, Xo } from "../../../cqn/cqn.ts";
import type { CommonExpr, PrimitiveLiteral } from "../../url/ast.ts";
import { convertLiteral } from "./literal_values.ts";
import { badRequest } from "../plan_error.ts";
import { groupOf, type Typed } from "../scope.ts";

/** Flags are bits of an integer. */
const MOST_BITS = 31;

/**
 * Plans `has`: every flag of the right side is set in the left one; of enumerations of texts, both are equal.
 *
 * @param left the value with flags
 * @param right a literal, aliases resolved
 * @returns the condition; unknown when the left side is null
 * @throws {ServiceError} 400 when the right side is no member of the enumeration
 */
export function planHas(left: Typed, right: CommonExpr): Xo[] {
  const element = left.type?.element;
  if (!left.type || element?.$type.enum === undefined) {
    throw badRequest('The operator "has" needs an enumeration', right.offset);
  }
  if (right.kind !== "primitiveLiteral" || right.value === null) {
    throw badRequest("A member of the enumeration is expected", right.offset);
  }
  const values = String(right.value).split(",").map((name) =>
    convertLiteral(memberLiteral(right, name.trim()), left.type)
  );
  if (groupOf(left.type) !== "number") {
    return values.flatMap((val, index): Xo[] => [...and(index), left.expr, "=", { val: val as string }]);
  }
  const tooGreat = values.some((value) => Number(value) < 0 || Number(value) >= 2 ** MOST_BITS);
  if (tooGreat) throw badRequest(`Flags have at most ${MOST_BITS} bits`, right.offset);
  const flags = values.reduce<number>((all, value) => all | Number(value), 0);
  const bits = Array.from({ length: MOST_BITS }, (_, index) => 2 ** index).filter((bit) => flags & bit);
  if (bits.length === 0) return [left.expr, "!=", { val: null }];
  return bits.flatMap((bit, index): Xo[] => [...and(index), isSet(left.expr, bit), "=", { val: 1 }]);
}

function and(index: number): Xo[] {
  return index === 0 ? [] : ["and"];
}

function isSet(value: Expression, bit: number): Expression {
  return { func: "mod", args: [{ func: "div", args: [value, { val: bit }] }, { val: 2 }] };
}

/** A name or number of the list as a literal of its own. */
function memberLiteral(literal: PrimitiveLiteral, value: string): PrimitiveLiteral {
  return { ...literal, type: "Edm.Enum", value };
}
