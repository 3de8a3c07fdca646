/**
 * Expressions that columns take their values from.
 *
 * @module
 */

import type { Expression, Scalar } from "../../cqn/cqn.ts";
import { INTEGER_TYPES, NUMBER_TYPES } from "../../model/builtin_types.ts";
import type { FlatElement } from "../../model/linked.ts";
import { WHOLE_RANGES } from "../../model/values/text_forms.ts";
import { booleanOf } from "../../util/boolean_of.ts";
import { isTemporal } from "../../util/temporal_text.ts";
import { sqlValue } from "../write/sql_value.ts";
import type { TokenPlace } from "./arithmetic.ts";
import { asText } from "./as_text.ts";
import { BEYOND_INT64, converted } from "./conversions.ts";
import { isBound } from "./references.ts";
import type { FormedReference } from "./stored_form.ts";
import { isText } from "./type_of.ts";
import { builtinOf } from "./value_type.ts";

/**
 * Lowers an expression for a column: whole numbers lose the fraction, as with a cast, decimals have the digits behind the
 * point that are declared, days and instants become one another. Not all databases see to that themselves, nor do all
 * refuse what is too large or too long.
 *
 * @param expression any expression
 * @param column takes its value
 * @param place what its names refer to
 * @throws ServiceError 400 for literals that the column cannot hold
 */
export function assigned(expression: Expression, column: FlatElement, place: TokenPlace): Expression {
  const [only, ...others] = "xpr" in expression && !("func" in expression) && !("cast" in expression)
    ? expression.xpr
    : [];
  if (typeof only === "object" && others.length === 0) return assigned(only, column, place);
  const { type } = column;
  if ("val" in expression && !("cast" in expression)) return literal(expression.val, column);
  const lowered = place.lowering.expression(expression, place.scope);
  if (isBound(expression)) {
    const isFormed = type.builtin !== undefined && !type.items && !type.extended;
    return isFormed
      ? limited({ ...lowered, form: { type: type.builtin, name: column.name } } as FormedReference, column)
      : lowered;
  }
  const from = builtinOf(expression, place);
  const isTextOf = isText(type.builtin) && from !== undefined && !isText(from);
  return held(isTextOf ? asText(expression, lowered, place) : lowered, from, column);
}

/** A value of the query itself. */
function literal(val: unknown, column: FlatElement): Expression {
  const value = sqlValue(val, column);
  const isFlag = column.type.builtin === "cds.Boolean" && value !== null;
  return { val: (isFlag ? booleanOf(value)! : value) as Scalar };
}

/**
 * A lowered value in the form of a column, refused where it is too large or too long.
 *
 * @param lowered the value
 * @param from its built-in type, if it is known
 * @param column takes it
 */
export function held(lowered: Expression, from: string | undefined, column: FlatElement): Expression {
  if (from === "cds.Boolean") return inForm(lowered, from, column);
  // a number loses its fraction behind the check: a cast to whole numbers would bring it into their range
  return INTEGER_TYPES.has(column.type.builtin)
    ? inForm(limited(lowered, column), from, column)
    : limited(inForm(lowered, from, column), column);
}

/**
 * A lowered value in the form of a column.
 *
 * @param lowered the value
 * @param from its built-in type, if it is known
 * @param column takes it
 */
export function inForm(lowered: Expression, from: string | undefined, { type }: FlatElement): Expression {
  const { builtin, scale, items } = type;
  if (builtin === undefined || items || (from !== undefined && isText(from))) return lowered;
  if (from === "cds.Boolean" && NUMBER_TYPES.has(builtin)) return { func: "$flag_number", args: [lowered] };
  if (INTEGER_TYPES.has(builtin)) {
    if (INTEGER_TYPES.has(from)) return lowered;
    return Object.assign({ func: "$trunc", args: [lowered] }, { cast: { type: "cds.Int64" } });
  }
  if (builtin === "cds.Decimal" && typeof scale === "number" && !INTEGER_TYPES.has(from)) {
    return { func: "$scaled", args: [lowered, { val: scale, literal: "number" }] };
  }
  const isKnown = from !== undefined && (isTemporal(builtin) || builtin === "cds.Boolean");
  return isKnown ? converted(lowered, { from, to: builtin }) : lowered;
}

function limited(value: Expression, { type }: FlatElement): Expression {
  const { builtin = "", length, precision, scale, items } = type;
  if (items) return value;
  if (INTEGER_TYPES.has(builtin)) {
    const range = WHOLE_RANGES[builtin];
    const [below, above] = range ? [String(range[0] - 1), String(range[1] + 1)] : BEYOND_INT64;
    return { func: "$fits_whole", args: [value, numeral(below), numeral(above)] };
  }
  if (builtin === "cds.Decimal" && precision !== undefined && typeof scale === "number") {
    const end = `1${"0".repeat(precision - scale)}`;
    return { func: "$fits_decimal", args: [value, numeral(`-${end}`), numeral(end)] };
  }
  return builtin === "cds.String" && length !== undefined
    ? { func: "$fits_text", args: [value, numeral(String(length))] }
    : value;
}

function numeral(val: string): Expression {
  return { val, literal: "number" };
}
