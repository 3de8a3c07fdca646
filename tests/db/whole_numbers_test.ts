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
  "round(long)": "9007199254740993",
  "round(-long)": "-9007199254740993",
  "round(long, 0)": "9007199254740993",
  "round(long, -1)": 9007199254740990,
  "round(-long, -2)": "-9007199254741000",
  "round(long, -400)": 0,
  "round(long, -1000000000)": 0,
  // a fraction of digits is rounded, too
  "round(long, -1.5)": "9007199254741000",
  "round(2.345, 1.5)": 2.35,
  "round(2.345, 0.4)": 2,
  "round(long, dec)": null,
  "round(dec, 1)": null,
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

/** Values for a row whose `ID` is the largest integer of 32 bits. */
const LARGE: Readonly<Record<string, unknown>> = {
  "ID + 1": 2147483648,
  "1 + ID": 2147483648,
  "ID * 2": 4294967294,
  "ID * ID": "4611686014132420609",
  "-ID - 5": -2147483652,
  "3 + ID * 2 - 1": 4294967296,
  "(ID + 1) * 2": 4294967296,
  "(ID + 1) / 2": 1073741824,
  "mod(ID + 1, 10)": 8,
  "abs(ID + 1)": 2147483648,
  "coalesce(ID, 1) + ID": 4294967294,
  "case when ID + 1 > 0 then ID + 1 else 0 end": 2147483648,
  "2147483647 + 1": 2147483648,
  "length('abc') * ID": 6442450941,
  "sum(ID * 2)": 4294967294,
  "sum(ID + 1) over (order by ID)": 2147483648,
  "0.5 + ID * 2": 4294967294.5,
  "round(ID + 1)": 2147483648,
  "round(0.125 + ID - ID, 1 + 1)": 0.13,
  "substring('abc', 1 + 1)": "c",
};

Deno.test("whole numbers of Integer are calculated in 64 bits on all engines (db/README)", async () => {
  for (const database of await createAllEngines(testModel())) {
    try {
      await database.deploy();
      const tx = database.begin(new EventContext());
      await tx.run({ INSERT: { into: "my.Types", entries: [{ ID: 2147483647, long: 0 }] } });
      for (const [column, expected] of Object.entries(LARGE)) {
        const [{ n }] = await tx.run(parseCqlQuery(`SELECT from my.Types { ${column} as n }`)) as Row[];
        assert.equal(n, expected, `${database.kind}: ${column}`);
      }
      const sum = parseCqlQuery("SELECT from my.Types { ID * :factor as n } where ID + :factor > 0");
      const [{ n }] = await tx.run(sum, { factor: 2147483647 }) as Row[];
      assert.equal(n, "4611686014132420609", database.kind);
      const twice = { xpr: [{ ref: ["ID"] }, "*", { val: 2 }] };
      await tx.run({ UPDATE: { entity: "my.Types", data: {}, with: { long: twice } } });
      const [{ long }] = await tx.run(parseCqlQuery("SELECT from my.Types { long }")) as Row[];
      assert.equal(long, 4294967294, database.kind);
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});
