/**
 * The order of active instances and drafts, which come from two queries.
 *
 * @module
 */

import type { Column, OrderTerm, Row } from "../../cqn/cqn.ts";
import type { Paging } from "../plan/plan.ts";
import { compareTexts } from "../../util/compare_texts.ts";
import { plainDecimal } from "../../util/plain_decimal.ts";

/** What the names of columns with the values of an order start with. */
const ORDER = "draftOrder_";

/**
 * The columns with the values of an order.
 *
 * @param orderBy its terms
 */
export function orderColumns(orderBy: readonly OrderTerm[]): Column[] {
  return orderBy.map(({ sort: _sort, nulls: _nulls, ...term }, index) => {
    return { ...term, as: `${ORDER}${index}` } as Column;
  });
}

/**
 * A row without the values of the order.
 *
 * @param row the row
 */
export function withoutOrder(row: Row): Row {
  const shown: Row = {};
  for (const name in row) if (!name.startsWith(ORDER)) shown[name] = row[name];
  return shown;
}

/**
 * Compares rows as databases sort them.
 *
 * @param a a row with the values of the order
 * @param b another one
 * @param order the terms, and which of them are numbers
 * @returns negative, zero or positive
 */
export function compareRows(
  a: Row,
  b: Row,
  { orderBy, numeric }: { readonly orderBy: readonly OrderTerm[]; readonly numeric: Paging["numeric"] },
): number {
  for (const [index, { sort }] of orderBy.entries()) {
    const name = `${ORDER}${index}`;
    const result = compareValues(a[name], b[name], numeric?.[index] === true);
    if (result !== 0) return sort === "desc" ? -result : result;
  }
  return 0;
}

/** Null comes first. */
function compareValues(a: unknown, b: unknown, isNumber: boolean): number {
  const isMissing = (value: unknown) => value === null || value === undefined;
  if (isMissing(a) || isMissing(b)) return Number(isMissing(b)) - Number(isMissing(a));
  if (typeof a === "number" && typeof b === "number") return compareNumbers(a, b);
  return isNumber ? compareDecimals(String(a), String(b)) : compareTexts(String(a), String(b));
}

function compareNumbers<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares numbers that rows hold as text: they may have more digits than JavaScript tells apart. */
function compareDecimals(a: string, b: string): number {
  const numbers = [a, b].map((text) => plainDecimal(text).split(".") as [string, string?]);
  const digits = Math.max(...numbers.map(([, fraction = ""]) => fraction.length));
  const [left, right] = numbers.map(([whole, fraction = ""]) => BigInt(whole + fraction.padEnd(digits, "0")));
  return compareNumbers(left, right);
}
