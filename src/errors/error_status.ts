/**
 * The HTTP status of an error (spec 7.2.1).
 *
 * @module
 */

import { toText } from "../util/to_text.ts";

/** The members that decide on the status. */
export interface StatusMembers {
  /** HTTP status. */
  readonly status?: unknown;
  /** HTTP status. */
  readonly statusCode?: unknown;
  /** Identifies the error for clients. */
  readonly code?: unknown;
}

/**
 * The status given, else a code from 300 to 599 as number or numeric text, else 500. No response can carry 600.
 *
 * @param error the members of the error
 */
export function errorStatus(error: StatusMembers): number {
  const given = error.status ?? error.statusCode;
  if (given !== undefined && given !== null) return inRange(Number(toText(given)), 200) ?? 500;
  return inRange(numericCode(error.code), 300) ?? 500;
}

/** A numeric code, or the number that a code of three digits says. */
export function numericCode(code: unknown): number | undefined {
  if (typeof code === "number") return code;
  return typeof code === "string" && /^\d{3}$/.test(code) ? Number(code) : undefined;
}

function inRange(status: number | undefined, lowest: number): number | undefined {
  return Number.isInteger(status) && status! >= lowest && status! <= 599 ? status : undefined;
}
