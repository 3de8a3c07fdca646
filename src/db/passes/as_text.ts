/**
 * Values that become text: what they are joined with, and casts.
 *
 * @module
 */

import { call, literal } from "../../algebra/build.ts";
import type { Expr } from "../../algebra/tree.ts";
import { plainDecimal } from "../../util/plain_decimal.ts";
import { numberKind } from "./value_type.ts";

/** Functions that give the text which a value has on all databases, by type. */
const TEXTS: Readonly<Record<string, string | undefined>> = {
  "cds.Decimal": "$decimal_text",
  "cds.DecimalFloat": "$decimal_text",
  "cds.Boolean": "$boolean_text",
  "cds.DateTime": "$datetime_text",
  "cds.Timestamp": "$timestamp_text",
  "cds.Date": "$plain_text",
  "cds.Time": "$plain_text",
};

/** A lowered value as it is joined with texts. */
export function asText(value: Expr): Expr {
  if (value.kind === "literal" && typeof value.val !== "boolean") {
    const isNumber = typeof value.val === "number" || typeof value.val === "bigint";
    return isNumber ? literal(plainDecimal(String(value.val))) : value;
  }
  if (value.kind === "parameter") return value;
  const func = numberKind(value) === "whole"
    ? "$plain_text"
    : value.type === undefined
    ? undefined
    : TEXTS[value.type];
  return func === undefined ? value : call(func, [value], { type: "cds.String" });
}
