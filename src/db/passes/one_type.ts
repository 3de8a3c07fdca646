/**
 * Values of which one is chosen or compared with the other have one type: databases differ in what they do with others.
 *
 * @module
 */

import { COMPARISONS } from "../../cqn/comparisons.ts";
import type { Expression, Scalar, Xo } from "../../cqn/cqn.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import { comparedValue } from "../compared_value.ts";
import type { TokenPlace } from "./arithmetic.ts";
import { isBound } from "./references.ts";
import type { FormedReference } from "./stored_form.ts";
import { branchPlaces, builtinOf, commonType, isLiteral, type OneType } from "./value_type.ts";

/** Types that are compared as instants. */
const INSTANTS: ReadonlySet<unknown> = new Set(["cds.Date", "cds.DateTime", "cds.Timestamp"]);

/**
 * Values of which one is chosen, with one type: literals take that of the others, and values of different types become
 * texts.
 *
 * @param values the values, not lowered
 * @param place what their names refer to
 * @returns the same values where they have one, or it is not known
 */
export function withOneType(values: readonly Expression[], place: TokenPlace): readonly Expression[] {
  const type = commonType(values, place);
  return type === undefined ? values : values.map((value) => ofType(value, type, place));
}

/**
 * The arguments of `nullif`: a literal has the type of the value that it is compared with.
 *
 * @param args both, not lowered
 * @param place what their names refer to
 * @throws ServiceError 400 for a literal that is no value of the type
 */
export function withComparedLiteral(
  [value, other, ...more]: readonly Expression[],
  place: TokenPlace,
): readonly Expression[] {
  const type = value && builtinOf(value, place);
  const isFormed = other !== undefined && isLiteral(other) && other.val !== null &&
    other.literal !== "number";
  return type !== undefined && isFormed
    ? [value!, ofType(other, type, place), ...more]
    : [value, other, ...more].filter((arg) => arg !== undefined);
}

function ofType(value: Expression, type: OneType, place: TokenPlace): Expression {
  if (isBound(value)) return NUMBER_TYPES.has(type) ? value : { ...value, form: { type } } as FormedReference;
  if (isLiteral(value)) {
    const val = comparedValue(value.val, { type }) as Scalar;
    return val === value.val ? value : { val };
  }
  const own = builtinOf(value, place);
  if (own === undefined || own === type || (NUMBER_TYPES.has(own) && NUMBER_TYPES.has(type))) return value;
  return cast(value, type);
}

function cast(value: Expression, type: string): Expression {
  return { xpr: [value], cast: { type } } as Expression; // a cast may stand beside
}

/**
 * A case whose values have one type.
 *
 * @param tokens operands and operators
 * @param place what their names refer to
 * @returns the same tokens where there is none
 */
export function withOneTypeOfCase(tokens: readonly Xo[], place: TokenPlace): readonly Xo[] {
  if (tokens[0] !== "case" || tokens.indexOf("end") !== tokens.length - 1) return tokens;
  const places = branchPlaces(tokens);
  if (places === undefined) return tokens;
  const values = withOneType(places.map((at) => tokens[at] as Expression), place);
  const result = [...tokens];
  for (const [index, at] of places.entries()) result[at] = values[index]!;
  return result;
}

/**
 * Comparisons of days, seconds and instants with each other, all as instants.
 *
 * @param tokens operands and operators
 * @param place what their names refer to
 * @returns the same tokens where there are none
 */
export function withSameInstants(tokens: readonly Xo[], place: TokenPlace): readonly Xo[] {
  let result = tokens;
  for (const [at, operator] of tokens.entries()) {
    const [left, right] = [tokens[at - 1], tokens[at + 1]];
    if (!COMPARISONS.has(operator) || !isTyped(left) || !isTyped(right)) continue;
    const [one, other] = [builtinOf(left, place), builtinOf(right, place)];
    if (one === other || !INSTANTS.has(one) || !INSTANTS.has(other)) continue;
    const instants = [left, operator, right].map((token, index) =>
      index === 1 ? token! : cast(token as Expression, "cds.Timestamp")
    );
    result = [...result.slice(0, at - 1), ...instants, ...result.slice(at + 2)];
  }
  return result;
}

/** Something that is neither a literal, which takes the form of what is beside it, nor a query. */
function isTyped(token: Xo | undefined): token is Expression {
  return typeof token === "object" && !isBound(token) && !isLiteral(token) && !("SELECT" in token);
}
