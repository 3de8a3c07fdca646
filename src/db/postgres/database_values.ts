/**
 * Values of PostgreSQL as rows have them, and the reverse: dates and times are texts, numbers are numbers as far as they
 * can hold the value.
 *
 * @module
 */

import type { PostgresType } from "postgres";

const BOOL = 16;
const BYTEA = 17;
const INT8 = 20;
const JSON_TYPES = [114, 3802];
const DATE = 1082;
const TIME = 1083;
const TIMESTAMPS = [1114, 1184];
const NUMERIC = 1700;
const [FLOAT4, FLOAT8] = [700, 701];

/**
 * Whether values of a type may be numbers that JSON or JavaScript does not have.
 *
 * @param type number of the type
 */
export function mayBeNoNumber(type: number): boolean {
  return type === INT8 || type === NUMERIC || type === FLOAT4 || type === FLOAT8;
}

function asText(value: unknown): string {
  return String(value);
}

/** Serializers and parsers by type. */
export const databaseValues: Record<string, PostgresType> = {
  bool: {
    to: BOOL,
    from: [BOOL],
    serialize: (value: unknown) => value === true || value === 1 || value === "true" ? "t" : "f",
    parse: (text: string) => text === "t",
  },
  bytea: {
    to: BYTEA,
    from: [BYTEA],
    serialize: (value: unknown) => value instanceof Uint8Array ? `\\x${hex(value)}` : String(value),
    parse: (text: string) => fromHex(text.slice(2)),
  },
  bigint: { to: INT8, from: [INT8], serialize: asText, parse: toNumber },
  json: { to: JSON_TYPES[0], from: JSON_TYPES, serialize: asText, parse: asText },
  date: { to: DATE, from: [DATE, TIME], serialize: asText, parse: asText },
  timestamp: { to: TIMESTAMPS[0], from: TIMESTAMPS, serialize: asText, parse: toTimestamp },
  numeric: { to: NUMERIC, from: [NUMERIC], serialize: asText, parse: toNumber },
};

/** A number where it holds all digits, else the text. */
function toNumber(text: string): number | string {
  const number = Number(text);
  if (Number.isInteger(number)) return Number.isSafeInteger(number) ? number : text;
  return significant(text).length <= MAX_DIGITS ? number : text;
}

/** Digits that a double always keeps. */
const MAX_DIGITS = 15;

function significant(text: string): string {
  return text.replace(/^-?0*\.?0*/, "").replace(".", "").replace(/0+$/, "");
}

/** `2024-01-02 03:04:05.6` is `2024-01-02T03:04:05.600Z`. */
function toTimestamp(text: string): string {
  const [, day, time, fraction = ""] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}.${fraction.padEnd(3, "0")}Z`;
}

function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = parseInt(text.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}
