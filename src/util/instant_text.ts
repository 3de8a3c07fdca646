/**
 * Instants as text, exact or in whole units.
 *
 * @module
 */

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
