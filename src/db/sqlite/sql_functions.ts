/**
 * Functions that SQLite lacks (toolchain, trap 8): Unicode case folding, rounding, patterns, base64.
 *
 * @module
 */

import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { Buffer } from "node:buffer";
import type { Limits } from "../../config/limits.ts";
import { answerTooLarge } from "../../errors/service_error.ts";
import { hasTextForm } from "../../model/values/text_forms.ts";
import { computedTooLong, nonZero } from "../statement_errors.ts";
import {
  decimalAdd,
  decimalMul,
  decimalSub,
  DecimalSum,
  decimalText,
  doubleAdd,
  doubleDiv,
  doubleMul,
  doubleSub,
  remainder,
  roundedWhole,
  scaledTo,
  toDecimal,
} from "../decimals.ts";
import {
  geoDistance,
  geoIntersects,
  geoLength,
  matchesPattern,
  StatementClock,
  TIME_BETWEEN,
} from "../function_values.ts";

/** What a statement may take. */
export type StatementLimits = Pick<Limits, "statementMs" | "answerBytes">;

/** The statement that runs: what its functions could not say, and its time. */
export class RunningStatement {
  /** The first error. */
  error: unknown;
  readonly #clock: StatementClock;
  readonly #answerBytes: number;
  #bytes = 0;
  #joined = 0;

  /** @param limits how long a statement may take, and how much it may give for an answer */
  constructor({ statementMs, answerBytes }: StatementLimits) {
    this.#clock = new StatementClock(statementMs);
    this.#answerBytes = answerBytes;
  }

  /** Another statement begins. */
  begin(): void {
    this.error = undefined;
    this.#bytes = this.#joined = 0;
    this.#clock.begin();
  }

