import { ServiceError } from "../../errors/service_error.ts";
import type { TreeOrder } from "../../algebra/tree.ts";
import { compareTexts } from "../../util/compare_texts.ts";
import type { Compiler, Env, Run } from "./evaluation.ts";

/** Whether a value counts as true; null stays null. */
export function truth(value: unknown): boolean | null {
  if (value === null || value === undefined) return null;
  return typeof value === "bigint" ? value !== 0n : Number(value) !== 0 && !Number.isNaN(Number(value));
}

/** The value of a condition. */
export function toFlag(condition: boolean | null): 0 | 1 | null {
  return condition === null ? null : condition ? 1 : 0;
}

/**
 * Orders two values that are not null: numbers, then text by code points, then bytes. Text that is a number compares as
 * number with numbers.
 *
 * @returns negative, zero or positive
 */
export function compare(left: unknown, right: unknown): number {
  const [a, b] = [rank(left), rank(right)];
  if (a === 1 && b === 1) return compareNumbers(left as number, right as number);
  if (a === 2 && b === 2) return compareTexts(left as string, right as string);
  if (a === 3 && b === 3) return compareBytes(left as Uint8Array, right as Uint8Array);
  if (a + b === 3) {
    const [x, y] = [Number(left), Number(right)];
    if (!Number.isNaN(x) && !Number.isNaN(y)) return compareNumbers(exact(left, x), exact(right, y));
  }
  return a - b;
}

/** Orders values, null first. */
function compareNullsFirst(left: unknown, right: unknown): number {
  if (left === null || right === null) return Number(right === null) - Number(left === null);
  return compare(left, right);
}

/** A whole number that a floating-point number does not hold, from its text. */
function exact(value: unknown, number: number): number | bigint {
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return number;
  return /^[+-]?\d+$/.test(String(value)) ? BigInt(String(value)) : number;
}

function rank(value: unknown): number {
  return typeof value === "number" || typeof value === "bigint" ? 1 : typeof value === "string" ? 2 : 3;
}

function compareNumbers(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    if (a[index] !== b[index]) return a[index] - b[index];
  }
  return a.length - b.length;
}

/**
 * A text that is the same for values that compare as equal; different values may share it.
 *
 * @param value a value that is not null
 */
export function lookupKey(value: unknown): string {
  if (value instanceof Uint8Array) return `b${value.join()}`;
  const text = String(value);
  return /^[+-]?[\d.]/.test(text) && !Number.isNaN(Number(text)) ? String(Number(text)) : text;
}

/** A text that tells values apart. */
export function identity(values: readonly unknown[]): string {
  return JSON.stringify(values.map((value) => {
    if (value instanceof Uint8Array) return ["b", ...value];
    if (typeof value === "number" && !Number.isFinite(value)) return ["f", String(value)]; // null in JSON
    if (typeof value !== "bigint" && !Number.isInteger(value)) return value;
    const number = Number(value);
    // numbers beyond these stand for several integers
    return Number.isSafeInteger(number) ? number : ["i", String(BigInt(value as bigint | number))];
  }));
}

/** The number of a value; text that is none counts by the digits it starts with. */
export function toNumber(value: unknown): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  const number = Number.parseFloat(String(value));
  return Number.isNaN(number) ? 0 : number;
}

/** Whole numbers of 64 bits as columns of integers hold them: those that are no safe integers as `bigint`. */
export function exactInteger<T>(value: T): T | number | bigint {
  if (typeof value === "bigint") return narrow(value);
  const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value) &&
    Math.abs(Number(value)) <= 2 ** 63;
  return isLarge ? BigInt(value as number) : value;
}

/** The integer that a text of digits stands for, as columns of integers hold it; other values stay as they are. */
export function integerOf(value: unknown): unknown {
  return exactInteger(typeof value === "string" && /^[+-]?\d+$/.test(value) ? BigInt(value) : value);
}

/** Numbers that JavaScript holds exactly come as such. */
export function narrow(value: number | bigint): number | bigint {
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/**
 * The error for what the memory database cannot do.
 *
 * @param what what is not there
 * @returns 501
 */
export function unsupported(what: string): ServiceError {
  return new ServiceError({ status: 501, message: `The memory database does not support ${what}` });
}

/**
 * Compiles an order. Nulls come first ascending and last descending, unless the order says otherwise.
 *
 * @param compiler the steps of compiling
 * @param orderBy the terms
 * @returns sorts rows; undefined without terms
 */
export function sorting(
  compiler: Compiler,
  orderBy: readonly TreeOrder[] | undefined,
): ((members: readonly Env[], run: Run) => Env[]) | undefined {
  if (!orderBy?.length) return undefined;
  const evaluates = orderBy.map(compiler.expression);
  return (members, run) => {
    const keyed = members.map((member) => ({ member, keys: evaluates.map((one) => one(member, run)) }));
    keyed.sort((a, b) => {
      run.clock.check();
      for (const [index, term] of orderBy.entries()) {
        const order = compareTerm(a.keys[index], b.keys[index], term);
        if (order !== 0) return order;
      }
      return 0;
    });
    return keyed.map(({ member }) => member);
  };
}

function compareTerm(left: unknown, right: unknown, { sort, nulls }: TreeOrder): number {
  if (nulls && (left === null || right === null)) {
    const order = Number(right === null) - Number(left === null);
    return nulls === "first" ? order : -order;
  }
  return compareNullsFirst(left, right) * (sort === "desc" ? -1 : 1);
}
