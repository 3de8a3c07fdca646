/**
 * Sums of floating-point numbers: IEEE 754 leaves open in which order and how precisely a database adds them
 * (section 9.4), so that their last digits differ.
 *
 * @module
 */

const CLOSE = 1e-12;
const DIGITS = 1e9;

/**
 * A value whose numbers are those of another one where they differ by their last digits only.
 *
 * @param value any value
 * @param other the value of another database
 */
export function withCloseNumbers(value: unknown, other: unknown): unknown {
  if (typeof value === "number" && typeof other === "number") {
    const isClose = Math.abs(value - other) <= CLOSE * Math.max(1, Math.abs(value), Math.abs(other));
    return isClose ? other : value;
  }
  if (typeof value !== "object" || value === null || typeof other !== "object" || other === null) {
    return value;
  }
  if (Array.isArray(value)) return value.map((item, at) => withCloseNumbers(item, (other as unknown[])[at]));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withCloseNumbers(item, (other as never)[name])]),
  );
}

/** Rows in an order that follows from their values, and not from the last digits of sums. */
export function inOwnOrder(rows: readonly unknown[]): unknown[] {
  const keyed = rows.map((row) => ({ row, key: JSON.stringify(row, (_name, value) => roughly(value)) }));
  return keyed.sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0).map(({ row }) => row);
}

function roughly(value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * DIGITS) / DIGITS + 0 : value;
}
