/** The fixture `reference`: arithmetic (URL 5.1.1.2) on all engines. */

import assert from "node:assert/strict";
import { ENGINES, product, type Send, withReference } from "./reference.ts";

const ALL = [1, 2, 3, 4, 5, 6, 7];

async function numbersOf(send: Send, filter: string): Promise<readonly number[]> {
  const { status, body } = await send(
    "GET",
    `Products?$select=ID&$orderby=ID&$filter=${encodeURIComponent(filter)}`,
  );
  assert.equal(status, 200, `${filter}: ${JSON.stringify(body)}`);
  return body.value.map(({ ID }: { ID: string }) => Number(ID.slice(-2)));
}

/** Numbers of products by conditions with floating-point numbers: `Price` is a double, `Weight` a single. */
const FOUND: Readonly<Record<string, readonly number[]>> = {
  "(Price div 3) mul 3 eq Price": ALL.filter((_, at) => {
    const price = [999.99, 29.99, 15.5, 249.99, 799.99, 1999.99, 149.99][at]!;
    return price / 3 * 3 === price;
  }),
  "Price mul 3 eq 46.5": [3],
  "Price add 0.1 eq 15.6": [3],
  "Price sub 0.3 eq 15.2": [3],
  "Price div 7 eq 2.2142857142857144": [3],
  "Price div 7 eq 2.21428571428571": [],
  "Price div 0 eq INF": ALL,
  "-Price div 0 eq -INF": ALL,
  "Price divby 0 eq INF": ALL,
  "Price div Weight eq INF": [3, 5, 6, 7],
  "Price div 0 gt 1e300": ALL,
  "INF sub Price eq INF": ALL,
  "Price mul -INF lt 0": ALL,
  "Weight div Weight eq 1": [1, 2, 4],
  "Weight div 0 eq INF": [1, 2, 4],
  "(Weight div Weight) add 1 eq 2": [1, 2, 4],
  "Rating div 7 eq 28": [1],
  "Quantity div -7 eq 28": [3],
  "Quantity divby 7 gt 171.42 and Quantity divby 7 lt 171.43": [1],
  "Quantity mod 7 eq -4": [3],
  "Quantity ne 0 and 1200 div Quantity eq 1": [1],
  "case(Quantity eq 0:0,true:1200 div Quantity) eq 1": [1],
};

/** Conditions that fail, as a whole number or decimal is divided by zero. */
const FAILING: readonly string[] = [
  "Rating div 0 eq 1",
  "Rating mod 0 eq 1",
  "Rating divby 0 eq INF",
  "Rating div 0.0 eq 1",
  "Price mod 0 eq 1",
  "1 div 0 eq 1",
  "1 mod @z eq 1&@z=0",
  "Rating div (-0) eq 1",
  "not (Rating div 0 eq 1)",
  "1200 div Quantity gt 1",
  "1200 mod Quantity gt 1",
  "1200 divby Quantity gt 1",
  "Rating div (Quantity sub Quantity) eq 1",
  "Price mod Weight eq 0",
];

for (const engine of ENGINES) {
  Deno.test(`${engine}: floating-point numbers are calculated by IEEE 754, others are not divided by zero (URL 5.1.1.2)`, () =>
    withReference(async (send) => {
      for (const [filter, expected] of Object.entries(FOUND)) {
        assert.deepEqual(await numbersOf(send, filter), expected, filter);
      }
      for (const filter of FAILING) {
        const [first, alias = ""] = filter.split("&");
        const { status, body } = await send("GET", `Products?$filter=${encodeURIComponent(first!)}&${alias}`);
        assert.equal(status, 400, `${filter}: ${JSON.stringify(body)}`);
        assert.match(body.error.message, /cannot be divided by zero/, filter);
      }
    }, engine));

  Deno.test(`${engine}: infinite values and those that are no numbers are texts in JSON (JSON 7.1)`, () =>
    withReference(async (send) => {
      const compute = "Price div 0 as a,-Price div 0 as b,Weight div Weight as c,Price div 3 as d," +
        "(Weight div Weight) mul 0 add 1 as e,Price sub Price as f";
      const columns = encodeURIComponent(compute);
      const one = async (number: number) =>
        (await send("GET", `${product(number)}?$select=a,b,c,d,e,f&$compute=${columns}`)).body;
      const { a, b, c, d, e, f } = await one(6);
      assert.deepEqual([a, b, c, d, e, f], ["INF", "-INF", "NaN", 1999.99 / 3, "NaN", 0]);
      const other = await one(1);
      assert.deepEqual([other.c, other.e], [1, 1]);
      const apply = "compute(Price div 0 as q)/groupby((q),aggregate($count as n))";
      assert.deepEqual((await send("GET", `Products?$apply=${encodeURIComponent(apply)}`)).body.value, [
        { q: "INF", n: 7 },
      ]);
    }, engine));
}

Deno.test("a division by zero has a code of its own, and its place where it stands in the URL (URL 5.1.1.2)", () =>
  withReference(async (send) => {
    const literal = await send("GET", "Products?$top=1&$filter=Rating%20div%200%20eq%201");
    assert.deepEqual([literal.status, literal.body.error], [400, {
      code: "400",
      message: "A number cannot be divided by zero (offset 39)",
      "@Common.numericSeverity": 4,
    }]);
    const again = await send("GET", "Products?$top=1&$filter=Rating%20div%202%20eq%201");
    assert.equal(again.status, 200);
    assert.equal((await send("GET", "Products?$top=1&$filter=Rating%20div%200%20eq%201")).status, 400);
    const row = await send("GET", "Products?$filter=Rating%20div%20Quantity%20eq%201", undefined, {
      "accept-language": "de",
    });
    assert.deepEqual([row.status, row.body.error], [400, {
      code: "DIVISION_BY_ZERO",
      message: "Eine Zahl kann nicht durch null geteilt werden",
      "@Common.numericSeverity": 4,
    }]);
  }));
