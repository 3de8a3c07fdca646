/**
 * Functions that SQLite lacks (toolchain, trap 8): Unicode case folding, rounding, patterns, base64.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import { Buffer } from "node:buffer";
import { matchesPattern } from "../matches_pattern.ts";

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
  db.function("fw_matches", options, matchesPattern);
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

function base64(value: unknown, url: boolean): string | null {
  if (value === null) return null;
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value as Uint8Array);
  const text = bytes.toString("base64");
  return url ? text.replaceAll("+", "-").replaceAll("/", "_") : text;
}
