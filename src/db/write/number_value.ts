/**
 * Numbers of rows as their columns hold them, on each engine the same way.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { FlatElement } from "../../model/linked.ts";
import { plainDecimal } from "../../util/plain_decimal.ts";

type Range = readonly [least: number, most: number];

const RANGES: Readonly<Record<string, Range>> = {
  "cds.UInt8": [0, 255],
  "cds.Int16": [-32768, 32767],
  "cds.Int32": [-2147483648, 2147483647],
  "cds.Integer": [-2147483648, 2147483647],
};
const MAX_INT64 = 2n ** 63n;
const TEXTS: ReadonlySet<string> = new Set(["cds.String", "cds.LargeString", "cds.UUID"]);
const WHOLE = /^[+-]?\d{1,30}$/;
const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/**
 * The number, or text of digits, that a column holds: whole numbers are refused where they are none or too large,
 * decimals have the digits behind the point that are declared.
 *
 * @param value the number as rows have it
 * @param column gives the type
 * @throws ServiceError 400 for what does not fit
 */
export function numberValue<T extends number | bigint | string>(
  value: T,
  column: FlatElement,
): T | number | string {
  const { builtin = "", precision, scale } = column.type;
  switch (builtin) {
    case "cds.UInt8":
    case "cds.Int16":
    case "cds.Int32":
    case "cds.Integer":
      return isBetween(value, RANGES[builtin]!) ? value : refuse(value, column);
    case "cds.Int64":
    case "cds.Integer64":
      return isInt64(value) ? value : refuse(value, column);
    case "cds.Decimal":
      return precision === undefined || typeof scale !== "number"
        ? value
        : decimalValue(value, { column, precision, scale });
  }
  return typeof value !== "string" && TEXTS.has(builtin) ? String(value) : value;
}

function isBetween(value: number | bigint | string, [least, most]: Range): boolean {
  if (typeof value === "string" && !WHOLE.test(value)) return false;
  const number = Number(value);
  return Number.isInteger(number) && number >= least && number <= most;
}

function isInt64(value: number | bigint | string): boolean {
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < Number(MAX_INT64);
  if (typeof value === "string" && !WHOLE.test(value)) return false;
  const number = BigInt(value);
  return number >= -MAX_INT64 && number < MAX_INT64;
}

interface DecimalColumn {
  readonly column: FlatElement;
  readonly precision: number;
  readonly scale: number;
}

/** A half goes away from zero. What is no decimal stays for the database to judge. */
function decimalValue<T extends number | bigint | string>(
  value: T,
  { column, precision, scale }: DecimalColumn,
): T | number | string {
  const most = 10 ** (precision - scale);
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < most) return value;
  const [found, sign, whole, fraction = ""] = DECIMAL.exec(plainDecimal(String(value))) ?? [];
  if (found === undefined) return value;
  const text = fraction.length <= scale ? found : rounded(whole!, fraction, scale);
  const isNegative = sign === "-" && /[1-9]/.test(text); // zero has no sign
  const plain = fraction.length <= scale ? value : `${isNegative ? "-" : ""}${text}`;
  if (text.replace(/^[+-]?0*/, "").split(".")[0]!.length > precision - scale) refuse(value, column);
  return typeof value === "number" ? Number(plain) + 0 : plain;
}

function rounded(whole: string, fraction: string, scale: number): string {
  const kept = BigInt(whole + fraction.slice(0, scale)) + (fraction[scale]! >= "5" ? 1n : 0n);
  if (scale === 0) return String(kept);
  const digits = String(kept).padStart(scale + 1, "0");
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function refuse(value: unknown, { name, type }: FlatElement): never {
  const args = [String(value), (type.builtin ?? "").replace(/^cds\./, "")];
  throw new ServiceError({ status: 400, code: "ASSERT_DATA_TYPE", target: name, args });
}
