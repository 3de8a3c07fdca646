/**
 * Days of the calendar.
 *
 * @module
 */

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether the day that a text begins with is one of its month.
 *
 * @param text begins with `YYYY-MM-DD`, all of them digits
 */
export function isRealDay(text: string): boolean {
  const [month, day] = [Number(text.slice(5, 7)), Number(text.slice(8, 10))];
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]) return false;
  return month !== 2 || day < 29 || isLeapYear(Number(text.slice(0, 4)));
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
