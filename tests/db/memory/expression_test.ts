/** Expressions, groups and sets, as the database in memory computes them. */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  entity my.E { key ID : Integer; g : Integer; n : Integer; d : Double; p : Decimal(9,2); s : String; b : Boolean; }
  entity my.F { key ID : Integer; n : Integer; }
  entity my.None { key ID : Integer; n : Integer; d : Double; p : Decimal(9,2); }
`));
const ROWS = {
  "my.E": [
    { ID: 1, g: 1, n: 5, d: 0.5, p: 0.1, s: "a", b: true },
    { ID: 2, g: 1, n: null, d: null, p: null, s: null, b: null },
    { ID: 3, g: 2, n: 3, d: 1.5, p: 0.2, s: "b", b: false },
    { ID: 4, g: 2, n: 3, d: 2, p: 0.3, s: "B", b: true },
  ],
  "my.F": [{ ID: 1, n: 3 }, { ID: 2, n: 7 }, { ID: 3, n: null }],
};

type Run = (text: string) => Promise<readonly Record<string, unknown>[]>;

async function withRows(use: (run: Run) => Promise<unknown>) {
  const db = await createMemoryDatabase({ model: MODEL, options: {} });
  try {
    await db.deploy(new Map(Object.entries(ROWS)));
    const tx = db.begin(new EventContext({}));
    await use(async (text) => await tx.run(parseCqlQuery(text)) as readonly Record<string, unknown>[]);
    await tx.rollback();
  } finally {
    await db.close();
  }
}

Deno.test("conditions choose the rows for which they are true, not unknown (csn-cqn 4)", () =>
  withRows(async (run) => {
    const found: Readonly<Record<string, readonly number[]>> = {
      "n = 3": [3, 4],
      "not n = 3": [1],
      "n != 3": [1, 2],
      "n is null": [2],
      "n is not null": [1, 3, 4],
      "-n = -5": [1],
      "-n < 0": [1, 3, 4],
      "n in (3, 7)": [3, 4],
      "n not in (3, 7)": [1],
      "n in (5, null)": [1],
      "n not in (5, null)": [],
      "n in (select n from my.F)": [3, 4],
      "n not in (select n from my.F)": [],
      "n not in (select n from my.F where n is not null)": [1],
      "n in (select n from my.None)": [],
      "n between 4 and 5": [1],
      "n between 3 and 4": [3, 4],
      "n not between 3 and 4": [1],
      "n between 5 and null": [],
      "s like 'b'": [3, 4],
      "s not like 'b'": [1],
      "s like '!b' escape '!'": [3, 4],
      "b": [1, 4],
      "not b": [3],
      "b = true and n = 5": [1],
      "b = true or n = 3": [1, 3, 4],
      "exists (select ID from my.F where F.ID = E.ID)": [1, 2, 3],
      "not exists (select ID from my.F where F.ID = E.ID)": [4],
      "exists (select ID from my.None)": [],
      "case n when 5 then true when 3 then false end": [1],
      "case when n = 3 then 1 else 0 end = 0": [1, 2],
      "case n when null then 1 else 0 end = 1": [],
    };
    for (const [where, expected] of Object.entries(found)) {
      const rows = await run(`SELECT from my.E { ID } where ${where} order by ID`);
      assert.deepEqual(rows.map(({ ID }) => ID), expected, where);
    }
  }));

Deno.test("values are computed for each row, null where one is missing (csn-cqn 4)", () =>
  withRows(async (run) => {
    const values: Readonly<Record<string, readonly unknown[]>> = {
      "-n": [-5, null, -3, -3],
      "-(n - 3)": [-2, null, 0, 0],
      "n + 1": [6, null, 4, 4],
      "case n when 5 then 'five' when 3 then 'three' else 'none' end": ["five", "none", "three", "three"],
      "case when n > 3 then 'more' end": ["more", null, null, null],
      "(select max(n) from my.F)": [7, 7, 7, 7],
      "(select n from my.F where F.ID = E.ID)": [3, 7, null, null],
      "cast(d as Integer)": [0, null, 1, 2],
      "cast(n as String)": ["5", null, "3", "3"],
      "cast('2.5' as Double)": [2.5, 2.5, 2.5, 2.5],
      "cast('12' as Int64)": [12, 12, 12, 12],
    };
    for (const [column, expected] of Object.entries(values)) {
      const rows = await run(`SELECT from my.E { ID, ${column} as v } order by ID`);
      assert.deepEqual(rows.map(({ v }) => v), expected, column);
    }
  }));

Deno.test("aggregates leave out null, and have none where nothing is left but for counts (csn-cqn 4)", () =>
  withRows(async (run) => {
    const table: Readonly<
      Record<string, readonly [ofRows: unknown, ofGroups: readonly unknown[], ofNone: unknown]>
    > = {
      "count(*)": [4, [2, 2], 0],
      "count(n)": [3, [1, 2], 0],
      "count(distinct n)": [2, [1, 1], 0],
      "sum(n)": [11, [5, 6], null],
      "avg(n)": [11 / 3, [5, 3], null],
      "min(n)": [3, [5, 3], null],
      "max(n)": [5, [5, 3], null],
      "sum(d)": [4, [0.5, 3.5], null],
      "avg(d)": [4 / 3, [0.5, 1.75], null],
      "sum(p)": [0.6, [0.1, 0.5], null],
      "avg(p)": [0.2, [0.1, 0.25], null],
      "max(n) - min(n)": [2, [0, 0], null],
    };
    for (const [column, [ofRows, ofGroups, ofNone]] of Object.entries(table)) {
      const values = async (from: string) => (await run(`SELECT from ${from}`)).map(({ v }) => v);
      assert.deepEqual(await values(`my.E { ${column} as v }`), [ofRows], column);
      assert.deepEqual(await values(`my.E { g, ${column} as v } group by g order by g`), ofGroups, column);
      assert.deepEqual(await values(`my.None { ${column} as v }`), [ofNone], column);
      assert.deepEqual(await values(`my.None { ID, ${column} as v } group by ID`), [], column);
    }
    const having = await run("SELECT from my.E { g } group by g having count(n) > 1");
    assert.deepEqual(having, [{ g: 2 }]);
    assert.deepEqual(await run("SELECT from my.E { count(*) as c } having count(*) > 9"), []);
    assert.deepEqual(await run("SELECT from my.E { 1 as one } having count(*) > 1"), [{ one: 1 }]);
  }));
