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

function fractionDigits(value: number): number {
  if (Number.isInteger(value)) return 0;
  const [digits, exponent = "0"] = String(value).split("e");
  return Math.max(0, (digits.split(".")[1]?.length ?? 0) - Number(exponent));
}
