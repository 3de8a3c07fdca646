/**
 * Expressions that columns take their values from.
 *
 * @module
 */

import { call, cast, isBound, literal, numeral } from "../../algebra/build.ts";
import type { Expr } from "../../algebra/tree.ts";
import type { Scalar } from "../../cqn/cqn.ts";
import { INTEGER_TYPES, NUMBER_TYPES } from "../../model/builtin_types.ts";
import type { FlatElement } from "../../model/linked.ts";
import { WHOLE_RANGES } from "../../model/values/text_forms.ts";
import { booleanOf } from "../../util/boolean_of.ts";
import { isTemporal } from "../../util/temporal_text.ts";
import { sqlValue } from "../write/sql_value.ts";
import { asText, BEYOND_INT64, converted, type Place } from "./conversions.ts";
import { isText } from "./value_type.ts";

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
export function assigned(expression: Expr, column: FlatElement, place: Place): Expr {
  const { type } = column;
  if (expression.kind === "literal") return literalOf(expression.val, column);
  const lowered = place.lowering.expression(expression, place.scope);
  if (isBound(lowered)) {
    const isFormed = type.builtin !== undefined && !type.items && !type.extended;
    return isFormed
      ? limited({ ...lowered, form: { type: type.builtin!, name: column.name } }, column)
      : lowered;
  }
  const isTextOf = isText(type.builtin) && lowered.type !== undefined && !isText(lowered.type);
  return held(isTextOf ? asText(lowered) : lowered, lowered.type, column);
}

/** A value of the query itself. */
function literalOf(val: unknown, column: FlatElement): Expr {
  const value = sqlValue(val, column);
  const isFlag = column.type.builtin === "cds.Boolean" && value !== null;
  return literal((isFlag ? booleanOf(value)! : value) as Scalar);
}

/**
 * A lowered value in the form of a column, refused where it is too large or too long.
 *
 * @param lowered the value
 * @param from its built-in type, if it is known
 * @param column takes it
 */
export function held(lowered: Expr, from: string | undefined, column: FlatElement): Expr {
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
export function inForm(lowered: Expr, from: string | undefined, { type }: FlatElement): Expr {
  const { builtin, scale, items } = type;
  if (builtin === undefined || items || (from !== undefined && isText(from))) return lowered;
  if (from === "cds.Boolean" && NUMBER_TYPES.has(builtin)) return call("$flag_number", [lowered]);
  if (INTEGER_TYPES.has(builtin)) {
    return INTEGER_TYPES.has(from) ? lowered : cast(call("$trunc", [lowered]), { type: "cds.Int64" });
  }
  if (builtin === "cds.Decimal" && typeof scale === "number" && !INTEGER_TYPES.has(from)) {
    return call("$scaled", [lowered, numeral(scale)]);
  }
  const isKnown = from !== undefined && (isTemporal(builtin) || builtin === "cds.Boolean");
  return isKnown ? converted({ ...lowered, type: from }, builtin) : lowered;
}

function limited(value: Expr, { type }: FlatElement): Expr {
  const { builtin = "", length, precision, scale, items } = type;
  if (items) return value;
  if (INTEGER_TYPES.has(builtin)) {
    const range = WHOLE_RANGES[builtin];
    const [below, above] = range ? [String(range[0] - 1), String(range[1] + 1)] : BEYOND_INT64;
    return call("$fits_whole", [value, numeral(below), numeral(above)]);
  }
  if (builtin === "cds.Decimal" && precision !== undefined && typeof scale === "number") {
    const end = `1${"0".repeat(precision - scale)}`;
    return call("$fits_decimal", [value, numeral(`-${end}`), numeral(end)]);
  }
  return builtin === "cds.String" && length !== undefined
    ? call("$fits_text", [value, numeral(String(length))])
    : value;
}
