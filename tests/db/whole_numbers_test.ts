import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { createAllEngines } from "./all_engines.ts";
import { testModel } from "./fixture.ts";

/** Values of the only row, by the text of the column. */
const RESULTS: Readonly<Record<string, unknown>> = {
  "'x' || 1": "x1",
  "concat('x', 1)": "x1",
  "cast(1 as String)": "1",
  "long + 2": "9007199254740995",
  "long - 1": "9007199254740992",
  "7 / 2": 3,
  "7.5 / 2": 3.75,
  "dbl / 2": 0.5,
};

Deno.test("whole numbers of queries are whole numbers to all engines (db/README)", async () => {
  for (const database of await createAllEngines(testModel())) {
    try {
      await database.deploy();
      const tx = database.begin(new EventContext());
      const value = async (column: string) => {
        const [{ n }] = await tx.run(parseCqlQuery(`SELECT from my.Types { ${column} as n }`)) as Row[];
        return n;
      };
      await tx.run({ INSERT: { into: "my.Types", entries: [{ ID: 1, long: "9007199254740993", dbl: 1 }] } });
      for (const [column, expected] of Object.entries(RESULTS)) {
        assert.equal(await value(column), expected, `${database.kind}: ${column}`);
      }
      const two = { xpr: [{ ref: ["long"] }, "+", { val: 2 }] };
      await tx.run({ UPDATE: { entity: "my.Types", data: {}, with: { long: two } } });
      assert.equal(await value("long"), "9007199254740995", database.kind);
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});
