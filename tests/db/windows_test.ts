/**
 * Functions over windows of rows.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { assertBounded } from "../assert_bounded.ts";
import { createAllEngines } from "./all_engines.ts";
import { assertColumnValues } from "./column_values.ts";
import { testModel } from "./fixture.ts";

const BOOKS = [
  { ID: 1, title: "a", stock: 5, price: 1.1, author_ID: 1 },
  { ID: 2, title: "b", stock: 3, price: 0.2, author_ID: 1 },
  { ID: 3, title: "c", stock: 3, author_ID: 2 },
  { ID: 4, title: "d", stock: 9, price: 0.5, author_ID: 2 },
  { ID: 5, title: "e", stock: null, author_ID: 2 },
];

/** Values for the books, in order of their ID. */
const RESULTS: Readonly<Record<string, readonly unknown[]>> = {
  // places
  "row_number() over (order by ID desc)": [5, 4, 3, 2, 1],
  "rank() over (order by stock)": [4, 2, 2, 5, 1],
  "rank() over (order by stock desc nulls first)": [3, 4, 4, 2, 1],
  "rank() over (partition by author_ID order by stock)": [2, 1, 2, 3, 1],
  "dense_rank() over (order by stock)": [3, 2, 2, 4, 1],
  "dense_rank() over (order by author_ID, stock)": [2, 1, 4, 5, 3],
  "percent_rank() over (order by stock)": [0.75, 0.25, 0.25, 1, 0],
  "percent_rank() over (partition by ID order by stock)": [0, 0, 0, 0, 0],
  "cume_dist() over (order by stock)": [0.8, 0.6, 0.6, 1, 0.2],
  "ntile(2) over (order by ID)": [1, 1, 1, 2, 2],
  "ntile(3) over (order by ID)": [1, 1, 2, 2, 3],
  "ntile(7) over (order by ID)": [1, 2, 3, 4, 5],
  "ntile(ID) over (order by ID desc)": [5, 4, 3, 2, 1], // as many parts as the first row says
  "rank() over ()": [1, 1, 1, 1, 1],
  // neighbours
  "lag(ID) over (order by ID)": [null, 1, 2, 3, 4],
  "lead(ID) over (order by ID)": [2, 3, 4, 5, null],
  "lag(stock, 2) over (order by ID)": [null, null, 5, 3, 3],
  "lag(ID, 1, 0) over (partition by author_ID order by ID)": [0, 1, 0, 3, 4],
  "lead(title, 1, 'none') over (partition by author_ID order by ID)": ["b", "none", "d", "e", "none"],
  "lag(ID, 0) over (order by stock)": [1, 2, 3, 4, 5],
  // values of frames
  "first_value(ID) over (partition by author_ID order by stock, ID)": [2, 2, 5, 5, 5],
  "last_value(ID) over (order by ID)": [1, 2, 3, 4, 5],
  "last_value(ID) over (order by ID rows between unbounded preceding and unbounded following)": [
    5,
    5,
    5,
    5,
    5,
  ],
  "nth_value(ID, 2) over (order by ID)": [null, 2, 2, 2, 2],
  "nth_value(title, 2) over (order by ID rows between current row and unbounded following)": [
    ...["b", "c", "d", "e", null],
  ],
  // aggregates of frames
  "sum(stock) over (order by ID)": [5, 8, 11, 20, 20],
  "avg(stock) over (order by ID)": [5, 4, 11 / 3, 5, 5],
  "avg(price) over (order by ID)": [1.1, 0.65, 0.65, 0.6, 0.6],
  "count(stock) over (order by ID)": [1, 2, 3, 4, 4],
  "avg(stock) over (order by stock desc, ID rows between unbounded preceding and 1 preceding)": [
    9,
    7,
    17 / 3,
    null,
    5,
  ],
  "sum(ID) over (order by stock)": [11, 10, 10, 15, 5],
  "sum(ID) over (order by stock, ID rows unbounded preceding)": [11, 7, 10, 15, 5],
  "sum(ID) over (order by ID rows between 1 preceding and 1 following)": [3, 6, 9, 12, 9],
  "sum(ID) over (order by ID rows between 2 following and 3 following)": [7, 9, 5, null, null],
  "count(*) over (order by ID rows between 1 preceding and current row)": [1, 2, 2, 2, 2],
  "count(*) over (order by ID rows between 9 following and unbounded following)": [0, 0, 0, 0, 0],
  "max(stock) over (order by ID rows between current row and unbounded following)": [9, 9, 9, 9, null],
  "min(stock) over (order by ID desc rows 1 preceding)": [3, 3, 3, 9, null],
  "count(stock) over (partition by author_ID)": [2, 2, 2, 2, 2],
  // distances of values
  "count(*) over (order by ID range between 1 preceding and 1 following)": [2, 3, 3, 3, 2],
  "sum(ID) over (order by stock range between 2 preceding and current row)": [6, 5, 5, 4, 5],
  "sum(ID) over (order by stock desc range between current row and 2 following)": [6, 5, 5, 4, 5],
  "sum(ID) over (order by stock range between 1 following and 4 following)": [4, 1, 1, null, 5],
  "count(*) over (order by stock range between unbounded preceding and 2 following)": [4, 4, 4, 5, 1],
};

