/**
 * Days of the calendar that all databases know: those of the years 1 to 9999.
 *
 * @module
 */

const ZERO = 0x30;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether the day that a text begins with is one of its month, in the calendar of today for all years (ISO 8601), and
 * of a year of four digits, but for the year 0.
 *
 * @param text begins with `YYYY-MM-DD`, all of them digits; years of other forms are those of no real day
 */
export function isRealDay(text: string): boolean {
  if (text.indexOf("-", 1) !== 4 || text[0] === "-" || text.startsWith("0000")) return false;
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]) return false;
  return month !== 2 || day < 29 || isLeapYear(Number(text.slice(0, 4)));
}

/**
 * Whether an instant is one of the years 1 to 9999, in UTC.
 *
 * @param time the instant
 * @returns false for none at all, too
 */
export function isKnownInstant(time: Date): boolean {
  const at = time.getTime();
  return at >= FIRST && at <= LAST;
}

const FIRST = Date.parse("0001-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** The number that two digits are. */
function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
