/**
 * Days of the calendar.
 *
 * @module
 */

const ZERO = 0x30;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether the day that a text begins with is one of its month, in the calendar of today for all years (ISO 8601).
 *
 * @param text begins with `YYYY-MM-DD`, all of them digits; the year may have more, and a minus before it
 */
export function isRealDay(text: string): boolean {
  const end = text.indexOf("-", 4); // of the year
  const month = twoDigits(text, end + 1);
  const day = twoDigits(text, end + 4);
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]) return false;
  return month !== 2 || day < 29 || isLeapYear(Number(text.slice(0, end)));
}

/** The number that two digits are. */
function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