Deno.test("functions over windows give the same on all engines: places, neighbours, frames (csn-cqn 6)", () =>
  assertColumnValues(BOOKS, RESULTS));

Deno.test("queries in parentheses are operands on all engines", () => {
  const query = "(select max(b.ID) as m from my.Books as b)";
  return assertColumnValues(BOOKS, {
    [`(${query} + 1)`]: [6, 6, 6, 6, 6],
    [`(ID * (${query} - 1))`]: [4, 8, 12, 16, 20],
  });
});

Deno.test("aggregates over growing windows take time in proportion to the rows in memory (csn-cqn 6)", async () => {
  const model = testModel();
  const rows = Array.from(
    { length: 30_000 },
    (_, ID) => ({ ID, title: "t", stock: ID % 4, price: ID / 100 }),
  );
  const db = await createMemoryDatabase({ model, options: {} });
  try {
    await db.deploy();
    await db.reset(new Map([["my.Books", rows]]));
    const tx = db.begin(new EventContext({}));
    const windows = ["avg(price)", "avg(stock)", "count(stock)", "sum(price)", "max(stock)"]
      .map((call, at) => `${call} over (order by ID) as c${at}`);
    const query = parseCqlQuery(`select from my.Books { ID, ${windows.join(", ")} } order by ID`);
    await assertBounded(async () => {
      const last = (await tx.run(query) as readonly Record<string, unknown>[]).at(-1);
      assert.deepEqual(last, { ID: 29_999, c0: 149.995, c1: 1.5, c2: 30_000, c3: 4_499_850, c4: 3 });
    });
    await tx.rollback();
  } finally {
    await db.close();
  }
});

/** What each engine gives for a query over the books; `refused` for an error. */
async function outcomes(text: string): Promise<unknown[]> {
  const engines = await createAllEngines(testModel());
  const results: unknown[] = [];
  for (const db of engines) {
    await db.deploy();
    await db.reset(new Map([["my.Books", BOOKS]]));
    const tx = db.begin(new EventContext({}));
    const run = async () => await tx.run(parseCqlQuery(text)) as { ID: unknown }[];
    results.push(await run().then((found) => found.map(({ ID }) => ID), () => "refused"));
    await tx.rollback();
    await db.close();
  }
  return results;
}

Deno.test("rows are ordered by functions over windows on all engines (csn-cqn 6)", async () => {
  const orders: Readonly<Record<string, readonly number[]>> = {
    "order by rank() over (order by stock), ID desc": [5, 3, 2, 1, 4],
    "order by row_number() over (partition by author_ID order by stock desc), ID": [1, 4, 2, 3, 5],
    "order by coalesce(lag(stock) over (order by ID), 0) desc, ID limit 3": [5, 2, 3],
  };
  for (const [order, expected] of Object.entries(orders)) {
    for (const found of await outcomes(`SELECT from my.Books { ID } ${order}`)) {
      assert.deepEqual(found, expected, order);
    }
  }
});

Deno.test("windows that no database has are refused on all engines (csn-cqn 6)", async () => {
  const queries = [
    "{ ID } where row_number() over (order by ID) = 1",
    "{ author_ID as ID } group by author_ID having rank() over (order by author_ID) = 1",
    "{ ID, ntile(0) over (order by ID) as n }",
    "{ ID, nth_value(stock, 0) over (order by ID) as n }",
    "{ ID, count(distinct stock) over (order by ID) as n }",
  ];
  for (const query of queries) {
    for (const found of await outcomes(`SELECT from my.Books ${query}`)) {
      assert.equal(found, "refused", query);
    }
  }
});
