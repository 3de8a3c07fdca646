/**
 * Values of all types as texts.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { d1Database } from "../../src/db/d1/mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";
import { startD1 } from "./miniflare.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key ID : Integer; dec : Decimal(9,4); flag : Boolean; at : Timestamp; second : DateTime;
    day : Date; time : Time; text : String; bytes : Binary(10);
    label : String = 'x' || dec * 2 stored; }
  entity V as select from E { ID, text || dec as label : String, round(dec, 1) as short : Decimal(9,1) };`));

const ROW: Row = {
  ...{ ID: 7, dec: 12.25, flag: true, at: "2024-02-29T12:34:56.789Z", second: "2024-02-29T12:34:56Z" },
  ...{ day: "2024-02-29", time: "12:34:56", text: "t", bytes: new Uint8Array([1, 2, 3]) },
};

/** Values of the only row, by the text of the column. */
const RESULTS: Readonly<Record<string, unknown>> = {
  "dec || ''": "12.25",
  "text || dec": "t12.25",
  "concat(dec, text)": "12.25t",
  "cast(dec as String)": "12.25",
  "cast(dec * 2 as String)": "24.5",
  "flag || text": "truet",
  "cast(flag as String)": "true",
  "at || text": "2024-02-29T12:34:56.789Zt",
  "concat(second, text)": "2024-02-29T12:34:56Zt",
  "cast(at as String)": "2024-02-29T12:34:56.789Z",
  "day || time": "2024-02-2912:34:56",
  "ID || ID": "77",
  "text || dec * 2": "t24.5",
  "text || ID + 1 || text": "t8t",
  "ID - 1 || text": "6t",
  "text || -ID": "t-7",
  "text || 7 / 2": "t3",
  "text || dec = 't12.25'": true,
  "cast(flag as String) = 'true'": true,
  "day || '2024-01-01'": "2024-02-292024-01-01",
  "'1e3' || text": "1e3t",
  "1e3 || text || 1.5": "1000t1.5",
  "text || null": null,
  "label": "x24.5",
  "round(2.675, 2)": 2.68,
  "round(-1.005, 2)": -1.01,
  "round(1234.5, -2)": 1200,
  "round(dec, 1)": 12.3,
  "length(bytes)": 3,
  "length(text)": 1,
  "length(ID)": 1,
  "contains(dec, '.2')": true,
  "startswith(at, '2024')": true,
  "indexof(ID, '7')": 0,
  "substring(dec, 1 + 1)": ".25",
  "tolower(flag)": "true",
  "dec like '12%'": true,
  "at not like '2023%'": true,
  "9007199254740993 / 3": 3002399751580331,
  "ifnull(null, dec)": 12.25,
};

const server = startD1();
globalThis.addEventListener("unload", () => void server.stop());

Deno.test("values are joined with texts in one form, behind calculations, on all engines (db/README, Texts of values)", async () => {
  const d1 = await d1Database(server.take())({ model: MODEL, options: {} });
  for (const database of [...await createAllEngines(MODEL), d1]) {
    try {
      await database.deploy();
      const tx = database.begin(new EventContext());
      await tx.run({ INSERT: { into: "E", entries: [ROW] } });
      for (const [column, expected] of Object.entries(RESULTS)) {
        const [{ n }] = await tx.run(parseCqlQuery(`SELECT from E { ${column} as n }`)) as Row[];
        assert.equal(n, expected, `${database.kind}: ${column}`);
      }
      const [{ label, short }] = await tx.run(parseCqlQuery("SELECT from V { label, short }")) as Row[];
      assert.deepEqual([label, short], ["t12.25", 12.3], database.kind);
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});
