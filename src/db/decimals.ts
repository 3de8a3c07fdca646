/**
 * Calculations with decimals in floating-point numbers, which hold 15 digits of them.
 *
 * @module
 */

import { plainDecimal } from "../util/plain_decimal.ts";
import { outOfRange } from "./statement_errors.ts";

/** Digits of a decimal that a floating-point number holds. */
export const DIGITS = 15;
/** More digits than whole numbers of 64 bits have. */
const MOST_DIGITS = 20;

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
 * The text of a decimal, without exponent.
 *
 * @param value a number
 */
export function decimalText(value: unknown): string {
  return plainDecimal(String(toDecimal(value)));
}

/**
 * A decimal with so many digits behind the point; a half goes away from zero.
 *
 * @param value a number; anything else is given back
 * @param places how many; less than zero: so many zeros before the point. A fraction of them is rounded the same way
 */
export function scaledTo<T>(value: T, places: number): T | number | bigint {
  const digits = roundedWhole(places);
  if (typeof value === "bigint") {
    return withZeros(value, 10n ** BigInt(Math.min(Math.max(-digits, 0), MOST_DIGITS)));
  }
  const decimal = toDecimal(value);
  if (typeof decimal !== "number" || !Number.isFinite(decimal) || fractionDigits(decimal) <= digits) {
    return decimal;
  }
  const [whole, exponent = "0"] = String(Math.abs(decimal)).split("e");
  const rounded = Math.round(Number(`${whole}e${Number(exponent) + digits}`));
  return Math.sign(decimal) * Number(`${rounded}e${-digits}`) + 0;
}

/**
 * The nearest whole number; a half goes away from zero.
 *
 * @param value any number
 */
