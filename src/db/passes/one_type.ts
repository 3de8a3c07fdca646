/**
 * Values of which one is chosen or compared with the other have one type: databases differ in what they do with others.
 *
 * @module
 */

import { isBound, literal } from "../../algebra/build.ts";
import type { Case, Expr } from "../../algebra/tree.ts";
import type { Scalar } from "../../cqn/cqn.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import { comparedValue } from "../compared_value.ts";
import { castTo } from "./conversions.ts";
import { commonType, isLiteral, typeOfChoice } from "./value_type.ts";

/**
 * Lowered values of which one is chosen, with one type: literals take that of the others, and values of different types
 * become texts.
 *
 * @returns the same values where they have one, or it is not known
 */
export function withOneType(values: readonly Expr[]): readonly Expr[] {
  const type = commonType(values);
  return type === undefined ? values : values.map((value) => ofType(value, type));
}

/**
 * The lowered arguments of `nullif`: a literal has the type of the value that it is compared with.
 *
 * @throws ServiceError 400 for a literal that is no value of the type
 */
export function withComparedLiteral(args: readonly Expr[]): readonly Expr[] {
  const [value, other, ...more] = args;
  const isFormed = other !== undefined && isLiteral(other) && other.val !== null &&
    other.literal !== "number";
  return value?.type !== undefined && isFormed ? [value, ofType(other, value.type), ...more] : args;
}

function ofType(value: Expr, type: string): Expr {
  if (isBound(value)) return NUMBER_TYPES.has(type) ? value : { ...value, form: { type } };
  if (isLiteral(value)) {
    const val = comparedValue(value.val, { type }) as Scalar;
    return val === value.val ? value : { ...literal(val), type };
  }
  const own = value.type;
  if (own === undefined || own === type || (NUMBER_TYPES.has(own) && NUMBER_TYPES.has(type))) return value;
  return castTo(value, type);
}

/** A case, lowered, whose values have one type. */
export function withOneTypeOfCase(given: Case): Case {
  const { branches, otherwise } = given;
  const values = withOneType([...branches.map(({ then }) => then), ...(otherwise ? [otherwise] : [])]);
  return {
    ...given,
    branches: branches.map((branch, at) => ({ ...branch, then: values[at]! })),
    ...(otherwise && { otherwise: values.at(-1)! }),
    type: typeOfChoice(values),
  };
}
