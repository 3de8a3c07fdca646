/**
 * Numbers of rows in limits.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/**
 * The number of rows that a limit takes or leaves out.
 *
 * @param value what a query says: a whole number, or its text
 * @returns null where nothing is said
 * @throws ServiceError 400 for what is no number of rows
 */
export function rowCount(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  const isGiven = typeof value === "number" || typeof value === "bigint" || /^\d+$/.test(String(value));
  const count = isGiven ? Number(value) : NaN;
  if (count >= 0 && (Number.isInteger(count) || count === Infinity)) {
    return Math.min(count, Number.MAX_SAFE_INTEGER);
  }
  throw new ServiceError({ status: 400, message: "A limit is a whole number of rows, not less than zero" });
}
