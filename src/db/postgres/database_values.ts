/**
 * Values of PostgreSQL as rows have them: dates and times are texts, numbers are numbers as far as they can hold the
 * value.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import pg from "pg";

const BOOL = 16;
const BYTEA = 17;
const INT8 = 20;
const [INT2, INT4, OID] = [21, 23, 26];
const TIMESTAMPS = [1114, 1184];
const NUMERIC = 1700;
const [FLOAT4, FLOAT8] = [700, 701];
/** Of truth values, integers, numbers, texts and UUIDs; statements of ours have none, those of applications may. */
const ARRAYS = [1000, 1005, 1007, 1009, 1015, 1016, 1021, 1022, 1231, 2951];

/**
 * Whether values of a type may be numbers that JSON or JavaScript does not have.
 *
 * @param type number of the type
 */
export function mayBeNoNumber(type: number): boolean {
  return type === INT8 || type === NUMERIC || type === FLOAT4 || type === FLOAT8;
}

/** Makes a value from its text. */
export type Parser = (text: string) => unknown;

const PARSERS: ReadonlyMap<number, Parser> = new Map([
  ...entries([BOOL], (text) => text === "t"),
  ...entries([BYTEA], (text) => fromHex(text.slice(2))),
  ...entries([INT2, INT4, OID, FLOAT4, FLOAT8], Number),
  ...entries([INT8, NUMERIC], toNumber),
  ...entries(TIMESTAMPS, toTimestamp),
  ...ARRAYS.map((type): [number, Parser] => [type, pg.types.getTypeParser(type)]),
]);

function entries(types: readonly number[], parse: Parser): [number, Parser][] {
  return types.map((type) => [type, parse]);
}

/**
 * Makes values of a type from what the server sends; what has no type of ours is text.
 *
 * @param type number of the type
 */
export function parserOf(type: number): Parser {
  return PARSERS.get(type) ?? asText;
}

function asText(text: string): string {
  return text;
}

/** A number where it holds all digits, else the text. */
function toNumber(text: string): number | string {
  const number = Number(text);
  if (text.length <= MAX_DIGITS) return number;
  const isExact = FRACTION.test(text) ? significant(text).length <= MAX_DIGITS : Number.isSafeInteger(number);
  return isExact ? number : text;
}

/** A fraction that is not zero, which a number may lose. */
const FRACTION = /\.\d*[1-9]/;

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

function fromHex(text: string): Uint8Array {
  // digit by digit it would take half a second for 16 MB
  return new Uint8Array(Buffer.from(text, "hex"));
}