  /** Whether a text may be joined that may be kept until the statement ends. */
  join(length: number, most: number): boolean {
    this.#joined += length;
    if (length > most) this.error ??= computedTooLong(most);
    else if (this.#joined > this.#answerBytes) this.error ??= answerTooLarge(this.#answerBytes);
    return this.error === undefined;
  }

  /** Whether there is room for a row. */
  take(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes > this.#answerBytes) this.error ??= answerTooLarge(this.#answerBytes);
    return this.error === undefined;
  }

  /** Whether the statement may go on. */
  step(): boolean {
    this.error ??= this.#clock.step();
    return this.error === undefined;
  }
}

/**
 * Registers the functions the renderer uses. A function that throws never returns to `node:sqlite` of Deno, which loops
 * for ever: errors are kept aside, and whoever ran the statement throws them. The same happens with an integer that a
 * number cannot hold, so integers come as `bigint`.
 *
 * @param db an open database
 * @param running takes errors
 */
export function registerFunctions(db: DatabaseSync, running: RunningStatement): void {
  const register = (name: string, run: (...values: SQLOutputValue[]) => SQLInputValue) => {
    // SQLite takes the number of arguments from the function
    const guarded = run.length === 1
      ? (value: SQLOutputValue) => attempt(running, () => run(value))
      : (left: SQLOutputValue, right: SQLOutputValue) => attempt(running, () => run(left, right));
    db.function(name, { deterministic: true, useBigIntArguments: true }, guarded);
  };
  register("fw_lower", (value) => value === null ? null : String(value).toLowerCase());
  register("fw_upper", (value) => value === null ? null : String(value).toUpperCase());
  register("fw_floor", (value) => value === null ? null : rounded(value, Math.floor));
  register("fw_round", (value) => value === null ? null : rounded(value, roundedWhole));
  register("fw_ceiling", (value) => value === null ? null : rounded(value, Math.ceil));
  register("fw_mod", modulo);
  register("fw_decimal", toDecimal);
  register("fw_decimal_add", numeric(decimalAdd));
  register("fw_decimal_sub", numeric(decimalSub));
  register("fw_decimal_mul", numeric(decimalMul));
  registerDivisions(register);
  register("fw_scaled", scaled);
  registerSums(db);
  for (const [name, between] of Object.entries(TIME_BETWEEN)) {
    register(`fw_${name}`, (from, to) => from === null || to === null ? null : between(from, to));
  }
  register("fw_decimal_text", (value) => value === null ? null : decimalText(value));
  register("fw_geo_distance", geoDistance);
  register("fw_geo_length", (line) => geoLength(line));
  register("fw_geo_intersects", (point, polygon) => {
    const isInside = geoIntersects(point, polygon);
    return isInside === null ? null : Number(isInside);
  });
  register("fw_matches", (text, pattern) => running.step() ? matchesPattern(text, pattern) : null);
  register(
    "fw_has_form",
    (text, type) => text === null ? null : Number(hasTextForm(String(text), String(type))),
  );
  register("fw_base64", (value) => base64(value, false));
  register("fw_base64url", (value) => base64(value, true));
  // no argument or a column: it is called for each row, and an absolute value has to be one
  db.function("fw_size", (bytes: SQLOutputValue) => running.take(Number(bytes)) ? 1 : NO_ABSOLUTE);
  db.function(
    "fw_join",
    (length: SQLOutputValue, most: SQLOutputValue) =>
      running.join(Number(length), Number(most)) ? 1 : NO_ABSOLUTE,
  );
  db.function("fw_too_long", (most: SQLOutputValue) => {
    running.error ??= computedTooLong(Number(most));
    return NO_ABSOLUTE;
  });
  db.function("fw_step", { varargs: true, useBigIntArguments: true }, () => running.step() ? 1 : NO_ABSOLUTE);
}

type Register = (name: string, run: (left: SQLOutputValue, right: SQLOutputValue) => SQLInputValue) => void;

/** Divisions that fail where the divisor is zero, and calculations of IEEE 754. */
function registerDivisions(register: Register): void {
  const strict = (name: string, run: (left: number | bigint, right: number | bigint) => SQLInputValue) =>
    register(name, (left, right) => {
      if (left === null || right === null) return null;
      return run(numberOf(left), numberOf(right));
    });
  strict("fw_div", (left, right) => quotient(left, nonZero(right)));
  strict("fw_divby", (left, right) => Number(left) / Number(nonZero(right)));
  strict("fw_modulo", (left, right) => modulo(left, nonZero(right)));
  const doubles = { add: doubleAdd, sub: doubleSub, mul: doubleMul, div: doubleDiv };
  for (const [name, run] of Object.entries(doubles)) {
    strict(`fw_double_${name}`, (left, right) => {
      const result = run(left, right);
      return typeof result === "number" ? whole(result) : result;
    });
  }
}

function numberOf(value: NonNullable<SQLOutputValue>): number | bigint {
  return typeof value === "bigint" ? value : Number(value);
}

/** The quotient of whole numbers, without fraction. */
function quotient(left: number | bigint, right: number | bigint): number | bigint {
  if (typeof left === "number" || typeof right === "number") {
    return whole(Math.trunc(Number(left) / Number(right)));
  }
  const result = left / right;
  return result === BigInt.asIntN(64, result) ? result : Number(result);
}

/** The integer without absolute value: SQLite ends a statement that asks for it. */
const NO_ABSOLUTE = -(2n ** 63n);

function numeric(run: (left: number, right: number) => number) {
  return (left: SQLOutputValue, right: SQLOutputValue) =>
    left === null || right === null ? null : whole(run(Number(left), Number(right)));
}

/** Aggregates of decimals. What is kept between rows may be any object, though its type names values of columns. */
function registerSums(db: DatabaseSync): void {
  const register = (name: string, result: (sum: DecimalSum) => number) =>
    db.aggregate<DecimalSum & DataView>(name, {
      start: () => new DecimalSum() as DecimalSum & DataView,
      useBigIntArguments: true,
      step: (sum, value) => {
        if (value !== null) sum.add(Number(value));
        return sum;
      },
      inverse: (sum, value) => {
        if (value !== null) sum.remove(Number(value));
        return sum;
      },
      result: (sum) => sum.count === 0 ? null : whole(result(sum)),
    });
  register("fw_decimal_sum", (sum) => sum.value);
  register("fw_decimal_avg", (sum) => sum.average);
}

/** Integers are whole already, and what is no number stays that. */
function rounded(value: SQLOutputValue, round: (value: number) => number): SQLInputValue {
  return typeof value === "bigint" || value === "NaN" ? value : whole(round(Number(value)));
}

function scaled(value: SQLOutputValue, places: SQLOutputValue): SQLInputValue {
  if (value === null || places === null) return null;
  // a text that is no number counts as zero
  return scaledTo(value, Number(places) || 0);
}

function attempt(running: RunningStatement, run: () => SQLInputValue): SQLInputValue {
  // the rows that are left make no difference
  if (running.error !== undefined) return null;
  try {
    return run();
  } catch (error) {
    running.error = error;
    return null;
  }
}

/** Whole numbers come back as integers, so that JSON text shows no fraction. */
function whole(value: number): number | bigint {
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

function modulo(left: unknown, right: unknown): number | bigint | null {
  if (left === null || right === null) return null;
  const [dividend, divisor] = [left, right].map((one) => typeof one === "bigint" ? one : Number(one));
  const rest = remainder(dividend, divisor);
  if (typeof rest !== "number") return rest;
  return Number.isInteger(Number(left)) && Number.isInteger(Number(right)) ? whole(rest) : rest;
}

function base64(value: unknown, url: boolean): string | null {
  if (value === null) return null;
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value as Uint8Array);
  const text = bytes.toString("base64");
  return url ? text.replaceAll("+", "-").replaceAll("/", "_") : text;
}