export function roundedWhole(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

/** The nearest multiple of a power of ten. */
function withZeros(value: bigint, power: bigint): bigint {
  const half = value < 0n ? -power / 2n : power / 2n;
  return (value + half) / power * power;
}

/** The sum of two decimals, with as many digits behind the point as they have. */
export function decimalAdd(left: number, right: number): number {
  const digits = Math.max(fractionDigits(left), fractionDigits(right));
  if (digits === 0) return left + right;
  const sum = left + right;
  if (holds(Math.max(Math.abs(left), Math.abs(right)), digits)) return Number(sum.toFixed(digits)) + 0;
  if (!hasFraction(sum)) return sum;
  return ofScaled(scaled(left, digits) + scaled(right, digits), digits);
}

/** The difference of two decimals. */
export function decimalSub(left: number, right: number): number {
  return decimalAdd(left, -right);
}

/** The product of two decimals, with all their digits behind the point. */
export function decimalMul(left: number, right: number): number {
  const [one, other] = [fractionDigits(left), fractionDigits(right)];
  const digits = one + other;
  const product = left * right;
  if (digits === 0) return product;
  if (holds(Math.abs(product), digits)) return Number(product.toFixed(digits)) + 0;
  if (!hasFraction(product)) return product;
  return ofScaled(scaled(left, one) * scaled(right, other), digits);
}

/** The sum of decimals, of which no digit is lost on the way. */
export class DecimalSum {
  #sum = 0;
  /** What numbers cannot hold, as a whole number with digits behind the point. */
  #exact: { readonly value: bigint; readonly digits: number } | undefined;
  #count = 0;

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** @param value one more */
  add(value: number): void {
    this.#count++;
    this.#plus(value);
  }

  /** @param value one that was added */
  remove(value: number): void {
    this.#count--;
    this.#plus(-value);
  }

  #plus(value: number): void {
    if (!Number.isFinite(value) || !Number.isFinite(this.#sum)) {
      this.#sum = this.value + value;
      this.#exact = undefined;
      return;
    }
    const digits = Math.max(fractionDigits(value), this.#exact?.digits ?? fractionDigits(this.#sum));
    if (!this.#exact && holds(Math.max(Math.abs(this.#sum), Math.abs(value)), digits)) {
      this.#sum = decimalAdd(this.#sum, value);
      return;
    }
    const before = this.#exact ?? { value: scaled(this.#sum, digits), digits };
    const factor = 10n ** BigInt(digits - before.digits);
    this.#exact = { value: before.value * factor + scaled(value, digits), digits };
  }

  /** The sum so far. */
  get value(): number {
    return this.#exact ? ofScaled(this.#exact.value, this.#exact.digits) : this.#sum;
  }

  /** The average of those that there are. */
  get average(): number {
    const sum = this.#exact ? numberOf(this.#exact.value, this.#exact.digits) : this.#sum;
    return toDecimal(sum / this.#count);
  }
}

/**
 * What is left of a division, with the sign of the dividend; null for a division by zero. Whole numbers of any size are
 * divided exactly where one of them is a `bigint`.
 *
 * @param dividend what is divided
 * @param divisor by what
 */
export function remainder(dividend: number | bigint, divisor: number | bigint): number | bigint | null {
  if (Number(divisor) === 0) return null;
  if (typeof dividend === "bigint" || typeof divisor === "bigint") {
    if (isWhole(dividend) && isWhole(divisor)) return BigInt(dividend) % BigInt(divisor);
    return remainder(Number(dividend), Number(divisor));
  }
  const factor = 10 ** Math.max(fractionDigits(dividend), fractionDigits(divisor));
  const [left, right] = [Math.round(dividend * factor), Math.round(divisor * factor)];
  const isExact = Number.isSafeInteger(left) && Number.isSafeInteger(right);
  // zero has no sign
  return (isExact ? (left % right) / factor : dividend % divisor) + 0;
}

function isWhole(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

/** Whether a number holds all digits of decimals up to this one. */
function holds(value: number, digits: number): boolean {
  return value * 10 ** digits < 10 ** DIGITS;
}

/** Whether a number is small enough to have digits behind the point. */
function hasFraction(value: number): boolean {
  return Math.abs(value) < 2 ** 53;
}

/** A decimal as a whole number. */
function scaled(value: number, digits: number): bigint {
  const [mantissa, exponent = "0"] = String(value).split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  const zeros = digits - fraction.length + Number(exponent);
  return BigInt(whole + fraction) * 10n ** BigInt(zeros);
}

function ofScaled(value: bigint, digits: number): number {
  return toDecimal(numberOf(value, digits));
}

function numberOf(value: bigint, digits: number): number {
  return Number(`${value}e-${digits}`);
}

function fractionDigits(value: number): number {
  if (Number.isInteger(value)) return 0;
  const [digits, exponent = "0"] = String(value).split("e");
  return Math.max(0, (digits.split(".")[1]?.length ?? 0) - Number(exponent));
}

/** A floating-point number, or none. */
type DoubleValue = number | "NaN";

type Calculation = (left: unknown, right: unknown) => DoubleValue;

function calculation(run: (left: number, right: number) => number): Calculation {
  return (left, right) => {
    const [one, other] = [Number(left), Number(right)];
    const result = run(one, other);
    if (Number.isFinite(result)) return result;
    // a divisor of zero gives what IEEE 754 says
    if (Number.isFinite(one) && Number.isFinite(other) && (run !== quotient || other !== 0)) {
      throw outOfRange();
    }
    return Number.isNaN(result) ? "NaN" : result;
  };
}

function quotient(left: number, right: number): number {
  return left / (right + 0);
}

/** The sum. */
export const doubleAdd: Calculation = calculation((left, right) => left + right);
/** The difference. */
export const doubleSub: Calculation = calculation((left, right) => left - right);
/** The product. */
export const doubleMul: Calculation = calculation((left, right) => left * right);
/** The quotient; zero has no sign as a divisor: what is greater than zero gives `INF`, zero gives `NaN`. */
export const doubleDiv: Calculation = calculation(quotient);
