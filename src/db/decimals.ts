/**
 * Calculations with decimals in floating-point numbers, which hold 15 digits of them.
 *
 * @module
 */

const DIGITS = 15;

/**
 * The decimal that the result of a calculation stands for: `0.1 + 0.2` is `0.3`.
 *
 * @param value a number; anything else is given back
 */
export function toDecimal<T>(value: T): T | number {
  if (typeof value !== "number" || Number.isInteger(value) || !Number.isFinite(value)) return value;
  return Number(value.toPrecision(DIGITS));
}

/** The sum of two decimals, with as many digits behind the point as they have. */
export function decimalAdd(left: number, right: number): number {
  return withDigits(left + right, Math.max(fractionDigits(left), fractionDigits(right)));
}

/** The difference of two decimals. */
export function decimalSub(left: number, right: number): number {
  return decimalAdd(left, -right);
}

/** The product of two decimals, with all their digits behind the point. */
export function decimalMul(left: number, right: number): number {
  return withDigits(left * right, fractionDigits(left) + fractionDigits(right));
}

/**
 * The average of decimals.
 *
 * @param sum of all values
 * @param count of the values, which are some
 */
export function decimalAverage(sum: number, count: number): number {
  return toDecimal(sum / count);
}

/**
 * What is left of a division, with the sign of the dividend; null for a division by zero.
 *
 * @param dividend what is divided
 * @param divisor by what
 */
export function remainder(dividend: number, divisor: number): number | null {
  if (divisor === 0) return null;
  const factor = 10 ** Math.max(fractionDigits(dividend), fractionDigits(divisor));
  const [left, right] = [Math.round(dividend * factor), Math.round(divisor * factor)];
  const isExact = Number.isSafeInteger(left) && Number.isSafeInteger(right);
  // zero has no sign
  return (isExact ? (left % right) / factor : dividend % divisor) + 0;
}

/** More digits than a number holds say nothing, and larger numbers have none. */
function withDigits(value: number, digits: number): number {
  if (digits === 0 || Math.abs(value) >= 2 ** 53 || !Number.isFinite(value)) return value;
  return toDecimal(Number(value.toFixed(Math.min(digits, 100)))) + 0;
}

function fractionDigits(value: number): number {
  if (Number.isInteger(value)) return 0;
  const [digits, exponent = "0"] = String(value).split("e");
  return Math.max(0, (digits.split(".")[1]?.length ?? 0) - Number(exponent));
}
