/**
 * Calculations with decimals, also over the rows of a window.
 *
 * @module
 */

import { assertColumnValues } from "./column_values.ts";

const BOOKS = [
  { ID: 1, title: "a", price: -5.8 },
  { ID: 2, title: "b", price: 5.78 },
  { ID: 3, title: "c", price: 1_000_000.1 },
  { ID: 4, title: "d", price: -1_000_000.1 },
];

const RESULTS: Readonly<Record<string, readonly unknown[]>> = {
  "price - 5.8": [-11.6, -0.02, 999_994.3, -1_000_005.9],
  "(price * 1 + 0.07) - 1.07 - ceiling(0.5)": [-7.8, 3.78, 999_998.1, -1_000_002.1],
  "sum(price) over (order by ID)": [-5.8, -0.02, 1_000_000.08, -0.02],
  "sum(price) over (order by ID rows between 1 preceding and current row)": [
    -5.8,
    -0.02,
    1_000_005.88,
    0,
  ],
  "avg(price) over ()": [-0.005, -0.005, -0.005, -0.005],
};

Deno.test("calculations with decimals lose no digit on the way on any engine (db/README)", () =>
  assertColumnValues(BOOKS, RESULTS));
