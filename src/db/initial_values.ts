/**
 * Values of elements in texts of files.
 *
 * @module
 */

import { isFilledOn } from "../model/filled_on.ts";
import type { FlatElement } from "../model/linked.ts";
import { isRealDay } from "../util/is_real_day.ts";
import { jsonOr } from "../util/json_text.ts";
import { temporalText, type TemporalType } from "../util/temporal_text.ts";

/** What values of a type look like, where its name leaves that open. */
const FORMS: Readonly<Record<string, string>> = {
  "cds.Boolean": "true or false",
  "cds.Date": "a date like 2026-12-31",
  "cds.Time": "a time like 13:45:00",
  "cds.DateTime": "an instant like 2026-12-31T13:45:00Z",
  "cds.Timestamp": "an instant like 2026-12-31T13:45:00Z",
  "cds.Decimal": "a number like 12.34",
  "cds.Double": "a number like 12.34",
  "cds.Integer": "a whole number",
  "cds.Integer64": "a whole number",
};

/** What is wrong with a text that is no value of an element, and what would be one. */
export function noValue(found: string, { name, element }: FlatElement): string {
  const { builtin = "" } = element.$type;
  return `"${found}" is not a value of "${name}", expected ${FORMS[builtin] ?? builtin.replace("cds.", "")}`;
}

/** Whether nothing fills what is null. */
export function isWanted({ key, element, annotated }: FlatElement): boolean {
  if (key) return element.$type.builtin !== "cds.UUID" && annotated.default === undefined;
  return annotated.notNull === true && !isFilledOn(annotated, "insert");
}

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Whether the type of a column lists its values, and not this one. */
export function isOutsideOfEnum(value: unknown, { element }: FlatElement): boolean {
  const symbols = element.$type.enum;
  if (symbols === undefined || value === null) return false;
  return !Object.entries(symbols).some(([name, { val = name }]) => String(val) === String(value));
}

/** The value of a field; an empty one is null; undefined if it does not fit the type. */
export function toValue(text: string, { element }: FlatElement): unknown {
  if (text === "") return null;
  const { builtin, items } = element.$type;
  if (items || builtin === "cds.Map") return jsonOr(text, undefined);
  switch (builtin) {
    case "cds.Boolean":
      return /^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : undefined;
    case "cds.UInt8":
    case "cds.Int16":
    case "cds.Int32":
    case "cds.Integer":
      return INTEGER.test(text) ? Number(text) : undefined;
    case "cds.Int64":
    case "cds.Integer64":
    case "cds.Decimal":
      return NUMBER.test(text) ? exact(text) : undefined;
    case "cds.Double":
      return NUMBER.test(text) ? Number(text) : undefined;
    case "cds.Date":
    case "cds.Time":
    case "cds.DateTime":
    case "cds.Timestamp":
      return temporalOrUndefined(text, builtin);
    default:
      return text;
  }
}

/** Forms are those of databases; a day has to be one of its month. */
function temporalOrUndefined(text: string, type: TemporalType): string | undefined {
  const value = temporalText(text, type);
  if (type === "cds.Time") return /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(value) ? value : undefined;
  const isDay = /^\d{4}-\d\d-\d\d/.test(value) && isRealDay(value);
  const isInstant = type === "cds.Date"
    ? value.length === 10
    : !Number.isNaN(Date.parse(value)) && value.endsWith("Z");
  return isDay && isInstant ? value : undefined;
}

/** A number, or the text itself where a number would lose digits. */
function exact(text: string): number | string {
  const digits = text.replace(/[^\d]/g, "").replace(/^0+/, "");
  return digits.length <= 15 ? Number(text) : text;
}
