/** Functions over windows of rows, as the database in memory has them. */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl("entity my.E { key ID : Integer; g : Integer; n : Integer; d : Double; }"));
const ROWS = [
  { ID: 1, g: 1, n: 5, d: 0.5 },
  { ID: 2, g: 1, n: 3, d: null },
  { ID: 3, g: 2, n: 3, d: 1.5 },
  { ID: 4, g: 2, n: 9, d: 2 },
  { ID: 5, g: 2, n: null, d: 4 },
];

async function withRows(
  use: (run: (text: string) => Promise<readonly Record<string, unknown>[]>) => unknown,
) {
  const db = await createMemoryDatabase({ model: MODEL, options: {} });
  try {
    await db.deploy(new Map([["my.E", ROWS]]));
    const tx = db.begin(new EventContext({}));
    await use(async (text) => await tx.run(parseCqlQuery(text)) as readonly Record<string, unknown>[]);
    await tx.rollback();
  } finally {
    await db.close();
  }
}

/** Values for the rows, in order of their ID. */
const RESULTS: Readonly<Record<string, readonly unknown[]>> = {
  "row_number() over (order by ID desc)": [5, 4, 3, 2, 1],
  "rank() over (order by n)": [4, 2, 2, 5, 1],
  "rank() over ()": [1, 1, 1, 1, 1],
  "dense_rank() over (order by n)": [3, 2, 2, 4, 1],
  "percent_rank() over (order by n)": [0.75, 0.25, 0.25, 1, 0],
  "percent_rank() over (partition by ID order by n)": [0, 0, 0, 0, 0],
  "percent_rank() over (partition by g order by ID)": [0, 1, 0, 0.5, 1],
  "cume_dist() over (order by n)": [0.8, 0.6, 0.6, 1, 0.2],
  "ntile(1) over (order by ID)": [1, 1, 1, 1, 1],
  "ntile(2) over (order by ID)": [1, 1, 1, 2, 2],
  "ntile(3) over (order by ID)": [1, 1, 2, 2, 3],
  "ntile(4) over (order by ID)": [1, 1, 2, 3, 4],
  "ntile(5) over (order by ID)": [1, 2, 3, 4, 5],
  "ntile(7) over (order by ID)": [1, 2, 3, 4, 5],
  "ntile(null) over (order by ID)": [null, null, null, null, null],
  "lag(ID) over (order by ID)": [null, 1, 2, 3, 4],
  "lead(ID) over (order by ID)": [2, 3, 4, 5, null],
  "lag(n, 2) over (order by ID)": [null, null, 5, 3, 3],
  "lead(n, 2, 0) over (order by ID)": [3, 9, null, 0, 0],
  "lag(ID, null, 7) over (order by ID)": [null, null, null, null, null],
  "lag(ID, 1, 0) over (partition by g order by ID)": [0, 1, 0, 3, 4],
  "first_value(ID) over (partition by g order by n, ID)": [2, 2, 5, 5, 5],
  "first_value(ID) over (order by ID rows between 1 following and 2 following)": [2, 3, 4, 5, null],
  "last_value(ID) over (order by n)": [1, 3, 3, 4, 5],
  "last_value(ID) over (order by ID rows between 2 preceding and 1 preceding)": [null, 1, 2, 3, 4],
  "nth_value(ID, 1) over (order by ID)": [1, 1, 1, 1, 1],
  "nth_value(ID, 2) over (order by ID)": [null, 2, 2, 2, 2],
  "nth_value(ID, null) over (order by ID)": [null, null, null, null, null],
  "sum(n) over (order by ID)": [5, 8, 11, 20, 20],
  "sum(d) over (order by ID)": [0.5, 0.5, 2, 4, 8],
  "avg(n) over (order by n rows between unbounded preceding and 1 preceding)": [3, null, 3, 11 / 3, null],
  "count(n) over (order by ID)": [1, 2, 3, 4, 4],
  "count(*) over (partition by g)": [2, 2, 3, 3, 3],
  "sum(ID) over (order by n rows unbounded preceding)": [11, 7, 10, 15, 5],
  "sum(ID) over (order by ID rows current row)": [1, 2, 3, 4, 5],
  "sum(ID) over (order by ID rows 1 preceding)": [1, 3, 5, 7, 9],
  "sum(ID) over (order by ID rows between 1 preceding and 1 following)": [3, 6, 9, 12, 9],
  "sum(ID) over (order by ID rows between 2 following and 3 following)": [7, 9, 5, null, null],
  "sum(ID) over (order by ID rows between 1 following and 1 preceding)": [null, null, null, null, null],
  "count(*) over (order by ID rows between 9 following and unbounded following)": [0, 0, 0, 0, 0],
  "max(n) over (order by ID rows between current row and unbounded following)": [9, 9, 9, 9, null],
  "min(n) over (order by ID desc rows 1 preceding)": [3, 3, 3, 9, null],
  "sum(ID) over (order by n range between current row and unbounded following)": [5, 10, 10, 4, 15],
  "sum(ID) over (order by n, g range between unbounded preceding and current row)": [11, 7, 10, 15, 5],
  "count(*) over (order by ID range between 1 preceding and 1 following)": [2, 3, 3, 3, 2],
  "sum(ID) over (order by n range between 2 preceding and current row)": [6, 5, 5, 4, 5],
  "sum(ID) over (order by n desc range between current row and 2 following)": [6, 5, 5, 4, 5],
  "sum(ID) over (order by n desc range between 4 preceding and 1 preceding)": [4, 1, 1, null, 5],
  "sum(ID) over (order by n range between 1 following and 4 following)": [4, 1, 1, null, 5],
  "count(*) over (order by n range between unbounded preceding and 2 following)": [4, 4, 4, 5, 1],
  "1 + sum(n) over (order by ID)": [6, 9, 12, 21, 21],
};

Deno.test("functions over windows have places, neighbours and frames (csn-cqn 6)", () =>
  withRows(async (run) => {
    for (const [column, expected] of Object.entries(RESULTS)) {
      const rows = await run(`SELECT from my.E { ID, ${column} as v } order by ID`);
      assert.deepEqual(rows.map(({ v }) => v), expected, column);
    }
  }));

Deno.test("rows are ordered by windows, and a query has several of them (csn-cqn 6)", () =>
  withRows(async (run) => {
    const ids = async (text: string) => (await run(text)).map(({ ID }) => ID);
    assert.deepEqual(
      await ids("SELECT from my.E { ID } order by rank() over (order by n), ID desc"),
      [5, 3, 2, 1, 4],
    );
    const [first] = await run(
      "SELECT from my.E { ID, count(*) over () as c, lead(ID) over (order by ID) as l } order by ID",
    );
    assert.deepEqual(first, { ID: 1, c: 5, l: 2 });
  }));

Deno.test("windows in conditions and groups, wrong places and unknown functions are refused (csn-cqn 6)", () =>
  withRows(async (run) => {
    const queries: Readonly<Record<string, number>> = {
      "{ ID } where row_number() over (order by ID) = 1": 501,
      "{ g } group by g having rank() over (order by g) = 1": 501,
      "{ ID, ntile(0) over (order by ID) as n }": 400,
      "{ ID, nth_value(n, 0) over (order by ID) as n2 }": 400,
      "{ ID, count(*) over (order by n, g range between 1 preceding and current row) as c }": 501,
      "{ ID, count(*) over (order by n, g range between current row and 1 following) as c }": 501,
    };
    for (const [query, status] of Object.entries(queries)) {
      await assert.rejects(run(`SELECT from my.E ${query}`), { status }, query);
    }
  }));
