/**
 * Instants, days and times of day that elements can hold.
 *
 * @module
 */

import { isKnownInstant, isRealDay } from "../../util/is_real_day.ts";
import type { TemporalType } from "../../util/temporal_text.ts";

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
  if (!FORMS[type].test(text)) return false;
  if (type === "cds.Time") return true;
  return isRealDay(text) && (type === "cds.Date" || isKnownInstant(new Date(text)));
}
