/**
 * Instants, days and times of day in the one form that databases hold, so that they compare as text.
 *
 * @module
 */

/** What an element holds. */
export type TemporalType = "cds.Timestamp" | "cds.DateTime" | "cds.Date" | "cds.Time";

const INSTANT =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?)? ?(?:[Zz]|([+-]\d\d):?(\d\d)?)?$/;
const TIME = /^(\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?$/;

/** Whether a type is one of instants, days or times of day. */
export function isTemporal(type: string | undefined): type is TemporalType {
  return type === "cds.Timestamp" || type === "cds.DateTime" || type === "cds.Date" || type === "cds.Time";
}

/**
 * A value in UTC: `2024-02-29T12:00:00.000Z` of a Timestamp, `2024-02-29T12:00:00Z` of a
 * DateTime, `2024-02-29`, `12:00:00`. What is missing is zero, finer digits are cut off, an instant without zone is
 * one of UTC.
 *
 * @param value a `Date`, or text: an instant with or without zone, a day, a time of day
 * @param type the type of the element
 * @returns text that is none of these comes back as it is
 */
export function temporalText(value: string | Date, type: TemporalType): string {
  if (typeof value !== "string") return ofInstant(value.toISOString(), type);
  if (isCanonical(value, type)) return value;
  const time = type === "cds.Time" ? TIME.exec(value) : null;
  if (time) return `${time[1]}:${time[2] ?? "00"}`;
  const [found, day, minute = "00:00", second = "00", fraction = "", hours, minutes = "00"] =
    INSTANT.exec(value) ?? [];
  if (found === undefined) return value;
  const text = `${day}T${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}`;
  if (hours === undefined) return ofInstant(`${text}Z`, type);
  const instant = new Date(`${text}${hours}:${minutes}`);
  return Number.isNaN(instant.getTime()) ? value : ofInstant(instant.toISOString(), type);
}

/**
 * The text that a value is compared by: days, seconds and instants are all instants.
 *
 * @param value text of any form
 * @param type the type of the element that it is compared with
 */
export function comparedText(value: string, type: TemporalType): string {
  return temporalText(value, type === "cds.Time" ? type : "cds.Timestamp");
}

/** Most values are in their form already. */
function isCanonical(text: string, type: TemporalType): boolean {
  switch (type) {
    case "cds.Timestamp":
      return text.length === 24 && text[10] === "T" && text[19] === "." && text[23] === "Z";
    case "cds.DateTime":
      return text.length === 20 && text[10] === "T" && text[19] === "Z";
    case "cds.Date":
      return text.length === 10;
    case "cds.Time":
      return text.length === 8;
  }
}

/** The part of an instant that a type holds. */
function ofInstant(text: string, type: TemporalType): string {
  switch (type) {
    case "cds.Timestamp":
      return text;
    case "cds.DateTime":
      return `${text.slice(0, 19)}Z`;
    case "cds.Date":
      return text.slice(0, 10);
    case "cds.Time":
      return text.slice(11, 19);
  }
}

/** What an instant is rounded to. */
export type InstantUnit = "seconds" | "days";

const MILLISECONDS: Readonly<Record<InstantUnit, number>> = { seconds: 1000, days: 86_400_000 };
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * An instant as text.
 *
 * @param time the instant
 * @param unit what it is rounded to; milliseconds without
 * @param isUp rounded to the unit that begins next, where there is one; else to the one that it is in
 * @returns an instant, or a day
 */
export function instantText(time: Date, unit: InstantUnit | undefined, isUp: boolean): string {
  if (unit === undefined) return time.toISOString();
  const length = MILLISECONDS[unit];
  const begun = Math.floor(time.getTime() / length) * length;
  const next = Math.ceil(time.getTime() / length) * length;
  const text = new Date(isUp && next <= LAST ? next : begun).toISOString();
  return unit === "days" ? text.slice(0, 10) : text.replace(".000Z", "Z");
}
