/**
 * Functions that SQLite lacks (toolchain, trap 8): Unicode case folding, rounding, patterns, base64.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import { Buffer } from "node:buffer";
import { ServiceError } from "../../errors/service_error.ts";

const PATTERN_LENGTH = 256;
const TEXT_LENGTH = 4096;
const PATTERN_CACHE = 50;

/**
 * Registers the functions the renderer uses.
 *
 * @param db an open database
 */
export function registerFunctions(db: DatabaseSync): void {
  const options = { deterministic: true };
  db.function("fw_lower", options, (value) => value === null ? null : String(value).toLowerCase());
  db.function("fw_upper", options, (value) => value === null ? null : String(value).toUpperCase());
  db.function("fw_floor", options, (value) => value === null ? null : whole(Math.floor(Number(value))));
  db.function("fw_ceiling", options, (value) => value === null ? null : whole(Math.ceil(Number(value))));
  db.function("fw_mod", options, modulo);
  db.function("fw_matches", options, matches);
  db.function("fw_base64", options, (value) => base64(value, false));
  db.function("fw_base64url", options, (value) => base64(value, true));
}

/** Whole numbers come back as integers, so that JSON text shows no fraction. */
function whole(value: number): number | bigint {
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

function modulo(left: unknown, right: unknown): number | bigint | null {
  if (left === null || right === null || Number(right) === 0) return null;
  const rest = Number(left) % Number(right);
  return Number.isInteger(Number(left)) && Number.isInteger(Number(right)) ? whole(rest) : rest;
}

const patterns = new Map<string, RegExp>();

function matches(text: unknown, pattern: unknown): number | null {
  if (text === null || pattern === null) return null;
  return compiled(String(pattern)).test(String(text).slice(0, TEXT_LENGTH)) ? 1 : 0;
}

function compiled(pattern: string): RegExp {
  let known = patterns.get(pattern);
  if (known) return known;
  assertHarmless(pattern);
  try {
    known = new RegExp(pattern, "u");
  } catch (cause) {
    throw new ServiceError({ status: 400, message: `"${pattern}" is no regular expression`, cause });
  }
  if (patterns.size >= PATTERN_CACHE) patterns.delete(patterns.keys().next().value!);
  patterns.set(pattern, known);
  return known;
}

/**
 * Refuses patterns whose matching can take more than polynomial time of low degree: repetition of a group that holds a
 * repetition or alternatives, back references, look-around, and more than three unbounded repetitions.
 */
function assertHarmless(pattern: string): void {
  if (pattern.length > PATTERN_LENGTH) throw refused("is too long");
  const plain = pattern.replace(/\\[^1-9k]/g, "_").replace(/\[(?:[^\]\\]|\\.)*\]/g, "_");
  if (/\\[1-9k]/.test(plain)) throw refused("has a back reference");
  if (/\(\?(?!:)/.test(plain)) throw refused("has a look-around or a named group");
  const groups: boolean[] = [];
  let unbounded = 0;
  for (let index = 0; index < plain.length; index++) {
    const char = plain[index];
    if (char === "(") groups.push(false);
    else if (char === "|" && groups.length > 0) groups[groups.length - 1] = true;
    else if (char === "*" || char === "+" || char === "{") {
      if (/^(?:[*+]|\{\d+,\})/.test(plain.slice(index))) unbounded++;
      if (groups.length > 0) groups[groups.length - 1] = true;
    } else if (char === ")") {
      const risky = groups.pop() ?? false;
      if (risky && /^[*+{]/.test(plain.slice(index + 1))) {
        throw refused("repeats a group with repetitions or alternatives");
      }
      if (risky && groups.length > 0) groups[groups.length - 1] = true;
    }
  }
  if (unbounded > 3) throw refused("has more than three unbounded repetitions");
}

function refused(reason: string): ServiceError {
  return new ServiceError({ status: 400, message: `The pattern of matchesPattern ${reason}` });
}

function base64(value: unknown, url: boolean): string | null {
  if (value === null) return null;
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value as Uint8Array);
  const text = bytes.toString("base64");
  return url ? text.replaceAll("+", "-").replaceAll("/", "_") : text;
}
