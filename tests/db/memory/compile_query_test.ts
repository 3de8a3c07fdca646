import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import { compilerAt } from "../../../src/db/memory/compile_query.ts";
import { lowerQuery } from "../../../src/db/passes/lower_query.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { withApp } from "../../data/app.ts";

Deno.test("rows are left out at the beginning and at the end, each with or without the other (csn-cqn 3)", () =>
  withApp({
    model: "service Test { entity E { key ID : Integer; } }",
    rows: { "Test.E": [1, 2, 3].map((ID) => ({ ID })) },
    database: "memory",
  }, async ({ runtime }) => {
    const ids = async (limit: object) => {
      const select = { from: { ref: ["Test.E"] }, orderBy: [{ ref: ["ID"] }], limit };
      return (await runtime.db!.run({ SELECT: select }) as Row[]).map(({ ID }) => ID);
    };
    assert.deepEqual(await ids({}), [1, 2, 3]);
    assert.deepEqual(await ids({ offset: { val: 1 } }), [2, 3]);
    assert.deepEqual(await ids({ offset: { val: 0 } }), [1, 2, 3]);
    assert.deepEqual(await ids({ rows: { val: 1 } }), [1]);
    assert.deepEqual(await ids({ rows: { val: 1 }, offset: { val: 1 } }), [2]);
    assert.deepEqual(await ids({ rows: { val: 9 }, offset: { val: 2 } }), [3]);
  }));

Deno.test("rows of a query are looked up by columns that are those of its source, where no row depends on others", () => {
  const model = linkModel(parseCdl("entity E { key a : Integer; b : Integer; to : Association to E; }"));
  const found = (text: string) => {
    const query = lowerQuery(model, parseCqlQuery(`SELECT ${text}`)).query;
    const { columns, canRestrict } = compilerAt([]).query(query);
    return [...columns, "other"].filter(canRestrict);
  };
  for (
    const [text, columns] of [
      ["from E { a, b as c, a + b as d, 1 as e, to.b as f }", ["a", "c"]],
      ["from E { a } where b = 1", ["a"]],
      ["from E { a } order by b", ["a"]],
      ["distinct from E { a }", []],
      ["from E { a } limit 1", []],
      ["from E { a, count(*) as n } group by a", []],
      ["from E { max(a) as a }", []],
      ["from E { a, row_number() over (order by b) as n }", []],
    ] as const
  ) assert.deepEqual(found(text), columns, text);
});
Deno.test("sets of rows: union has each once, or all; intersect and except compare whole rows (csn-cqn 3)", () =>
  withApp({
    model:
      "service Test { entity E { key ID : Integer; n : Integer; } entity F { key ID : Integer; n : Integer; } }",
    rows: {
      "Test.E": [{ ID: 1, n: 1 }, { ID: 2, n: 1 }, { ID: 3, n: null }, { ID: 4, n: 2 }],
      "Test.F": [{ ID: 1, n: 1 }, { ID: 2, n: null }, { ID: 3, n: 3 }],
    },
    database: "memory",
  }, async ({ runtime }) => {
    const table: Readonly<Record<string, readonly unknown[]>> = {
      "select from Test.E { n } union select from Test.F { n }": [null, 1, 2, 3],
      "select from Test.E { n } union all select from Test.F { n }": [null, null, 1, 1, 1, 2, 3],
      "select from Test.E { n } intersect select from Test.F { n }": [null, 1],
      "select from Test.E { n } except select from Test.F { n }": [2],
      "select from Test.F { n } minus select from Test.E { n }": [3],
      "select distinct from Test.E { n }": [null, 1, 2],
      "select from Test.E { n } union select from Test.F { ID }": [null, 1, 2, 3],
    };
    for (const [text, expected] of Object.entries(table)) {
      const found = async (query: string) =>
        (await runtime.db!.run(parseCqlQuery(query)) as Row[]).map(({ n }) => n);
      assert.deepEqual(
        (await found(text)).toSorted((a, b) => Number(a ?? 0) - Number(b ?? 0)),
        expected,
        text,
      );
      assert.deepEqual(await found(`${text} order by n`), expected, text);
      assert.deepEqual(await found(`${text} order by n limit 1 offset 1`), expected.slice(1, 2), text);
    }
  }));

Deno.test("joins have rows of both sides that belong together, and with left those of the first alone (csn-cqn 3)", () =>
  withJoined(async (read) => {
    const both = [[2, 1], [3, 1], [4, 2], [4, 3]];
    assert.deepEqual(await read("from Test.E as e join Test.F as f on e.n = f.n { e.ID, f.ID as n }"), both);
    const left = await read("from Test.E as e left join Test.F as f on e.n = f.n { e.ID, f.ID as n }");
    assert.deepEqual(left, [[1, null], ...both]);
    const found = await read("from Test.E as e left join Test.F as f on f.ID = e.n { e.ID, f.n }");
    assert.deepEqual(found, [[1, null], [2, 1], [3, 1], [4, 2]]);
    for (const join of ["right", "full"]) {
      await assert.rejects(
        read(`from Test.E as e ${join} join Test.F as f on e.n = f.n { e.ID, f.ID as n }`),
        { status: 501, message: `The memory database does not support ${join} joins` },
      );
    }
  }));

Deno.test("rows of queries that name others around them are those of each (csn-cqn 3)", () =>
  withJoined(async (read) => {
    for (
      const rows of [
        "SELECT from Test.F as f { ID } where f.n = e.n",
        "SELECT distinct from Test.F as f { ID } where f.n = e.n",
      ]
    ) {
      const counts = await read(
        `from Test.E as e { ID, (SELECT from (${rows}) as r { count(*) as c }) as n }`,
      );
      assert.deepEqual(counts, [[1, 0], [2, 1], [3, 1], [4, 2]]);
    }
  }));

/** Reads columns `ID` and `n` from two entities of which some rows belong together. */
function withJoined(test: (read: (query: string) => Promise<unknown[]>) => Promise<void>): Promise<void> {
  return withApp({
    model:
      "service Test { entity E { key ID : Integer; n : Integer; } entity F { key ID : Integer; n : Integer; } }",
    rows: {
      "Test.E": [{ ID: 1, n: null }, { ID: 2, n: 1 }, { ID: 3, n: 1 }, { ID: 4, n: 2 }],
      "Test.F": [{ ID: 1, n: 1 }, { ID: 2, n: 2 }, { ID: 3, n: 2 }],
    },
    database: "memory",
  }, ({ runtime }) =>
    test(async (query) => {
      const rows = await runtime.db!.run(parseCqlQuery(`SELECT ${query} order by ID, n`)) as Row[];
      return rows.map(({ ID, n }) => [ID, n]);
    }));
}
