/**
 * Calculations with decimals, also over the rows of a window.
 *
 * @module
 */

import { d1Database } from "../../src/db/d1/mod.ts";
import { assertColumnValues } from "./column_values.ts";
import { startD1 } from "./miniflare.ts";

const BOOKS = [
  { ID: 1, title: "a", price: -5.8 },
  { ID: 2, title: "b", price: 5.78 },
  { ID: 3, title: "c", price: 1_000_000.1 },
  { ID: 4, title: "d", price: -1_000_000.1 },
];

const RESULTS: Readonly<Record<string, readonly unknown[]>> = {
  "ID * 1.1 + price": [-4.7, 7.98, 1_000_003.4, -999_995.7],
  "price - 5.8": [-11.6, -0.02, 999_994.3, -1_000_005.9],
  "(price * 1 + 0.07) - 1.07 - ceiling(0.5)": [-7.8, 3.78, 999_998.1, -1_000_002.1],
  "price + price - 5.78 - (-price + 0.001)": [-23.181, 11.559, 2_999_994.519, -3_000_006.081],
  "price * 0.1 - 0.578": [-1.158, 0, 99_999.432, -100_000.588],
  [`${"price + ".repeat(30)}0.01`]: [-173.99, 173.41, 30_000_003.01, -30_000_002.99],
  "mod(price, 0.02)": [0, 0, 0, 0],
  "mod(ID * 7, 0.07)": [0, 0, 0, 0],
  "mod(price, 0.07) + 0.01": [-0.05, 0.05, 0.06, -0.04],
  "price - null": [null, null, null, null],
  "(SELECT sum(price) - 0.08 as s from my.Books)": [-0.1, -0.1, -0.1, -0.1],
  "(SELECT sum(price - 0.02) as s from my.Books)": [-0.1, -0.1, -0.1, -0.1],
};

const WINDOWS: Readonly<Record<string, readonly unknown[]>> = {
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
  assertColumnValues(BOOKS, { ...RESULTS, ...WINDOWS }));

const server = startD1();
globalThis.addEventListener("unload", () => void server.stop());

Deno.test("D1: sums and differences of decimals lose no digit where others cancel out (db/README)", () =>
  assertColumnValues(BOOKS, RESULTS, async (model) => [
    await d1Database(await server.take())({ model, options: {} }),
  ]));
