/**
 * Whole units of time between two instants, without what is left of the last one: `days_between` and the like.
 *
 * @module
 */

/** By the name of the function: from the first instant to the second, negative where that is earlier. */
export const TIME_BETWEEN: Readonly<Record<string, (from: unknown, to: unknown) => bigint>> = {
  years_between: (from, to) => monthsBetween(from, to) / 12n,
  months_between: monthsBetween,
  days_between: (from, to) => millisecondsBetween(from, to) / 86_400_000n,
  seconds_between: (from, to) => millisecondsBetween(from, to) / 1000n,
  nano100_between: (from, to) => millisecondsBetween(from, to) * 10_000n,
};

/** A date alone begins at midnight. */
function instant(value: unknown): Date {
  return new Date(String(value));
}

function millisecondsBetween(from: unknown, to: unknown): bigint {
  return BigInt(instant(to).getTime()) - BigInt(instant(from).getTime());
}

/** A month is over on the same day at the same time of day. */
function monthsBetween(from: unknown, to: unknown): bigint {
  const [start, end] = [instant(from), instant(to)];
  const months = monthOf(end) - monthOf(start);
  const rest = restOf(end) - restOf(start);
  if (months > 0 && rest < 0) return BigInt(months - 1);
  return BigInt(months < 0 && rest > 0 ? months + 1 : months);
}

function monthOf(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Day and time of day in milliseconds. */
function restOf(date: Date): number {
  return date.getTime() - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}
