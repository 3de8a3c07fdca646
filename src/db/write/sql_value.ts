/**
 * Values of rows as values that databases bind.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { FlatElement } from "../../model/linked.ts";
import { decodeBase64 } from "../../util/bytes.ts";
import { booleanOf } from "../../util/boolean_of.ts";
import { isTemporal, temporalText, type TemporalType } from "../../util/temporal_text.ts";
import { numberValue, refuseValue } from "./number_value.ts";
import { isRealDay } from "../../util/is_real_day.ts";
import { isUnstorable } from "../../util/unstorable_text.ts";

const FORMS: Readonly<Record<TemporalType, RegExp>> = {
  "cds.Timestamp": /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
  "cds.DateTime": /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/,
  "cds.Date": /^\d{4}-\d\d-\d\d$/,
  "cds.Time": /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
};

/**
 * Whether a text is a value of a type, in the form that databases hold.
 *
 * @param text any text
 * @param type the type
 */
export function isTemporalText(text: string, type: TemporalType): boolean {
  // in UTC, instants of real days are real
  return FORMS[type].test(text) && (type === "cds.Time" || isRealDay(text));
}

/** What a driver binds. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/**
 * The value to bind for an element.
 *
 * @param value a value as rows have it
 * @param column gives the type
 * @throws TypeError for values no column can hold
 * @throws ServiceError 400 for text that databases cannot keep, and for what is no value of the type of the element or has more digits
 *   or characters than declared: what checks of input did not see ends here, on each engine the same way
 */
export function sqlValue(value: unknown, column?: FlatElement): SqlValue {
  if (value === null || value === undefined) return null;
  const type = column?.type;
  const builtin = type?.builtin;
  if (type?.items || builtin === "cds.Map") return JSON.stringify(value);
  if (builtin === "cds.Boolean") return flagOf(value, column);
  switch (typeof value) {
    case "boolean":
      return column ? flagIn(value, column) : value ? 1 : 0;
    case "string":
      if (isUnstorable(value)) {
        throw new ServiceError({ status: 400, code: "ASSERT_CHARACTERS", target: column?.name });
      }
      if (column && BYTES.has(builtin)) return bytesOf(value) ?? refuseValue(value, column);
      if (column === undefined) return value;
      if (TEXT_LENGTHS.has(builtin)) return shortText(value, column);
      if (isTemporal(builtin)) return temporalValue(value, builtin, column);
      return numberValue(value, column);
    case "number":
      if (Number.isNaN(value)) return column === undefined ? "NaN" : noNumber(column); // SQLite would make it null
      return column ? numberOf(value, column) : value;
    case "bigint":
      return column ? numberOf(value, column) : value;
  }
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date) {
    return isTemporal(builtin) ? temporalValue(value, builtin, column!) : value.toISOString();
  }
  throw new TypeError(
    `A value of type ${typeof value} cannot be stored in "${column?.element ?? "a column"}"`,
  );
}

const BYTES: ReadonlySet<string | undefined> = new Set(["cds.Binary", "cds.LargeBinary"]);

/** Types of texts, with the most characters of those that have no other length. */
const TEXT_LENGTHS: ReadonlyMap<string | undefined, number> = new Map([
  ["cds.String", Infinity],
  ["cds.LargeString", Infinity],
  ["cds.UUID", 36],
]);

/** A text with no more characters than declared; a surrogate pair is one. */
function shortText(text: string, column: FlatElement): string {
  const { builtin, length = TEXT_LENGTHS.get(builtin)! } = column.type;
  return text.length <= length || [...text].length <= length ? text : refuseValue(text, column);
}

function temporalValue(value: string | Date, builtin: TemporalType, column: FlatElement): string {
  const isKnown = typeof value === "string" || !Number.isNaN(value.getTime());
  const text = isKnown ? temporalText(value, builtin) : "";
  return isTemporalText(text, builtin) ? text : refuseValue(value, column);
}

/** A number, which is text in an element that is one, and no instant or day. */
function numberOf(value: number | bigint, column: FlatElement): string | number | bigint {
  const { builtin } = column.type;
  if (TEXT_LENGTHS.has(builtin)) return shortText(String(value), column);
  return isTemporal(builtin) || BYTES.has(builtin) ? refuseValue(value, column) : numberValue(value, column);
}

function noNumber(column: FlatElement): string {
  return column.type.builtin === "cds.Double" ? "NaN" : refuseValue(NaN, column);
}

function flagOf(value: unknown, column: FlatElement | undefined): 0 | 1 {
  const found = booleanOf(value);
  if (found !== undefined) return found ? 1 : 0;
  return refuseValue(value, column ?? { type: { builtin: "cds.Boolean" } });
}

/** A truth value in an element that is none. */
function flagIn(value: boolean, column: FlatElement): SqlValue {
  return TEXT_LENGTHS.has(column.type.builtin)
    ? shortText(String(value), column)
    : numberOf(value ? 1 : 0, column);
}

/**
 * The bytes of a text in base64: both alphabets, padding optional.
 *
 * @param text as rows have it for elements of type Binary
 * @returns undefined where it is no base64
 */
export function bytesOf(text: string): Uint8Array | undefined {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/").replace(/[\s=]+/g, "");
  const isWhole = /^[A-Za-z0-9+/]*$/.test(base64) && base64.length % 4 !== 1;
  return isWhole ? decodeBase64(base64) : undefined;
}
