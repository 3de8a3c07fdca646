import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { createAllEngines } from "./all_engines.ts";
import { testModel } from "./fixture.ts";

const LARGE = "9007199254740993";
const ROW = { ID: 1, long: LARGE, dbl: 1e18 };

/** Values of the only row, by the text of the column. */
const RESULTS: Readonly<Record<string, unknown>> = {
  "long": LARGE,
  "-long": `-${LARGE}`,
  "abs(-long)": LARGE,
  "sum(long)": LARGE,
  "max(long)": LARGE,
  "coalesce(long, 0)": LARGE,
  "case when ID = 1 then long end": LARGE,
  "(select long from my.Types)": LARGE,
  "first_value(long) over (order by ID)": LARGE,
  "long - 9007199254740992": 1,
  "ID + 9007199254740993": "9007199254740994",
  "case when ID > 9007199254740993 then 0 else 9007199254740995 end": "9007199254740995",
  "cast(dbl as Int64)": "1000000000000000000",
  "dbl": 1e18,
  "sum(dbl)": 1e18,
  "max(dbl)": 1e18,
  // they have no digits behind the 53rd bit, though they are whole
  "dbl + 1": 1e18,
  "dbl * ID - 1": 1e18,
  "sum(dbl + ID)": 1e18,
  "(select sum(x.dbl) as s from (select dbl from my.Types union all select cast(ID as Double) as dbl from my.Types) as x)":
    1e18,
  "sum(dbl - 1) over (order by ID)": 1e18,
};

Deno.test("handlers get integers that a number cannot hold as text, floating-point numbers as numbers, on all engines", async () => {
  for (const database of await createAllEngines(testModel())) {
    try {
      await database.deploy();
      const tx = database.begin(new EventContext());
      await tx.run({ INSERT: { into: "my.Types", entries: [ROW] } });
      for (const [column, expected] of Object.entries(RESULTS)) {
        const query = parseCqlQuery(`SELECT from my.Types { ${column} as n }`);
        const [{ n }] = await tx.run(query) as { n: unknown }[];
        assert.equal(n, expected, `${database.kind}: ${column}`);
      }
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});

Deno.test("a sum that needs more than 64 bits is a bad request of SQLite, which has no larger integers", async () => {
  const database = createSqliteDatabase({ model: testModel(), options: {} });
  await database.deploy();
  const tx = database.begin(new EventContext());
  const entries = [1, 2].map((ID) => ({ ID, long: "9223372036854775807" }));
  await tx.run({ INSERT: { into: "my.Types", entries } });
  const sum = parseCqlQuery("SELECT from my.Types { sum(long) as n }");
  await assert.rejects(async () => await tx.run(sum), { status: 400 });
  await tx.rollback();
  await database.close();
});
